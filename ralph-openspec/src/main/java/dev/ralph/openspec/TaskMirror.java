package dev.ralph.openspec;

import dev.ralph.NewTask;
import dev.ralph.RalphException;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.Task.Status;
import dev.ralph.TaskEdit;
import dev.ralph.TaskLog;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The tasks of a story, as tasks of the session. Which of the two was changed is told by the reason
 * of the session's: a task whose completion came from the file, or has got there, says so.
 */
final class TaskMirror {

  private static final String TICKED = "ticked in " + TaskFile.NAME;
  private static final String OPEN = "not ticked in " + TaskFile.NAME;
  private static final String GONE = "no longer in " + TaskFile.NAME;

  private final ChangeSession work;
  private final String id;
  private final TaskLog log;

  TaskMirror(ChangeSession work, String story) {
    this.work = work;
    this.id = story;
    this.log = work.session().tasks();
  }

  Story sync() {
    Story story = work.story(id);
    requireOneOfEach(story);
    addMissing(story);
    Map<String, Task> mirrored = mirrored();
    Set<String> there = new HashSet<>();
    for (StoryTask task : story.tasks()) {
      there.add(task.id());
      Task copy = Objects.requireNonNull(mirrored.get(task.id()), "a task that was just added");
      if (task.done()) {
        set(copy, Status.COMPLETED, TICKED);
      } else if (copy.status() == Status.COMPLETED && !TICKED.equals(copy.reason())) {
        work.tick(id, task.id());
        set(copy, Status.COMPLETED, TICKED);
      } else {
        reopen(copy, text(task));
      }
    }
    cancelGone(mirrored, there);
    return work.story(id);
  }

  private static void requireOneOfEach(Story story) {
    Set<String> ids = new HashSet<>();
    for (StoryTask task : story.tasks()) {
      if (!ids.add(task.id())) {
        throw RalphException.invalid(
            "several tasks are numbered "
                + task.id()
                + "; give each a number of its own in "
                + TaskFile.NAME);
      }
    }
  }

  private void addMissing(Story story) {
    Map<String, Task> known = mirrored();
    List<NewTask> missing = new ArrayList<>();
    for (StoryTask task : story.tasks()) {
      if (!known.containsKey(task.id())) {
        missing.add(NewTask.of(text(task)).key(task.id()));
      }
    }
    if (!missing.isEmpty()) {
      log.addAll(missing);
    }
  }

  private void reopen(Task copy, String text) {
    if (copy.status().isTerminal()) {
      set(copy, Status.REMAINING, OPEN);
    }
    if (!copy.content().equals(text)) {
      log.edit(copy.id(), TaskEdit.of().content(text));
    }
  }

  private static String text(StoryTask task) {
    return (task.id() + " " + task.description()).strip();
  }

  /** Returns the session's tasks that stand for one of a story, by its number. */
  private Map<String, Task> mirrored() {
    Map<String, Task> mirrored = new LinkedHashMap<>();
    for (Task task : log.list()) {
      if (task.key() != null) {
        mirrored.put(task.key(), task);
      }
    }
    return mirrored;
  }

  private void cancelGone(Map<String, Task> mirrored, Set<String> there) {
    Change change = work.change();
    change.stories().forEach(story -> story.tasks().forEach(task -> there.add(task.id())));
    mirrored.forEach(
        (key, task) -> {
          if (!there.contains(key) && !task.status().isTerminal()) {
            set(task, Status.CANCELLED, GONE);
          }
        });
  }

  private void set(Task task, Status status, String reason) {
    if (task.status() != status || !reason.equals(task.reason())) {
      log.status(task.id(), StatusChange.to(status).because(reason));
    }
  }
}

package dev.ralph.openspec.internal;

import dev.ralph.NewTask;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.Task.Status;
import dev.ralph.TaskEdit;
import dev.ralph.TaskLog;
import dev.ralph.core.internal.text.TaskWords;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Synchronises the tasks of a story with tasks of the session. The reason of a session's task shows
 * the changed side: a completion that came from the file, or was written to the file, has a reason
 * of this class. A task completed on a separate branch is left unchanged until it is settled.
 */
final class TaskMirror {

  private static final String TICKED = "ticked in " + TaskFile.NAME;
  private static final String OPEN = "not ticked in " + TaskFile.NAME;
  private static final String GONE = "no longer in " + TaskFile.NAME;
  private static final String UNMATCHED = "no line of the edited " + TaskFile.NAME;

  /** The maximum number of characters of a task in a message. */
  private static final int TITLE = 68;

  private final ChangeSession work;
  private final String id;
  private final boolean isTicking;
  private final TaskLog log;

  /**
   * Creates a mirror.
   *
   * @param isTicking whether to tick the file; if not, merges tick it
   */
  TaskMirror(ChangeSession work, String story, boolean isTicking) {
    this.work = work;
    this.id = story;
    this.isTicking = isTicking;
    this.log = work.session().tasks();
  }

  /**
   * Synchronises both lists and returns the story.
   *
   * @throws PlanChangedException if the file was edited and no line corresponds to a completed
   *     task; thrown once for each such task
   */
  Story sync() {
    Change now = work.whole(this::isWhole);
    while (true) {
      Story story = now.requireStory(id);
      mirror(now, story);
      // An edit during the synchronisation may have been misread, so compare the file again.
      Change after = work.whole(this::isWhole);
      Story left = after.requireStory(id);
      if (left.tasks().equals(story.tasks())) {
        work.assign(after);
        requireLines(after);
        return left;
      }
      now = after;
    }
  }

  private void mirror(Change change, Story story) {
    requireOneOfEach(change, story);
    addMissing(story);
    Map<String, Task> mirrored = mirrored();
    for (StoryTask task : story.tasks()) {
      Task copy = Objects.requireNonNull(mirrored.get(task.key()), "an added task");
      if (task.done()) {
        set(copy, Status.COMPLETED, TICKED);
      } else if (copy.status() == Status.COMPLETED && !TICKED.equals(copy.reason())) {
        if (isTicking && copy.isSettled()) {
          work.tick(id, task.key());
          set(copy, Status.COMPLETED, TICKED);
        }
      } else {
        reopen(copy, text(task));
      }
    }
    removedTasks(change).forEach(task -> set(task, Status.CANCELLED, GONE));
  }

  /** Checks that each completed task without a tick has a line. */
  private void requireLines(Change change) {
    List<Task> unmatched =
        mirrored().values().stream()
            .filter(task -> task.status() == Status.COMPLETED && task.isSettled())
            .filter(task -> !change.hasKey(String.valueOf(task.key())))
            .filter(task -> !TICKED.equals(task.reason()) && !UNMATCHED.equals(task.reason()))
            .toList();
    unmatched.forEach(task -> set(task, Status.COMPLETED, UNMATCHED));
    if (!unmatched.isEmpty()) {
      throw new PlanChangedException(
          TaskFile.NAME
              + " was edited, and no line of it corresponds to the completed task "
              + unmatched.stream()
                  .map(task -> "t" + task.number() + " '" + TaskWords.firstLine(task, TITLE) + "'")
                  .collect(Collectors.joining(", "))
              + ", so no box was ticked; tick the matching line, if any, in "
              + change.folder().resolve(TaskFile.NAME)
              + ", then start again");
    }
  }

  /** Returns whether no line is missing. Lines may be missing temporarily. */
  private boolean isWhole(Change change) {
    return change.story(id).isPresent() && removedTasks(change).isEmpty();
  }

  private void requireOneOfEach(Change change, Story story) {
    for (StoryTask task : story.tasks()) {
      if (change.count(task.id()) > 1) {
        throw RalphException.invalid(
            "several tasks have the number "
                + task.id()
                + "; number them uniquely in "
                + change.folder().resolve(TaskFile.NAME));
      }
    }
  }

  private void addMissing(Story story) {
    Map<String, Task> known = mirrored();
    List<NewTask> missing = new ArrayList<>();
    for (StoryTask task : story.tasks()) {
      if (!known.containsKey(task.key())) {
        missing.add(NewTask.of(text(task)).key(task.key()));
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
    return (task.id() + " " + task.text()).strip();
  }

  /** Returns the session's tasks that mirror tasks of stories, by key. */
  private Map<String, Task> mirrored() {
    Map<String, Task> mirrored = new LinkedHashMap<>();
    for (Task task : log.list()) {
      if (task.key() != null) {
        mirrored.put(task.key(), task);
      }
    }
    return mirrored;
  }

  /** Returns the open tasks whose lines were removed from all stories. */
  private List<Task> removedTasks(Change change) {
    return mirrored().values().stream()
        .filter(task -> !change.hasKey(String.valueOf(task.key())) && !task.status().isTerminal())
        .toList();
  }

  private void set(Task task, Status status, String reason) {
    if (task.status() != status || !reason.equals(task.reason())) {
      log.status(task.id(), StatusChange.to(status).because(reason));
    }
  }
}

package dev.ralph.openspec;

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
 * The tasks of a story, as tasks of the session. Which of the two was changed is told by the reason
 * of the session's: a task whose completion came from the file, or has got there, says so. One that
 * is done on a branch of its own is left as it is until that has landed.
 */
final class TaskMirror {

  private static final String TICKED = "ticked in " + TaskFile.NAME;
  private static final String OPEN = "not ticked in " + TaskFile.NAME;
  private static final String GONE = "no longer in " + TaskFile.NAME;
  private static final String UNMATCHED = "no line of the edited " + TaskFile.NAME;

  /** The most characters of a task in a message. */
  private static final int TITLE = 68;

  private final ChangeSession work;
  private final String id;
  private final boolean isTicking;
  private final TaskLog log;

  /**
   * @param isTicking whether the file is ticked; if not, somebody else does that
   */
  TaskMirror(ChangeSession work, String story, boolean isTicking) {
    this.work = work;
    this.id = story;
    this.isTicking = isTicking;
    this.log = work.session().tasks();
  }

  /**
   * Returns the story as it is in the file once both lists agree.
   *
   * @throws PlanChangedException if the file was edited so that no line corresponds to a completed
   *     task. That is thrown once for each such task
   */
  Story sync() {
    Change now = work.whole(this::isWhole);
    while (true) {
      Story story = now.requireStory(id);
      mirror(now, story);
      // What was edited meanwhile may have been taken for another state than it is.
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
      Task copy = Objects.requireNonNull(mirrored.get(task.key()), "a task that was just added");
      if (task.done()) {
        set(copy, Status.COMPLETED, TICKED);
      } else if (copy.status() == Status.COMPLETED && !TICKED.equals(copy.reason())) {
        if (isTicking && copy.isLanded()) {
          work.tick(id, task.key());
          set(copy, Status.COMPLETED, TICKED);
        }
      } else {
        reopen(copy, text(task));
      }
    }
    gone(change).forEach(task -> set(task, Status.CANCELLED, GONE));
  }

  /** Checks that there is a line for each completed task that is not ticked. */
  private void requireLines(Change change) {
    List<Task> unmatched =
        mirrored().values().stream()
            .filter(task -> task.status() == Status.COMPLETED && task.isLanded())
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
              + ", so no box was ticked; if there is a line for it, tick that line in "
              + change.folder().resolve(TaskFile.NAME)
              + ", and start again");
    }
  }

  /** Returns whether nothing is gone, which may be so only for a moment. */
  private boolean isWhole(Change change) {
    return change.story(id).isPresent() && gone(change).isEmpty();
  }

  private void requireOneOfEach(Change change, Story story) {
    for (StoryTask task : story.tasks()) {
      if (change.count(task.id()) > 1) {
        throw RalphException.invalid(
            "several tasks are numbered "
                + task.id()
                + "; give each a number of its own in "
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

  /** Returns the session's tasks that stand for a task of a story, by key. */
  private Map<String, Task> mirrored() {
    Map<String, Task> mirrored = new LinkedHashMap<>();
    for (Task task : log.list()) {
      if (task.key() != null) {
        mirrored.put(task.key(), task);
      }
    }
    return mirrored;
  }

  /** Returns the open tasks whose lines are in no story any more. */
  private List<Task> gone(Change change) {
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

package dev.ralph.cli.session;

import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Project;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.internal.Change;
import dev.ralph.openspec.internal.ChangeSession;
import dev.ralph.openspec.internal.Story;
import dev.ralph.openspec.internal.StoryTask;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a whole change. The change's session contains only the tasks of stories begun so
 * far.
 *
 * @param storiesDone the number of stories without open tasks
 */
public record ChangeCount(int stories, int storiesDone, int tasks, int tasksDone) {

  /**
   * Counts the tasks of a change.
   *
   * @param stories the stories in the change's file
   * @param known the tasks of the change's session; a completed task is ticked in the file only at
   *     the end of the iteration, and perhaps in another work tree
   */
  public static ChangeCount of(List<Story> stories, TaskList known) {
    Set<String> completed = new HashSet<>();
    for (Task task : known.of(Task.Status.COMPLETED)) {
      if (task.key() != null) {
        completed.add(task.key());
      }
    }
    int storiesDone = 0;
    int tasks = 0;
    int tasksDone = 0;
    for (Story story : stories) {
      int done = 0;
      for (StoryTask task : story.tasks()) {
        done += task.done() || completed.contains(task.key()) ? 1 : 0;
      }
      tasks += story.tasks().size();
      tasksDone += done;
      storiesDone += done == story.tasks().size() ? 1 : 0;
    }
    return new ChangeCount(stories.size(), storiesDone, tasks, tasksDone);
  }

  /** Returns the change of a session, or null if the session has no change. */
  public static @Nullable ChangeSession work(Invocation call, StoreAccess store, Session session) {
    if (!ChangeSession.isName(session.name())) {
      return null; // avoids loading further classes for most sessions
    }
    try {
      return ChangeSession.of(
          store.ralph(), Project.folder(call.environment(), Change.FOLDER), session.name());
    } catch (RalphException e) {
      return null;
    }
  }

  /**
   * Counts the tasks of a change; returns null without a change, or if the change no longer exists.
   */
  public static @Nullable ChangeCount of(@Nullable ChangeSession work) {
    try {
      return work == null ? null : of(work.change().stories(), work.session().tasks().list());
    } catch (RalphException e) {
      return null;
    }
  }

  /** Returns the number of completed tasks as text. */
  public String inWords() {
    return tasksDone + " of " + tasks + " tasks done";
  }

  /** Returns the numbers of completed stories and tasks as text. */
  public String inFull() {
    return storiesDone + " of " + stories + " stories, " + inWords();
  }

  Meta json() {
    return Meta.of("stories", stories)
        .with("stories_done", storiesDone)
        .with("tasks", tasks)
        .with("tasks_done", tasksDone);
  }
}

package dev.ralph.cli.session;

import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.Change;
import dev.ralph.openspec.ChangeSession;
import dev.ralph.openspec.Story;
import dev.ralph.openspec.StoryTask;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How far a whole change is: its session has the tasks of those stories only that were begun.
 *
 * @param storiesDone how many stories have no task that is not done
 */
public record ChangeCount(int stories, int storiesDone, int tasks, int tasksDone) {

  /**
   * Counts the tasks of a change.
   *
   * @param stories as its file has them
   * @param known the tasks of its session: one that is completed there is ticked in the file by the
   *     end of the iteration only, and perhaps in the file of another work tree
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

  /** Returns who works on a change in that session; null where it is about none. */
  public static @Nullable ChangeSession work(Invocation call, StoreAccess store, Session session) {
    if (!ChangeSession.isName(session.name())) {
      return null; // most are, and need nothing of what follows
    }
    try {
      return ChangeSession.of(store.ralph(), call.projectFolder(Change.FOLDER), session.name());
    } catch (RalphException e) {
      return null;
    }
  }

  /** Counts the tasks of a change; returns null if there is none, or it is not here any more. */
  public static @Nullable ChangeCount of(@Nullable ChangeSession work) {
    try {
      return work == null ? null : of(work.change().stories(), work.session().tasks().list());
    } catch (RalphException e) {
      return null;
    }
  }

  /** Returns how many tasks are done. */
  public String inWords() {
    return tasksDone + " of " + tasks + " tasks done";
  }

  /** Returns how many stories and tasks are done. */
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

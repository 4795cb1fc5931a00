package dev.ralph.openspec.internal;

import dev.ralph.Loop;
import dev.ralph.Task;
import dev.ralph.core.CommitOptions;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.branch.BranchHold;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The strategy for several agents, which work in their own work trees. The commit that merges a
 * task ticks it on the change's branch. The work tree of the change, from which the stories are
 * read, is updated to the branch between stories.
 */
final class SeveralAgents extends StoryWork {

  private final EditedList list;

  SeveralAgents(ChangeSession work, @Nullable Worktree tree) {
    super(work, tree);
    this.list = new EditedList(work);
  }

  @Override
  void addTo(Loop.Builder loop, String story) {
    Worktree own = tree;
    if (own != null) {
      Path tasks = work.change().folder().resolve(TaskFile.NAME);
      loop.workspaces(
          places -> places.name(own.name()).onMerge(own.root().relativize(tasks), this::ticked));
    }
  }

  /** Returns the list of tasks with a merged task ticked; the same list if it has no such line. */
  private String ticked(Task task, String text) {
    String key = task.key();
    return key == null ? text : TaskFile.ticked(text, key, work.plan());
  }

  /** Updates the work tree to the branch, which the agents have advanced. */
  @Override
  void begin() {
    Worktree own = tree;
    if (own == null) {
      throw RalphException.invalid(
          "several agents on a change need a work tree, because their work is merged into its"
              + " branch; set a work tree");
    }
    work.renew(); // only the holder of the change may update the branch
    list.across(() -> catchUp(own));
  }

  private static void catchUp(Worktree tree) {
    try {
      BranchHold hold = BranchHold.take(tree.folder(), tree.name());
      try (hold) {
        Worktree.open(tree.folder(), tree.name(), CommitOptions.NO_HOOKS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.closed("the update of the work tree");
    }
  }

  @Override
  List<String> open(String story) {
    Story now = work.syncWithoutTicking(story);
    Set<String> merged = merged();
    return now.tasks().stream()
        .filter(task -> !task.done() && !merged.contains(task.key()))
        .map(StoryTask::id)
        .toList();
  }

  /** Returns the keys of the settled tasks of the session. */
  private Set<String> merged() {
    Set<String> merged = new HashSet<>();
    for (Task task : work.session().tasks().list().of(Task.Status.COMPLETED)) {
      if (task.isSettled() && task.key() != null) {
        merged.add(task.key());
      }
    }
    return merged;
  }

  /** Ticks the tasks that no merge has ticked, for example tasks completed by hand. */
  @Override
  void end(String story) {
    begin();
    work.sync(story);
    commit("Tick the completed tasks of story " + story + " of " + work.changeName());
    list.committed();
  }
}

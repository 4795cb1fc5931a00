package dev.ralph.cli.progress;

import dev.ralph.LoopResult;
import dev.ralph.cli.call.Invocation;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.git.UserBranch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The branch with the work of a build: the user's branch, or a branch of the session. */
public final class BuildBranch {

  private final @Nullable Worktree tree;
  private final @Nullable UserBranchMerge merge;

  /** The branch checked out by the user at the start of the build. */
  private final UserBranch user;

  private final RunCommits commits;

  /**
   * Creates the branch at the start of a build.
   *
   * @param tree the work tree of the loop, or null
   * @param merge merges the work of a team of agents, or null
   */
  public BuildBranch(Invocation call, @Nullable Worktree tree, @Nullable UserBranchMerge merge) {
    Path directory = call.environment().directory();
    this.tree = tree;
    this.merge = merge;
    this.user = UserBranch.of(directory);
    this.commits =
        RunCommits.of(
            directory, tree != null ? tree.branch() : merge != null ? merge.branch() : null);
  }

  RunCommits commits() {
    return commits;
  }

  /** Returns whether the work is on the user's branch. */
  boolean isUsers() {
    return tree == null && merge == null;
  }

  /** Merges the work of a team of agents into the user's branch. */
  void ended(LoopResult result) {
    if (merge != null) {
      merge.ended(result);
    }
  }

  /**
   * Returns the result of the merge, a change of the user's branch by an agent, and the commands
   * for the branch.
   *
   * @param isReported whether the end of a change has already reported its branch
   */
  List<String> next(boolean isReported) {
    List<String> next = new ArrayList<>(merge == null ? List.of() : merge.resultLines());
    if (tree != null) {
      addMoved(next);
      if (!isReported) {
        next.add("the work is on the branch " + tree.branch() + ", in " + tree.folder());
        next.add("to see it: ralph branch diff " + tree.name());
        next.add("to merge it: ralph branch merge " + tree.name());
      }
    }
    return next;
  }

  private void addMoved(List<String> next) {
    try {
      user.problem().ifPresent(next::add);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package dev.ralph.cli.loop;

import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.BranchHold;
import dev.ralph.core.CommitOptions;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.FrameLog;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.Change;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place of a build: the current folder, or a separate Git work tree.
 *
 * @param folder the folder to work in
 * @param tree the work tree, or null
 * @param hold locks the work tree until closed, or null
 */
record WorkPlace(Path folder, @Nullable Worktree tree, @Nullable BranchHold hold)
    implements AutoCloseable {

  /** Returns a folder without a work tree. */
  static WorkPlace plain(Path folder) {
    return new WorkPlace(folder, null, null);
  }

  /**
   * Returns the place to work in, and reports a work tree.
   *
   * @param folder the folder of the call
   * @param name the name of the work tree
   * @throws RalphException CONTENDED if another process uses the work tree
   */
  static WorkPlace of(Invocation call, Path folder, String name) {
    return call.arguments().has("worktree") ? inTree(call, folder, name, null) : plain(folder);
  }

  /**
   * Returns the place for a session, and reports a work tree.
   *
   * @param log the log of the session; a work tree of another session with the same name is
   *     rejected
   * @throws RalphException CONTENDED if another process uses the work tree; INVALID if the branch
   *     belongs to another session
   */
  static WorkPlace of(Invocation call, Path folder, String session, FrameLog log) {
    return call.arguments().has("worktree") ? inTree(call, folder, session, log) : plain(folder);
  }

  /** Opens the work tree, and reports its path. */
  static WorkPlace inTree(Invocation call, Path folder, String name, @Nullable FrameLog log) {
    try {
      BranchHold hold = BranchHold.take(folder, name);
      try {
        CommitOptions commits = TeamPlaces.commits(call.arguments());
        Worktree tree =
            log == null
                ? Worktree.open(folder, name, commits)
                : Worktree.open(folder, name, commits, log);
        tree.notices().forEach(notice -> call.warn("warning: " + notice));
        call.warn("working in " + tree.folder() + ", on the branch " + tree.branch());
        return new WorkPlace(tree.folder(), tree, hold);
      } catch (RuntimeException | InterruptedException e) {
        hold.close();
        throw e;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.closed("the creation of the work tree");
    }
  }

  /** Prints the notices of the work tree since the last call. */
  void tellNotices(Invocation call) {
    if (tree != null) {
      tree.notices().forEach(notice -> call.warn("warning: " + notice));
    }
  }

  /** Unlocks the work tree. */
  @Override
  public void close() {
    if (hold != null) {
      hold.close();
    }
  }

  /** Reads a change from this place. */
  Change change(String name) {
    try {
      return Change.read(folder, name);
    } catch (NotFoundException e) {
      if (tree == null) {
        throw e;
      }
      throw RalphException.notFound(
          "the work tree "
              + SafeText.line(tree.root().toString())
              + " has no change "
              + RalphException.quote(name)
              + ", because it contains only the commits of "
              + tree.branch()
              + "; commit the change here, then, if the branch has its own commits, run: "
              + CommandLineWords.join(
                  List.of("git", "-C", tree.root().toString(), "merge", "YOUR-BRANCH")));
    }
  }
}

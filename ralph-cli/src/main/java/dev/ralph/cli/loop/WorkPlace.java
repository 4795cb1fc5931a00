package dev.ralph.cli.loop;

import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.CommitOptions;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.branch.BranchHold;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.FrameLog;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.internal.Change;
import dev.ralph.openspec.internal.ChangeSession;
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

  /** Opens a work tree with options for its commits. */
  private interface TreeOpening {
    Worktree open(CommitOptions commits) throws InterruptedException;
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
    return call.arguments().has("worktree")
        ? inTree(call, folder, session, commits -> Worktree.open(folder, session, commits, log))
        : plain(folder);
  }

  /**
   * Returns the place for a change, and reports a work tree.
   *
   * @param work the session that holds the change
   * @param log the log of the session; a work tree of the same change in another store is rejected
   * @throws RalphException as {@link #of(Invocation, Path, String, FrameLog)}
   */
  static WorkPlace of(Invocation call, ChangeSession work, FrameLog log) {
    return call.arguments().has("worktree") ? inTree(call, work, log) : plain(work.project());
  }

  /** Opens the work tree of a change, and reports its path. */
  static WorkPlace inTree(Invocation call, ChangeSession work, FrameLog log) {
    Path project = work.project();
    String change = work.changeName();
    return inTree(
        call,
        project,
        change,
        commits -> Worktree.open(project, change, commits, log, work.topic()));
  }

  private static WorkPlace inTree(Invocation call, Path folder, String name, TreeOpening opening) {
    try {
      BranchHold hold = BranchHold.take(folder, name);
      try {
        Worktree tree = opening.open(TeamPlaces.commits(call.arguments()));
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
  void printNotices(Invocation call) {
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

package dev.ralph.core.internal.workspace;

import dev.ralph.Verdict;
import dev.ralph.core.BranchMerger;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The folders in which the agents of a session work concurrently, and the merge of their work. For
 * the loop that holds the session; safe for use by many of its threads.
 *
 * <p>All methods throw a {@link dev.ralph.log.RalphException} with the remedy if Git or the file
 * system fails. Such a failure loses no work.
 */
public interface Workspaces extends AutoCloseable {

  /** The number for work without a task: one agent works alone. */
  int NO_TASK = 0;

  /**
   * An agent's folder during work on a task.
   *
   * @param agent the number of the agent, from 1
   * @param directory the working directory, which corresponds to the project's folder
   * @param branch the checked-out branch; null if nothing is merged
   * @param isTakenUp whether the branch has unmerged commits of an earlier agent
   * @param variables the environment variables of the agent and its descendant processes
   */
  record Workspace(
      int agent,
      Path directory,
      @Nullable String branch,
      boolean isTakenUp,
      Map<String, String> variables) {

    /** Creates a workspace; the map is copied. */
    public Workspace {
      variables = Map.copyOf(variables);
    }
  }

  /**
   * Completed work to merge.
   *
   * @param task the task's id; empty for {@link #NO_TASK}
   * @param token the token of the claim under which the task was completed; empty for {@link
   *     #NO_TASK}
   * @param branch the branch of the work
   * @param message the commit message; its first line is short
   */
  record Piece(String task, String token, String branch, String message) {}

  /** A check of pieces, like {@link BranchMerger.Check}, which also runs hooks of Git. */
  @FunctionalInterface
  interface Trial extends BranchMerger.Check {

    /**
     * Runs a hook of Git under the limits of the check's own commands.
     *
     * @param name the name of the hook
     * @param hook runs the hook in a folder
     * @param folder the top folder of the files
     */
    default Verdict hook(String name, BranchMerger.Check hook, Path folder)
        throws InterruptedException {
      return hook.verdict(folder);
    }
  }

  /**
   * The outcome of merging a piece of work.
   *
   * @param base the verdict on the session's branch without the piece, if the check rejected the
   *     piece; null otherwise
   * @param isJoined whether commits of a remote were merged into the branch right before
   */
  record MergeOutcome(
      Piece piece, BranchMerger.Result result, @Nullable Verdict base, boolean isJoined) {}

  /** Returns the branch of a task, even before the task starts; null if nothing is merged. */
  @Nullable String branch(int number);

  /**
   * Returns whether a task's branch has unmerged commits. Changes nothing.
   *
   * @param number the number of the task
   * @param task the id of the task
   */
  boolean hasCommits(int number, String task);

  /** Returns the folder of an agent, which need not exist yet. */
  Path directory(int agent);

  /**
   * Returns the path of a project file for an agent: in its own work tree, or the given path if the
   * work tree has no copy.
   *
   * @param file an absolute path
   */
  Path own(int agent, Path file);

  /**
   * Recovers the state of a killed loop, after this loop has acquired the session. Uncommitted work
   * of its agents is kept on the branches of their tasks. Creates the session's branch if it does
   * not exist. Locks the workspaces against other processes until {@link #close}. Call once, before
   * all other methods.
   */
  void open() throws InterruptedException;

  /**
   * Prepares an agent's folder for a task and checks out the task's branch. A new branch starts at
   * the newest commit of the session's branch. Blocks while the set-up command runs.
   *
   * @param agent the number of the agent, from 1; its folder must not be in use
   * @param number the number of the task, or {@link #NO_TASK}; must not be assigned to a second
   *     agent
   * @param task the task's id; empty for {@link #NO_TASK}
   */
  Workspace enter(int agent, int number, String task) throws InterruptedException;

  /**
   * Commits the changes of the agent's folder to the task's branch. If the agent is on another
   * branch or in the middle of a merge, that state is kept too. Then the task's branch is checked
   * out again.
   */
  void keep(Workspace workspace, String message) throws InterruptedException;

  /**
   * Merges pieces into the session's branch, all at once if the check passes. Otherwise bisection
   * finds the rejected pieces. Pieces already merged under the same token are skipped.
   *
   * <p>A piece of a task without changes is rejected if the branch itself fails the check.
   *
   * @param check returns the verdict on the files of a folder; the hook {@code pre-commit} runs
   *     before, on each piece
   * @param fence called for each piece right before the branch moves. False withdraws the piece, as
   *     {@link BranchMerger.Status#WITHDRAWN}. An exception ends all merges and is propagated.
   *     Called once more before a push, when only exceptions count. No lock of Git is held during
   *     the calls
   * @return a result for each piece, in order
   */
  List<MergeOutcome> merge(List<Piece> pieces, Trial check, Predicate<Piece> fence)
      throws InterruptedException;

  /**
   * Deletes the branches of tasks that are recorded as merged, unless they have newer commits.
   *
   * @param isSettled returns whether the task with a number is merged
   */
  void forget(IntPredicate isSettled) throws InterruptedException;

  /**
   * Checks the session's newest commit and pushes it. A commit that has passed is not checked
   * again.
   *
   * @param fence called before a push; its exceptions are propagated
   */
  Verdict check(BranchMerger.Check check, Runnable fence) throws InterruptedException;

  /**
   * Runs a check on the session's branch in a prepared folder. The verdict is not recorded.
   *
   * @throws dev.ralph.log.RalphException if the folder cannot be prepared
   */
  Verdict tryCheck(BranchMerger.Check check) throws InterruptedException;

  /** Returns sentences for a person, since the last call. */
  List<String> notices();

  /** Frees the ports, and removes the check folder. The agents' folders stay. */
  @Override
  void close();
}

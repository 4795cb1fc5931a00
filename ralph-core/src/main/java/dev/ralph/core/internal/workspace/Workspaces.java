package dev.ralph.core.internal.workspace;

import dev.ralph.Verdict;
import dev.ralph.core.Landing;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where the agents of a session work side by side, and how what they have done comes together. For
 * the loop that has the session; safe for use by many threads of it.
 *
 * <p>All methods throw a {@link dev.ralph.log.RalphException} that says what to do if Git or the
 * file system refuses; nothing is lost then.
 */
public interface Workspaces extends AutoCloseable {

  /** The number for what belongs to no task: one agent works alone. */
  int NO_TASK = 0;

  /**
   * An agent's folder while it works on a task.
   *
   * @param agent its number, from 1
   * @param directory the folder to work in, that corresponds to the project's
   * @param branch that is checked out there; null where nothing is landed
   * @param isTakenUp whether the branch has commits that have not landed, by an earlier agent
   * @param variables for the environment of the agent and of what it starts
   */
  record Workspace(
      int agent,
      Path directory,
      @Nullable String branch,
      boolean isTakenUp,
      Map<String, String> variables) {

    /** Makes one; the map is copied. */
    public Workspace {
      variables = Map.copyOf(variables);
    }
  }

  /**
   * Finished work, to be landed.
   *
   * @param task the task's id; empty for {@link #NO_TASK}
   * @param token of the claim under which it was finished; empty for {@link #NO_TASK}
   * @param branch that has it
   * @param message of the commit; its first line is short
   */
  record Piece(String task, String token, String branch, String message) {}

  /** Says whether pieces are good, as {@link Landing.Check}, and how a hook of Git runs. */
  @FunctionalInterface
  interface Trial extends Landing.Check {

    /**
     * Runs a hook of Git under the limits of the check's own commands.
     *
     * @param name of the hook
     * @param hook runs it in a folder
     * @param folder the top folder of the files
     */
    default Verdict hook(String name, Landing.Check hook, Path folder) throws InterruptedException {
      return hook.verdict(folder);
    }
  }

  /**
   * The result of a piece.
   *
   * @param base the verdict on the session's branch without the piece, if the check refused the
   *     piece; null otherwise
   * @param isJoined whether the branch took over commits of a remote right before
   */
  record Fate(Piece piece, Landing.Result result, @Nullable Verdict base, boolean isJoined) {}

  /** Returns the branch of a task, before it is entered; null where nothing is landed. */
  @Nullable String branch(int number);

  /** Returns the folder of an agent, which need not exist yet. */
  Path directory(int agent);

  /**
   * Returns where an agent finds a file of the project: in its own work tree, or at the given path
   * if the work tree has no copy.
   *
   * @param file an absolute path
   */
  Path own(int agent, Path file);

  /**
   * Puts in order what a killed loop left, once this one has the session: what its agents have not
   * committed is kept on their tasks' branches. Makes the session's branch if there is none. Until
   * this is closed nobody else works there. To be called once, before all others.
   */
  void open() throws InterruptedException;

  /**
   * Prepares an agent's folder for a task: its branch is checked out there, from the newest of the
   * session's if nothing was done for that task yet. Blocks while the set-up command runs.
   *
   * @param agent its number, from 1; nobody works in its folder
   * @param number the task's, or {@link #NO_TASK}; no other agent works on it
   * @param task the task's id; empty for {@link #NO_TASK}
   */
  Workspace enter(int agent, int number, String task) throws InterruptedException;

  /**
   * Commits what the agent left in its folder, on the task's branch. If it is on another branch or
   * in the middle of a merge, it is brought back, and all of that is kept too.
   */
  void keep(Workspace workspace, String message) throws InterruptedException;

  /**
   * Lands pieces on the session's branch, all at once if the check passes: if not, those that it
   * refuses are found by halving. What landed before under the same token does not land again.
   *
   * <p>A piece of a task that changes nothing is refused if the branch itself does not pass.
   *
   * @param check says whether the files in a folder are good; the hook {@code pre-commit} runs
   *     before, on each piece
   * @param fence asked for each piece right before the branch moves: false leaves it out, as {@link
   *     Landing.Status#WITHDRAWN}; an exception lands nothing more, and is thrown on. Asked once
   *     more before anything is pushed, when only an exception counts. No lock of Git's is held
   *     then
   * @return one for each piece, in their order
   */
  List<Fate> land(List<Piece> pieces, Trial check, Predicate<Piece> fence)
      throws InterruptedException;

  /**
   * Deletes the branches of tasks that are on record as landed, unless there are newer commits.
   *
   * @param isLanded asked with the numbers of tasks
   */
  void forget(IntPredicate isLanded) throws InterruptedException;

  /**
   * Returns whether the session's newest state passes, and is where it is to be pushed. What passed
   * last is not tried again.
   *
   * @param fence asked before anything is pushed; an exception is thrown on
   */
  Verdict check(Landing.Check check, Runnable fence) throws InterruptedException;

  /**
   * Runs a check on the session's branch in a prepared folder. The verdict is not kept.
   *
   * @throws dev.ralph.log.RalphException if the folder cannot be prepared
   */
  Verdict look(Landing.Check check) throws InterruptedException;

  /** Returns what a person should know, each in a sentence, since this was called last. */
  List<String> notices();

  /** Frees ports, and removes the folder in which was tried. The agents' folders stay. */
  @Override
  void close();
}

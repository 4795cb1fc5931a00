package dev.ralph.core.internal.loop.run;

import dev.ralph.Gate;
import dev.ralph.LoopEvent;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.core.internal.git.BranchOwner;
import dev.ralph.core.internal.loop.policy.Limits;
import dev.ralph.core.internal.process.GitCeilings;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.workspace.GitWorkspaces;
import dev.ralph.core.internal.workspace.SharedDirectory;
import dev.ralph.core.internal.workspace.WorkspaceSettings;
import dev.ralph.core.internal.workspace.Workspaces;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a loop except its {@link LoopRole roles}; see {@link dev.ralph.Loop.Builder} for
 * their meaning.
 *
 * @param maxIterations 0 for no limit
 * @param timeLimit null for no limit
 * @param limits the usage limits of all iterations
 * @param budgetFrom the first iteration of the session that counts toward these limits
 * @param record whether a record of each iteration is kept
 * @param maxIdle 0 for no limit
 * @param maxAttempts 0 for no limit
 * @param standBy whether to wait for a session held by another loop
 * @param finalGates gates to run last, after all preceding gates have passed
 * @param done decides whether to claim completion for the agent
 * @param beforeEnd called with the number of an iteration of the only agent before its end is
 *     recorded; must not throw
 * @param lease the duration of the claim on the session without renewal, or null if it lasts as
 *     long as the process
 * @param executor the host's executor, or null if agents and gates have their own threads
 * @param several the settings of several agents, or null for one agent
 */
public record LoopSettings(
    Path directory,
    int maxIterations,
    @Nullable Duration timeLimit,
    Limits limits,
    int budgetFrom,
    boolean record,
    int maxIdle,
    int maxAttempts,
    Duration grace,
    int maxFailures,
    Duration failurePause,
    boolean standBy,
    boolean waitForAnswers,
    List<Gate> gates,
    List<Gate> finalGates,
    Predicate<Session> done,
    List<Consumer<LoopEvent>> listeners,
    IntConsumer beforeEnd,
    @Nullable Duration lease,
    @Nullable Executor executor,
    @Nullable Several several) {

  /**
   * A file that changes only with the merge of a task.
   *
   * @param file the path relative to the repository's top
   * @param keepsEdits whether changes of agents to the file are merged
   * @param text returns the new text from the old text
   */
  public record OnMerge(Path file, boolean keepsEdits, BiFunction<Task, String, String> text) {

    public OnMerge {
      Objects.requireNonNull(text, "text");
    }
  }

  /**
   * The settings of several concurrent agents.
   *
   * @param agents the roles in which the agents build
   * @param isShared whether all agents work in the loop's folder, and nothing is merged
   * @param name the base name of branches and work trees; null for the session's name
   * @param onMerge the file that changes with each merge; null for none
   * @param workspaces the settings of the agents' folders
   */
  public record Several(
      List<LoopRole> agents,
      boolean isShared,
      @Nullable String name,
      @Nullable OnMerge onMerge,
      WorkspaceSettings workspaces) {

    /**
     * Returns the workspaces without creating folders.
     *
     * @throws RalphException INVALID if the agents can't work there
     */
    public Workspaces places(Path directory, LiveSession session, ProcessMark mark) {
      if (isShared) {
        return new SharedDirectory(directory, workspaces.portBase());
      }
      if (GitCeilings.ofProcess().upward(directory).stream()
          .noneMatch(folder -> Files.exists(folder.resolve(".git")))) {
        throw RalphException.invalid(
            "several agents require a Git repository for their work trees; none found around "
                + directory
                + "; run git init and commit, or let the agents share the folder");
      }
      try {
        GitWorkspaces places =
            new GitWorkspaces(
                directory,
                name == null ? session.name() : name,
                workspaces,
                mark.ofAgent(0),
                session::redacted);
        if (name == null) {
          places.ownedBy(() -> BranchOwner.of(session.log().store(), session.name()));
        }
        if (onMerge != null) {
          places.onMerge(
              onMerge.file(),
              onMerge.keepsEdits(),
              (task, text) -> onMerge.text().apply(session.tasks().get(task), text));
        }
        return places;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw RalphException.closed("the preparation of the work trees");
      }
    }
  }

  /** Returns the number of concurrent agents. */
  public int agents() {
    return several == null ? 1 : several.agents().size();
  }

  /**
   * Returns the executor of agents or gates.
   *
   * @param name the name of the thread, unless the host's executor is used
   */
  public Executor threads(String name) {
    Executor host = executor;
    return host == null ? CutOffWork.ownThread(name) : host;
  }
}

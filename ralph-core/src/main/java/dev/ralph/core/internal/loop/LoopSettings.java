package dev.ralph.core.internal.loop;

import dev.ralph.Gate;
import dev.ralph.LoopEvent;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.core.internal.git.BranchOwner;
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
 * How a loop was set up, but for its {@link Roles}; what each setting means stands at {@link
 * dev.ralph.Loop.Builder}.
 *
 * @param maxIterations 0 for no limit
 * @param timeLimit null for no limit
 * @param limits of what all iterations may use
 * @param budgetFrom the first iteration of the session that counts towards these limits
 * @param record whether a record of each iteration is kept
 * @param maxIdle 0 for no limit
 * @param maxAttempts 0 for no limit
 * @param standBy whether a session that another loop has is waited for
 * @param finalGates run once all others have passed
 * @param done says that completion is to be claimed for the agent
 * @param beforeEnd called with the number of an iteration of the only agent, before it is written
 *     that it has ended; throws nothing
 * @param lease how long the claim on the session lasts unless it is renewed, or null where it lasts
 *     as long as the process
 * @param executor the host's, or null where agents and gates have threads of their own
 * @param several null where one agent works
 */
record LoopSettings(
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
   * A file that each task changes as it lands, and nothing else.
   *
   * @param file as seen from the repository's top
   * @param text from what stood there
   */
  record OnLanding(Path file, BiFunction<Task, String, String> text) {

    OnLanding {
      Objects.requireNonNull(text, "text");
    }
  }

  /**
   * Several agents at once.
   *
   * @param agents what each of them builds with
   * @param isShared whether all work in the loop's folder, and nothing is landed
   * @param name what branches and work trees are called after; null for the session's name
   * @param onLanding what each task lands with besides; null for nothing
   * @param workspaces what they find in their folders
   */
  record Several(
      List<LoopRole> agents,
      boolean isShared,
      @Nullable String name,
      @Nullable OnLanding onLanding,
      WorkspaceSettings workspaces) {

    /**
     * Returns where they work; nothing is made yet.
     *
     * @throws RalphException INVALID if they can't work there
     */
    Workspaces places(Path directory, LiveSession session, ProcessMark mark) {
      if (isShared) {
        return new SharedDirectory(directory, workspaces.portBase());
      }
      if (GitCeilings.ofProcess().upward(directory).stream()
          .noneMatch(folder -> Files.exists(folder.resolve(".git")))) {
        throw RalphException.invalid(
            "several agents need a Git repository, because each works in a work tree of its own,"
                + " and there is none around "
                + directory
                + "; run git init there and commit, or let them share the folder");
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
        if (onLanding != null) {
          places.onLanding(
              onLanding.file(),
              (task, text) -> onLanding.text().apply(session.tasks().get(task), text));
        }
        return places;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw RalphException.closed("what prepares the work trees");
      }
    }
  }

  /** Returns how many agents work at once. */
  int agents() {
    return several == null ? 1 : several.agents().size();
  }

  /**
   * Returns what gives agents or gates a thread.
   *
   * @param name of the thread, where it is not the host's
   */
  Executor threads(String name) {
    Executor host = executor;
    return host == null ? CutOffWork.ownThread(name) : host;
  }
}

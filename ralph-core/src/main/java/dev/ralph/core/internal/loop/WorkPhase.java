package dev.ralph.core.internal.loop;

import dev.ralph.core.internal.loop.agent.AgentTurns.Begun;
import dev.ralph.core.internal.loop.agent.FileChanges;
import dev.ralph.core.internal.loop.agent.ReadyTurn;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.run.CutOffWork;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The phase of a worker's assignment. Immutable, except the work on other threads. */
sealed interface WorkPhase {

  /** Returns the work on another thread that ends the phase; null if the phase is over. */
  default @Nullable CutOffWork<?> work() {
    return null;
  }

  /** The iteration is to begin. */
  record Assigned() implements WorkPhase {}

  /** The folder is being prepared. */
  record Entering(Begun begun, CutOffWork<Entered> work) implements WorkPhase {}

  /** The agent works. */
  record Working(Begun begun, Entered folder, ReadyTurn turn, CutOffWork<AgentOutcome> work)
      implements WorkPhase {}

  /** The changes are being committed. */
  record Committing(Ended ended, CutOffWork<Boolean> work) implements WorkPhase {}

  /**
   * The end of the iteration is to be recorded.
   *
   * @param isChanged whether files changed
   * @param unkept the reason why the work could not be committed; null otherwise
   * @param isStorageFailure whether the disk was full or not accessible during the commit
   */
  record Ended(
      Begun begun,
      AgentOutcome outcome,
      Duration took,
      boolean isChanged,
      @Nullable String unkept,
      boolean isStorageFailure)
      implements WorkPhase {}

  /** The outcome is known to the run, and its record is to be written. */
  record Recording() implements WorkPhase {}

  /**
   * A prepared folder.
   *
   * @param files the files before the agent works
   */
  record Entered(Workspace place, FileChanges files) {}
}

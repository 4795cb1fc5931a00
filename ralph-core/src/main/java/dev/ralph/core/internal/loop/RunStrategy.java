package dev.ralph.core.internal.loop;

import dev.ralph.core.internal.prompt.TeamContext;
import org.jspecify.annotations.Nullable;

/** The order of a run's iterations. */
interface RunStrategy {

  /** Prepares the run after the claim of the session; may be called again after a failure. */
  void open();

  /** Advances the run by a step, and decides whether it ends. */
  void advance();

  /** Returns the assignment of the agent of the next iteration; null if it is the only agent. */
  @Nullable TeamContext next();

  /** Returns whether a step waits for the current thread. */
  boolean isCurrentThread();

  /** Cancels running work, and waits for its end. */
  void cutOff();

  /** Writes pending records. May be called again after a failure. */
  void write();

  /** Returns whether a cancelled agent has not ended. */
  boolean hasLeftBehind();

  /** Runs an action when all abandoned agents have ended. */
  void whenEnded(Runnable next);

  /** Releases all resources after the end of the run. */
  void close();
}

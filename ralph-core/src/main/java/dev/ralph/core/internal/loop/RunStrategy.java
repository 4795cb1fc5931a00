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

  /** Cancels running work, and waits for its end. */
  void cutOff();

  /** Writes pending records. May be called again after a failure. */
  void write();

  /** Releases all resources after the end of the run. */
  void close();
}

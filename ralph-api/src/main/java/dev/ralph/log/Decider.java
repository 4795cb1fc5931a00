package dev.ralph.log;

import dev.ralph.RalphException;
import java.time.Instant;

/**
 * A command, as a function of a state and the time. It is called again whenever the log has moved
 * on before its frames could be appended, so it must have no effect of its own.
 */
@FunctionalInterface
public interface Decider<R, T> {

  /**
   * Decides.
   *
   * @throws RalphException if the command can't be met in this state
   */
  Decision<R, T> decide(R state, Instant now);
}

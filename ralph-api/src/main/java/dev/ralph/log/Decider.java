package dev.ralph.log;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A command, as a function of a state and the time: {@code (seats, now) -> …}. It is called again
 * whenever the log has moved on before its frames could be appended. Where it has moved on before
 * the call, what it decides or throws is dropped, and it is called again too. So it must have no
 * effect of its own: it must not decide, on this ledger or on another. It may ask other ledgers for
 * their state: see {@link Ledger#decide(String, TopicFilter, Decider)}.
 *
 * @param <R> what is decided on
 * @param <T> the answer, which may be null
 */
@FunctionalInterface
public interface Decider<R, T extends @Nullable Object> {

  /**
   * Decides.
   *
   * @param state the present state, of every frame so far; what is decided on an older one counts
   *     for nothing
   * @param now what time it is, by the clock of the {@link dev.ralph.Ralph} that the ledger is of
   * @throws RalphException if the command can't be met in this state; nothing is appended then
   */
  Decision<R, T> decide(R state, Instant now);
}

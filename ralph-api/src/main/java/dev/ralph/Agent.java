package dev.ralph;

import dev.ralph.log.RalphException;
import java.nio.file.Path;

/**
 * Whatever does the work of one iteration: a process, a remote service, or a few lines of code.
 *
 * <p>A loop calls {@link #run} on another thread than its own (see {@link Loop.Builder#executor}),
 * never twice at a time. When the loop is cancelled or the iteration's time is up, that thread is
 * interrupted and {@link Turn#cancelled()} becomes true; the agent should end soon after. If it has
 * not ended within the loop's grace period the iteration counts as ended without it, and the loop
 * stops rather than run two agents at once. No other loop can use the session until that agent has
 * ended.
 *
 * <p>An exception counts as a failed iteration, with its message as the reason. An {@link Error},
 * such as a failed assertion or a lack of memory, does not: it ends the loop, and {@link Loop#step}
 * throws it.
 */
@FunctionalInterface
public interface Agent extends AutoCloseable {

  /**
   * Does the work of one iteration.
   *
   * @throws Exception for any failure
   */
  AgentResult run(Turn turn) throws Exception;

  /**
   * Returns whether the agent can reach the session only through tools named in its prompt, as a
   * process does. A loop refuses such an agent without {@link Loop.Builder#tools}.
   */
  default boolean needsTools() {
    return false;
  }

  /**
   * Returns whether it can be one of {@linkplain Loop.Builder#agents(int) several} of a loop: then
   * {@link #run} may be called again before it has returned, and each turn goes by its own folder,
   * variables and mark.
   */
  default boolean canBeOneOfSeveral() {
    return true;
  }

  /**
   * Checks whether the agent can be started, as far as possible without starting it. A loop asks
   * when it is built, before it writes anything.
   *
   * @param directory the folder that the loop lets the agent work in, absolute
   * @throws RalphException INVALID if the agent can't be started, saying what is missing
   */
  default void requireReady(Path directory) {}

  /**
   * Ends what the agent keeps between iterations. Called by the program that made the agent; a loop
   * does not call it.
   */
  @Override
  default void close() {}
}

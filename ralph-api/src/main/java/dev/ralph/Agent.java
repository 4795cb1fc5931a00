package dev.ralph;

import dev.ralph.log.RalphException;
import java.nio.file.Path;

/**
 * Does the work of one iteration: a process, a remote service, or Java code.
 *
 * <p>A loop calls {@link #run} on a thread of its {@linkplain Loop.Builder#executor executor}, one
 * call at a time unless the loop has {@linkplain #canBeOneOfSeveral several agents}. When the loop
 * is cancelled or the time limit of the iteration is reached, the thread is interrupted and {@link
 * Turn#cancelled()} becomes true. The agent should end soon after. If the agent is still running
 * after the loop's grace period, the iteration ends without the agent and the loop stops. No loop
 * can use the session until the agent has ended.
 *
 * <p>An exception makes the iteration fail, with the message as the reason. An {@link Error}, such
 * as a failed assertion or a lack of memory, ends the loop, and {@link Loop#step} throws the error.
 */
@FunctionalInterface
public interface Agent extends AutoCloseable {

  /**
   * Does the work of one iteration.
   *
   * @return the result. Null counts as a failure
   * @throws Exception if the work fails. The iteration counts as failed, and the loop continues
   */
  AgentResult run(Turn turn) throws Exception;

  /**
   * Returns whether the agent can reach the session only through the tools described in the prompt,
   * as a process does; false by default. A loop without {@link Loop.Builder#tools} refuses such an
   * agent.
   */
  default boolean needsTools() {
    return false;
  }

  /**
   * Returns whether the agent can be one of {@linkplain Loop.Builder#agents(int) several agents} of
   * a loop; true by default. If so, the loop may call {@link #run} while another call runs, and
   * each turn has its own folder, variables and process mark.
   */
  default boolean canBeOneOfSeveral() {
    return true;
  }

  /**
   * Checks that the agent can be started, without starting it. A loop calls this method when it is
   * built, before its first write.
   *
   * @param directory the absolute path of the agent's working directory
   * @throws RalphException INVALID if the agent can't be started; the message names the missing
   *     part
   */
  default void requireReady(Path directory) {}

  /**
   * Releases the resources that the agent keeps between iterations. The program that created the
   * agent calls this method; a loop does not.
   */
  @Override
  default void close() {}
}

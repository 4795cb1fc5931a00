package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where an agent's messages go: into its terminal, to a command, or to a piece of code.
 *
 * <p>A message counts as delivered when {@link #deliver} returns. If it throws, the message is
 * tried again after a pause; the pauses grow to half a minute. Until then the agent receives
 * nothing else, so that its messages keep their order. If the process is killed during a delivery,
 * the message is delivered again.
 */
public interface TxSink {

  /**
   * Returns the sink that types a reference to each message, {@code @} and the file's path, into
   * the tmux session of its agent, as TX does: once nothing has moved there for a moment, as text,
   * and then Enter. Any number of processes may type into one session.
   *
   * @param agent whose {@linkplain TxAddress#session() session} it is
   * @param socket that of the tmux server, or null for the server of this process
   */
  static TxSink tmux(TxAddress agent, @Nullable Path socket) {
    return new TmuxSink(agent, socket);
  }

  /**
   * Returns the sink that runs a command for each message, with the file as its standard input:
   * exit code 0 says that the message was delivered. The command gets the file's path in {@code
   * RALPH_TX_FILE}, the agent in {@code RALPH_TX_TO}, and {@code 1} in {@code RALPH_TX_REPEAT} if
   * the agent may have had the message before. No shell takes part.
   *
   * @param command the program and its arguments
   * @throws RalphException INVALID if there is no such program, or it can't be run
   */
  static TxSink command(List<String> command) {
    return new CommandSink(command);
  }

  /**
   * Gives a message to the agent. Called by one thread at a time. It may take as long as it needs:
   * meanwhile nobody else receives the message. An {@link Error} ends the consumer; the message can
   * be received again half a minute later.
   *
   * @throws InterruptedException if the thread is interrupted because nothing more is to be
   *     delivered; the message is given back
   * @throws Exception of any kind if the agent did not get it
   */
  void deliver(Delivery delivery) throws Exception;

  /**
   * Returns whether the agent is there. While it is not, its messages wait, and it does not count
   * as running. Asked before each message, and once a minute.
   *
   * @throws Exception of any kind if that can't be known; the agent is not there then
   */
  default boolean isReady() throws Exception {
    return true;
  }

  /**
   * A message on its way to an agent.
   *
   * @param to the agent
   * @param path the file, as an absolute path
   * @param file what it held when it was read, right before
   * @param isRepeat whether it may have been delivered before: somebody tried, and nobody knows
   *     with what success
   */
  record Delivery(TxAddress to, Path path, TxFile file, boolean isRepeat) {}
}

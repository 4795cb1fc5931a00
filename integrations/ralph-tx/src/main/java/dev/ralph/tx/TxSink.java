package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The destination of an agent's messages: its terminal, a command, or code.
 *
 * <p>A message counts as delivered when {@link #deliver} returns. After an exception the delivery
 * is retried after a pause, which grows up to half a minute. Until then the agent receives no other
 * message, so the messages keep their order. If the process is killed during a delivery, the
 * message is delivered again.
 */
public interface TxSink {

  /**
   * Returns a sink that types a reference to each message into the tmux session of its agent, as TX
   * does. The reference is {@code @} and the path of the file. The sink waits until the pane is
   * still, pastes the reference as text, and then presses Enter. Any number of processes may type
   * into one session.
   *
   * @param agent the agent of the {@linkplain TxAddress#session() session}
   * @param socket the socket of the tmux server, or null for the server of this process
   */
  static TxSink tmux(TxAddress agent, @Nullable Path socket) {
    return new TmuxSink(agent, socket);
  }

  /**
   * Returns a sink that runs a command for each message, with the file as its standard input. Exit
   * code 0 means that the message was delivered. {@code RALPH_TX_FILE} contains the path of the
   * file and {@code RALPH_TX_TO} the agent. {@code RALPH_TX_REPEAT} is {@code 1} if the agent may
   * have received the message before. The command runs without a shell.
   *
   * @param command the program with the arguments
   * @throws RalphException INVALID if the program does not exist or can't be run
   */
  static TxSink command(List<String> command) {
    return new CommandSink(command);
  }

  /**
   * Delivers a message to the agent. Called by one thread at a time. A delivery may take any time:
   * meanwhile no other consumer receives the message. An {@link Error} ends the consumer; the
   * message can be received again half a minute later.
   *
   * @throws InterruptedException if the thread is interrupted because the consumer is closed; the
   *     message is released
   * @throws Exception of any kind if the agent did not receive the message
   */
  void deliver(Delivery delivery) throws Exception;

  /**
   * Returns whether the agent is ready. The messages of an agent that is not ready wait, and the
   * agent does not count as running. Called before each message, and once per minute.
   *
   * @throws Exception of any kind if the state is unknown; the agent counts as not ready
   */
  default boolean isReady() throws Exception {
    return true;
  }

  /**
   * A delivery of a message.
   *
   * @param to the agent
   * @param path the absolute path of the file
   * @param file the file, read immediately before the delivery
   * @param isRepeat whether the message may have been delivered before: the outcome of an earlier
   *     delivery is unknown
   */
  record Delivery(TxAddress to, Path path, TxFile file, boolean isRepeat) {}
}

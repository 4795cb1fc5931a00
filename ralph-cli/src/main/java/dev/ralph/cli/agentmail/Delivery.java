package dev.ralph.cli.agentmail;

import dev.ralph.cli.terminal.Output;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.log.RalphException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Prints a message for a reader with a time limit, because the mailbox stays locked until the
 * message is printed.
 */
final class Delivery {

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Thread writer;
  private volatile @Nullable OutputException failure;

  Delivery(Output out, String text) {
    writer =
        new Thread(
            () -> {
              try {
                out.now(text);
              } catch (OutputException e) {
                failure = e;
              }
            },
            "ralph-agentmail-output");
    writer.setDaemon(true);
    writer.start();
  }

  /**
   * Waits until the whole message is written.
   *
   * @throws OutputException if writing fails
   * @throws RalphException IO if no reader accepts the message in time
   */
  void await() {
    try {
      writer.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (writer.isAlive()) {
      throw RalphException.io(
          "standard output accepted no data for "
              + PATIENCE.toSeconds()
              + " s; the message stays unread");
    }
    OutputException failed = failure;
    if (failed != null) {
      throw failed;
    }
  }
}

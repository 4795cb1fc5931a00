package dev.ralph.tx;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.List;

/** See {@link TxSink#command}. Immutable; safe for use by many threads. */
final class CommandSink implements TxSink {

  /** The number of characters from the end of the output that an error message quotes. */
  private static final int SHOWN = 500;

  /** No time limit: closing the consumer ends the command. */
  private static final Duration UNLIMITED = Duration.ofDays(36_500);

  private final List<String> command;

  CommandSink(List<String> command) {
    this.command = List.copyOf(command);
    if (command.isEmpty() || command.get(0).isEmpty()) {
      throw RalphException.invalid("the delivery command is empty; name a program");
    }
    ProcessSpec.command(command.get(0)).build().requireProgram();
  }

  @Override
  public void deliver(TxSink.Delivery delivery) throws InterruptedException {
    CommandResult answer =
        ProcessSpec.command(command)
            .stdin(delivery.path())
            .environment("RALPH_TX_FILE", delivery.path().toString())
            .environment("RALPH_TX_TO", delivery.to().toString())
            .environment("RALPH_TX_REPEAT", delivery.isRepeat() ? "1" : "")
            .mergeStderr()
            .run(UNLIMITED, Duration.ZERO, SHOWN);
    if (!answer.isGood()) {
      String words = OneLine.visible(answer.output());
      throw RalphException.io(
          command.get(0)
              + " ended with "
              + answer.exit().words()
              + (words.isEmpty() ? "" : ": " + words));
    }
  }

  @Override
  public String toString() {
    return command.toString();
  }
}

package dev.ralph.tx;

import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Gives each message to a command, on its standard input: exit code 0 says that it was delivered.
 * The command gets the file's path in {@code RALPH_TX_FILE}, the agent in {@code RALPH_TX_TO}, and
 * {@code 1} in {@code RALPH_TX_REPEAT} if it may have had the message before. It is given as
 * arguments; no shell takes part. Immutable; safe for use by many threads.
 */
public final class CommandSink implements TxSink {

  /** Of what the command prints, the end is told if it fails. */
  private static final int SHOWN = 500;

  /** No limit of its own: closing the consumer ends the command. */
  private static final Duration UNLIMITED = Duration.ofDays(36_500);

  private final List<String> command;

  private CommandSink(List<String> command) {
    this.command = command;
  }

  /**
   * Returns the sink that runs a program for each message.
   *
   * @throws RalphException INVALID if the program is empty
   */
  public static CommandSink of(String program, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(program);
    command.addAll(List.of(arguments));
    return of(command);
  }

  /**
   * Returns the sink that runs a program for each message.
   *
   * @param command the program and its arguments
   * @throws RalphException INVALID if there is no program
   */
  public static CommandSink of(List<String> command) {
    Objects.requireNonNull(command, "command");
    if (command.isEmpty() || command.get(0).isEmpty()) {
      throw RalphException.invalid("the command that gets messages needs a program; name one");
    }
    return new CommandSink(List.copyOf(command));
  }

  /**
   * Looks whether the program is there and may be run.
   *
   * @throws RalphException INVALID if not, with the reason
   */
  public void requireProgram() {
    ProcessSpec.command(command.get(0)).build().requireProgram();
  }

  @Override
  public void deliver(TxDelivery delivery) throws InterruptedException {
    Answer answer =
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

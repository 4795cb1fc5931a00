package dev.ralph.cli.call;

import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The command of an agent that uses the Agent Client Protocol, as in {@code --agent acp:COMMAND}.
 */
public final class AcpCommand {

  /** The prefix of the command line. */
  public static final String PREFIX = "acp:";

  private AcpCommand() {}

  /**
   * Returns the words of the command, or null if {@code --agent} is missing or names another agent.
   *
   * @throws UsageException if the command line is invalid
   */
  public static @Nullable List<String> of(Arguments arguments) {
    String agent = arguments.text("agent");
    return agent == null || !agent.startsWith(PREFIX)
        ? null
        : words(arguments.written("agent", 0), agent.substring(PREFIX.length()));
  }

  /**
   * Splits a command line into words as a shell does.
   *
   * @throws UsageException if the command line is invalid
   */
  public static List<String> words(String option, String line) {
    try {
      return CommandLineWords.split(line);
    } catch (IllegalArgumentException e) {
      throw new UsageException(option + " " + RalphException.quote(line) + ": " + e.getMessage());
    }
  }
}

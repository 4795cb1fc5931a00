package dev.ralph.cli.call;

import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The command of an agent that speaks the Agent Client Protocol, as {@code --agent} names it. */
public final class AcpCommand {

  /** What stands before the command line. */
  public static final String PREFIX = "acp:";

  private AcpCommand() {}

  /**
   * Returns the words of the command, or null if another agent is named, or none.
   *
   * @throws UsageException if it is no command line
   */
  public static @Nullable List<String> of(Arguments arguments) {
    String agent = arguments.text("agent");
    return agent == null || !agent.startsWith(PREFIX)
        ? null
        : words(arguments.written("agent", 0), agent.substring(PREFIX.length()));
  }

  /**
   * Returns the words of a command line, as a shell would take them apart.
   *
   * @throws UsageException if it is none
   */
  public static List<String> words(String option, String line) {
    try {
      return CommandLineWords.split(line);
    } catch (IllegalArgumentException e) {
      throw new UsageException(option + " " + RalphException.quote(line) + ": " + e.getMessage());
    }
  }
}

package dev.ralph.cli.call;

/**
 * A command of {@code ralph}. Each command is a separate class, so that a command loads no other
 * command at startup.
 */
public interface Command {

  /** Returns the options and arguments of the command. */
  CommandSyntax syntax();

  /**
   * Runs the command. The exit code is 0 unless the command calls {@link Invocation#exitWith}.
   *
   * @throws UsageException if the options or arguments are invalid
   * @throws dev.ralph.log.RalphException if the command fails
   */
  void run(Invocation call);
}

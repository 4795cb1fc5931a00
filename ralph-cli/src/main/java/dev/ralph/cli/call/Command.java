package dev.ralph.cli.call;

/**
 * One thing that {@code ralph} does. Each is a class of its own, so that starting it loads no
 * other.
 */
public interface Command {

  /** Returns what may be written after the command's name. */
  Syntax syntax();

  /**
   * Does it. The exit code is 0, unless it is set by {@link Invocation#exitWith}.
   *
   * @throws UsageException if it can't be called this way
   * @throws dev.ralph.log.RalphException if the request can't be met
   */
  void run(Invocation call);
}

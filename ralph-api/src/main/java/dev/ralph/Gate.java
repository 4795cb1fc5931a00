package dev.ralph;

import java.util.List;

/**
 * A command of the user's own that must succeed before a session counts as complete, such as the
 * project's tests. Given as arguments; no shell takes part.
 */
public final class Gate {

  private final List<String> command;

  private Gate(List<String> command) {
    this.command = command;
  }

  /**
   * Returns a gate.
   *
   * @throws RalphException INVALID if the command is empty
   */
  public static Gate of(List<String> command) {
    if (command.isEmpty() || command.get(0).isEmpty()) {
      throw RalphException.invalid("a gate needs a command");
    }
    return new Gate(List.copyOf(command));
  }

  /** Returns a gate. */
  public static Gate of(String program, String... arguments) {
    List<String> command = new java.util.ArrayList<>(List.of(arguments));
    command.add(0, program);
    return of(command);
  }

  /** Returns the program and its arguments. */
  public List<String> command() {
    return command;
  }

  @Override
  public String toString() {
    return String.join(" ", command);
  }
}

package dev.ralph;

import dev.ralph.log.RalphException;
import java.util.List;
import java.util.Objects;

/** A gate that a command has to pass: its exit code must be 0. Immutable; made by {@link Gate}. */
public final class CommandGate implements Gate {

  private final List<String> command;

  CommandGate(List<String> command) {
    Objects.requireNonNull(command, "command");
    if (command.isEmpty() || command.get(0).isEmpty()) {
      throw RalphException.invalid("a gate needs a command");
    }
    this.command = List.copyOf(command);
  }

  /** Returns the program and its arguments. */
  public List<String> command() {
    return command;
  }

  @Override
  public String name() {
    return String.join(" ", command);
  }

  @Override
  public Verdict check(Context context) throws InterruptedException {
    return context.run(command);
  }

  @Override
  public String toString() {
    return name();
  }
}

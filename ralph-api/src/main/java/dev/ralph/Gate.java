package dev.ralph;

import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What must hold before a session counts as complete, such as that the project's tests pass: a
 * command, or code of the host's.
 *
 * <pre>{@code
 * session.loop(agent)
 *     .gate(Gate.of("mvn", "-q", "verify"))
 *     .gate(Gate.named("no TODOs", context ->
 *         hasTodos(context.directory()) ? Verdict.failed("TODOs are left") : Verdict.passed()))
 * }</pre>
 */
public interface Gate {

  /**
   * Returns a gate that a command has to pass, given as arguments; no shell takes part.
   *
   * @throws RalphException INVALID if the command is empty
   */
  static Command of(List<String> command) {
    return new Command(command);
  }

  /** Does what {@link #of(List)} does. */
  static Command of(String program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(arguments));
    command.add(0, Objects.requireNonNull(program, "program"));
    return of(command);
  }

  /**
   * Returns a gate that code has to pass.
   *
   * @param name what the gate is called in messages and prompts, in one line
   * @throws RalphException INVALID if the name is blank
   */
  static Gate named(String name, Check check) {
    return new CheckGate(name, check);
  }

  /** Returns what the gate is called in messages and prompts. */
  String name();

  /**
   * Checks whether it holds now. A loop calls this on a thread of its own or of its {@linkplain
   * Loop.Builder#executor executor}, one gate at a time, and interrupts that thread when the loop
   * is cancelled or its time is up.
   *
   * @throws Exception if it can't be checked; that counts as failed, with the exception's message
   */
  Verdict check(Context context) throws Exception;

  /** The code of a gate made by {@link Gate#named}. */
  @FunctionalInterface
  interface Check {
    /** Does what {@link Gate#check} does. */
    Verdict check(Context context) throws Exception;
  }

  /** What a gate can look at. Use it in the gate's thread only, while the gate runs. */
  interface Context {

    /** Returns the session that is to be complete. */
    Session session();

    /** Returns the folder that the agent works in. */
    Path directory();

    /** Returns the number of the newest iteration, or 0 where there is none. */
    int iteration();

    /**
     * Runs a command in that folder; no shell takes part. Everything that it starts ends with it.
     *
     * @return passed if its exit code is 0, else failed with the last lines it printed
     * @throws RalphException INVALID if it can't be started
     * @throws InterruptedException if the thread is interrupted; nothing of the command runs on
     */
    Verdict run(List<String> command) throws InterruptedException;
  }

  /** A gate that a command has to pass: its exit code must be 0. Immutable; made by {@link #of}. */
  final class Command implements Gate {

    private final List<String> command;

    Command(List<String> command) {
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
}

package dev.ralph;

import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A condition for the completion of a session, for example that the project's tests pass. A gate is
 * a command or Java code of the host.
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
   * Returns a gate that runs a command, without a shell. The gate passes if the exit code is 0.
   *
   * @throws RalphException INVALID if the command is empty
   */
  static Command of(List<String> command) {
    return new Command(command);
  }

  /** Returns a gate that runs a command, like {@link #of(List)}. */
  static Command of(String program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(arguments));
    command.add(0, Objects.requireNonNull(program, "program"));
    return of(command);
  }

  /**
   * Returns a gate that calls Java code.
   *
   * @param name the name of the gate in messages and prompts, in one line
   * @throws RalphException INVALID if the name is blank
   */
  static Gate named(String name, Check check) {
    return new CheckGate(name, check);
  }

  /** Returns the name of the gate in messages and prompts. */
  String name();

  /**
   * Checks the condition. A loop calls this method on its own thread or a thread of its {@linkplain
   * Loop.Builder#executor executor}, one gate at a time. The loop interrupts the thread when the
   * loop is cancelled or reaches its time limit.
   *
   * @throws Exception if the check fails; the gate counts as failed, with the exception's message
   */
  Verdict check(Context context) throws Exception;

  /** The code of a gate that {@link Gate#named} creates. */
  @FunctionalInterface
  interface Check {
    /** Checks the condition, like {@link Gate#check}. */
    Verdict check(Context context) throws Exception;
  }

  /** The context of a gate. For the gate's thread only, while the gate runs. */
  interface Context {

    /** Returns the session to complete. */
    Session session();

    /** Returns the agent's working directory. */
    Path directory();

    /** Returns the number of the newest iteration, or 0 if none exists. */
    int iteration();

    /**
     * Runs a command in the working directory, without a shell. All descendant processes end with
     * the command.
     *
     * @return passed if the exit code is 0; otherwise failed, with the last lines of the output
     * @throws RalphException INVALID if the command can't be started
     * @throws InterruptedException if the thread is interrupted. All processes of the command have
     *     ended
     */
    Verdict run(List<String> command) throws InterruptedException;
  }

  /** A gate that runs a command and passes if its exit code is 0. Immutable. See {@link #of}. */
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

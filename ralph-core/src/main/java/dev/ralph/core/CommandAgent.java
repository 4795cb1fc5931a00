package dev.ralph.core;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.RecordEntry;
import dev.ralph.Turn;
import dev.ralph.core.internal.process.ManagedProcess;
import dev.ralph.core.internal.process.PrivateFolder;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.core.internal.process.ScriptArgument;
import dev.ralph.core.internal.process.TurnVariables;
import dev.ralph.core.internal.text.LogText;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An agent that runs a command. The command reads its prompt from standard input or from a file,
 * works in the loop's folder, and returns its outcome as the exit code. No shell interprets the
 * arguments.
 *
 * <pre>{@code
 * CommandAgent.of("my-agent", "--prompt-from-stdin")
 * CommandAgent.of("my-agent", "--prompt", "{prompt-file}").promptFile("{prompt-file}")
 * }</pre>
 *
 * <p>The {@linkplain Turn#variables variables} of the command's environment identify the session,
 * so that the agent's {@code ralph} commands need no session argument.
 *
 * <p>The command may report usage during the work, and a loop can enforce a budget. The command
 * appends JSON lines to the file in the variable {@code RALPH_USAGE}, in the format of {@link
 * dev.ralph.Usage#json}, such as <code>{"input_tokens":1200,"output_tokens":80,"cost_usd":0.012}
 * </code>. The usage of an iteration is the sum of its lines.
 *
 * <p>Exit code 0 is success. Any other code is a failure, whose reason contains the last lines of
 * output; after a signal its cause is {@code KILLED}. A missing program is reported when the loop
 * is built; any other failure to start is fatal. When the agent ends or is stopped, all its child
 * processes are stopped. The iteration's output consists of standard output and standard error.
 *
 * <p>Immutable; safe for use by many loops.
 */
public final class CommandAgent implements Agent {

  /**
   * Interval between reads of the usage file. Each read reports the usage of the previous read.
   * Therefore a budget does not stop a process directly before the process's normal end.
   */
  private static final Duration POLL_INTERVAL = Duration.ofMillis(250);

  /** Exit codes between these values belong to processes ended by a signal. */
  private static final int KILLED = 128;

  private static final int MOST_KILLED = KILLED + 64;

  private final List<String> command;
  private final @Nullable String promptFile;

  private CommandAgent(List<String> command, @Nullable String promptFile) {
    this.command = command;
    this.promptFile = promptFile;
  }

  /**
   * Returns an agent that runs a program.
   *
   * @throws RalphException INVALID if the program is empty
   */
  public static CommandAgent of(String program, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(program);
    command.addAll(List.of(arguments));
    return of(command);
  }

  /**
   * Returns an agent that runs a program.
   *
   * @param command the program and its arguments
   * @throws RalphException INVALID if the list or the program is empty
   */
  public static CommandAgent of(List<String> command) {
    if (command.isEmpty() || command.get(0).isEmpty()) {
      throw RalphException.invalid("an agent's command needs a program");
    }
    return new CommandAgent(List.copyOf(command), null);
  }

  /**
   * Returns this agent with its prompt in a file. Only this user can read the file; the file is
   * deleted at the agent's end. Standard input is then empty.
   *
   * @param placeholder the placeholder for the file's path in the arguments, such as {@code
   *     {prompt-file}}
   * @throws RalphException INVALID if no argument contains the placeholder
   */
  public CommandAgent promptFile(String placeholder) {
    if (placeholder.isEmpty()
        || command.subList(1, command.size()).stream().noneMatch(a -> a.contains(placeholder))) {
      throw RalphException.invalid(
          "no argument of the agent's command contains "
              + RalphException.quote(placeholder)
              + ", the placeholder for the path of the prompt");
    }
    return new CommandAgent(command, placeholder);
  }

  @Override
  public boolean needsTools() {
    return true;
  }

  /**
   * Checks that the program exists and is executable. In a {@link Worktree}, also checks that the
   * script of an interpreter is not only in the user's checkout.
   *
   * @throws RalphException INVALID if not, with the reason
   */
  @Override
  public void requireReady(Path directory) {
    ProcessSpec.command(command.get(0)).directory(directory).build().requireProgram();
    ScriptArgument.requirePresent(command, directory, Worktree.PLACE);
  }

  @Override
  public AgentResult run(Turn turn) throws IOException, InterruptedException {
    try (PrivateFolder folder = PrivateFolder.create()) {
      ReportedUsage usage = new ReportedUsage(turn, folder.file("usage.jsonl"));
      if (promptFile == null) {
        return run(turn, command, turn.prompt(), usage);
      }
      Path file =
          Files.write(folder.file("prompt.md"), turn.prompt().getBytes(StandardCharsets.UTF_8));
      List<String> arguments = new ArrayList<>();
      arguments.add(command.get(0));
      for (String argument : command.subList(1, command.size())) {
        arguments.add(argument.replace(promptFile, file.toString()));
      }
      return run(turn, arguments, "", usage);
    }
  }

  private AgentResult run(Turn turn, List<String> arguments, String stdin, ReportedUsage usage)
      throws InterruptedException {
    turn.record(
        RecordEntry.client(command.get(0), null, null, command.subList(1, command.size()), null));
    OutputLines output = new OutputLines(turn::output);
    ManagedProcess process;
    try {
      ProcessSpec.Builder spec =
          ProcessSpec.command(arguments)
              .stdin(stdin)
              .directory(turn.directory())
              .mark(ProcessMark.of(turn.processMark()))
              .mergeStderr()
              .onStdout(output);
      TurnVariables.addTo(spec, turn.variables());
      spec.environment(ReportedUsage.VARIABLE, usage.file().toString());
      process = ManagedProcess.start(spec.build());
    } catch (RalphException cannotStart) {
      return AgentResult.fatal(String.valueOf(cannotStart.getMessage()));
    }
    Optional<ProcessExit> ended = Optional.empty();
    try {
      while (ended.isEmpty()) {
        ended = process.await(POLL_INTERVAL);
        usage.readAndReport();
      }
    } finally {
      ProcessExit end = process.terminate(turn.grace()); // no effect after the end
      output.end();
      usage.end(end.reason() != ProcessExit.Reason.EXITED || end.code() > KILLED);
    }
    ProcessExit exit = ended.get();
    AgentResult result =
        exit.isSuccess()
            ? AgentResult.success().summary(output.lastLine())
            : AgentResult.failure(reason(exit.words(), output.tail()));
    if (exit.code() > KILLED && exit.code() <= MOST_KILLED) {
      result = result.cause(AgentResult.Cause.KILLED);
    }
    return result.usage(usage.sum());
  }

  private String reason(String how, String tail) {
    String ended = RalphException.quote(command.get(0)) + " ended with " + how;
    return ended + (tail.isEmpty() ? " and printed nothing" : LogText.LAST_LINES + "\n" + tail);
  }

  @Override
  public String toString() {
    return String.join(" ", command);
  }
}

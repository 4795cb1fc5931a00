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
import dev.ralph.core.internal.process.TurnVariables;
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
 * An agent that is a command: it reads its prompt from standard input, or from a file, works in the
 * loop's folder, and says by its exit code how it went. Given as arguments; no shell takes part.
 *
 * <pre>{@code
 * CommandAgent.of("my-agent", "--prompt-from-stdin")
 * CommandAgent.of("my-agent", "--prompt", "{prompt-file}").promptFile("{prompt-file}")
 * }</pre>
 *
 * <p>Commands of {@code ralph} in it mean the session without being told, by the {@linkplain
 * Turn#variables variables} of its environment.
 *
 * <p>What it has used it may tell as it works, so that a loop can keep a budget: it appends a line
 * of JSON to the file that the variable {@code RALPH_USAGE} names, as {@link dev.ralph.Usage#json}
 * has it, such as <code>{"input_tokens":1200,"output_tokens":80,"cost_usd":0.012}</code>. The lines
 * of an iteration add up.
 *
 * <p>Exit code 0 is success; any other is a failure, whose reason carries the last lines of output.
 * A program that is not there is found when the loop is built; one that can't be started all the
 * same is fatal. When the agent ends, or is made to, all that it started ends with it. Standard
 * output and standard error both become the iteration's output.
 *
 * <p>Immutable, and safe for use by many loops.
 */
public final class CommandAgent implements Agent {

  /**
   * Interval between two looks at the usage. A look reports the usage that the look before has
   * read, so a process that ends right after its last line is not cut off by a budget.
   */
  private static final Duration LOOK_EVERY = Duration.ofMillis(250);

  /** Exit codes above this one are those of processes that a signal has ended. */
  private static final int KILLED = 128;

  private final List<String> command;
  private final @Nullable String promptFile;

  private CommandAgent(List<String> command, @Nullable String promptFile) {
    this.command = command;
    this.promptFile = promptFile;
  }

  /**
   * Returns the agent that runs a program.
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
   * Returns the agent that runs a program.
   *
   * @param command the program and its arguments
   * @throws RalphException INVALID if there is no program
   */
  public static CommandAgent of(List<String> command) {
    if (command.isEmpty() || command.get(0).isEmpty()) {
      throw RalphException.invalid("an agent's command needs a program; name one");
    }
    return new CommandAgent(List.copyOf(command), null);
  }

  /**
   * Returns this agent with its prompt in a file that only this user can read, and that is deleted
   * when the agent has ended. Standard input is then empty.
   *
   * @param placeholder what stands for the file's path in the arguments, such as {@code
   *     {prompt-file}}
   * @throws RalphException INVALID if no argument holds it
   */
  public CommandAgent promptFile(String placeholder) {
    if (placeholder.isEmpty()
        || command.subList(1, command.size()).stream().noneMatch(a -> a.contains(placeholder))) {
      throw RalphException.invalid(
          "no argument of the agent's command holds "
              + RalphException.quote(placeholder)
              + ", which stands for the path of its prompt");
    }
    return new CommandAgent(command, placeholder);
  }

  @Override
  public boolean needsTools() {
    return true;
  }

  /**
   * Looks whether the program is there and may be run.
   *
   * @throws RalphException INVALID if not, with the reason
   */
  @Override
  public void requireReady(Path directory) {
    ProcessSpec.command(command.get(0)).directory(directory).build().requireProgram();
  }

  @Override
  public AgentResult run(Turn turn) throws IOException, InterruptedException {
    try (PrivateFolder folder = PrivateFolder.create()) {
      ToldUsage usage = new ToldUsage(turn, folder.file("usage.jsonl"));
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

  private AgentResult run(Turn turn, List<String> arguments, String stdin, ToldUsage usage)
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
      spec.environment(ToldUsage.VARIABLE, usage.file().toString());
      process = ManagedProcess.start(spec.build());
    } catch (RalphException cannotStart) {
      return AgentResult.fatal(String.valueOf(cannotStart.getMessage()));
    }
    Optional<ProcessExit> ended = Optional.empty();
    try {
      while (ended.isEmpty()) {
        ended = process.await(LOOK_EVERY);
        usage.look();
      }
    } finally {
      ProcessExit end = process.terminate(turn.grace()); // changes nothing after the end
      output.end();
      usage.end(end.reason() != ProcessExit.Reason.EXITED || end.code() > KILLED);
    }
    ProcessExit exit = ended.get();
    AgentResult result =
        exit.isSuccess()
            ? AgentResult.success().summary(output.lastLine())
            : AgentResult.failure(reason(exit.words(), output.tail()));
    return result.usage(usage.sum());
  }

  private String reason(String how, String tail) {
    String ended = RalphException.quote(command.get(0)) + " ended with " + how;
    return tail.isEmpty() ? ended + " and said nothing" : ended + "; its last lines:\n" + tail;
  }

  @Override
  public String toString() {
    return String.join(" ", command);
  }
}

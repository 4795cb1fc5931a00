package dev.ralph.cli.progress;

import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.cli.call.AcpCommand;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the user's commands on events of a loop, sequentially in a background thread. The loop waits
 * for the commands only at its end. A failing command has no effect on the loop.
 */
public final class Hooks implements AutoCloseable {

  private static final List<String> KINDS = List.of("question", "failure", "end");
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Duration GRACE = Duration.ofSeconds(1);

  /** The time limit for pending and running commands at the end of the loop. */
  private static final Duration AT_THE_END = LIMIT.plusSeconds(5);

  private static final int KEPT_OUTPUT = 2_000;

  private final Map<String, List<String>> commands;
  private final Map<String, String> variables;
  private final Path directory;
  private final Consumer<String> warnings;
  private final @Nullable ExecutorService runner;

  /**
   * @param commands argument vectors by kind of event
   * @param variables environment variables of a hook
   * @param warnings receives failures, from another thread
   */
  private Hooks(
      Map<String, List<String>> commands,
      Map<String, String> variables,
      Path directory,
      Consumer<String> warnings) {
    this.commands = commands;
    this.variables = variables;
    this.directory = directory;
    this.warnings = warnings;
    this.runner =
        commands.isEmpty()
            ? null
            : Executors.newSingleThreadExecutor(
                work -> {
                  Thread thread = new Thread(work, "ralph-hooks");
                  thread.setDaemon(true);
                  return thread;
                });
  }

  /** Adds the options that name the commands. */
  public static CommandSyntax addTo(CommandSyntax syntax) {
    return syntax
        .value("on-question", "COMMAND", "run this command for each question to the operator")
        .value("on-failure", "COMMAND", "run this command for each failed iteration")
        .value("on-end", "COMMAND", "run this command at the end of the loop");
  }

  /** Returns hooks without commands. */
  public static Hooks none() {
    return new Hooks(Map.of(), Map.of(), Path.of(""), warning -> {});
  }

  /**
   * Returns the hooks of a call.
   *
   * @param store the address of the store in the format of {@code --store}
   * @throws UsageException if a command line is invalid
   */
  public static Hooks of(Invocation call, String session, String store) {
    Map<String, List<String>> commands = new HashMap<>();
    for (String kind : KINDS) {
      String line = call.arguments().text("on-" + kind);
      if (line != null) {
        commands.put(kind, AcpCommand.words(call.arguments().written("on-" + kind, 0), line));
      }
    }
    return new Hooks(
        commands,
        Map.of("RALPH_SESSION", session, "RALPH_STORE", store),
        call.environment().directory(),
        warning -> {
          call.warn("warning: " + warning);
          call.environment().err().flush();
        });
  }

  /** Schedules the command for an event, if any. */
  public void event(LoopEvent event) {
    String kind = kind(event);
    List<String> command = commands.get(kind);
    if (command != null && runner != null) {
      runner.execute(() -> run(kind, command, event));
    }
  }

  private static String kind(LoopEvent event) {
    return switch (event.type()) {
      case QUESTION -> "question";
      case ITERATION_ENDED -> isFailure(event) ? "failure" : "";
      case LOOP_ENDED -> "end";
      default -> "";
    };
  }

  /** Returns whether an event reports a failed iteration. A rate limit is not a failure. */
  static boolean isFailure(LoopEvent event) {
    return event instanceof LoopEvent.IterationEnded ended
        && (ended.status() == Iteration.Status.FAILURE
            || ended.status() == Iteration.Status.TIMEOUT);
  }

  private void run(String kind, List<String> command, LoopEvent event) {
    String wrong;
    try {
      wrong = outcome(kind, command, event);
    } catch (RalphException cannotStart) {
      wrong = String.valueOf(cannotStart.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      wrong = "ended with the loop";
    }
    if (wrong.isEmpty()) {
      return;
    }
    try {
      warnings.accept("--on-" + kind + " " + CommandLineWords.join(command) + ": " + wrong);
    } catch (OutputException nobodyReads) {
      // without a reader, nobody misses the warning
    }
  }

  /** Runs a hook to its end; returns the problem, or an empty text on success. */
  private String outcome(String kind, List<String> command, LoopEvent event)
      throws InterruptedException {
    ProcessSpec.Builder spec =
        ProcessSpec.command(command)
            .directory(directory)
            .environment("RALPH_EVENT", kind)
            .stdin(EventForm.json(event) + "\n")
            .mergeStderr();
    variables.forEach(spec::environment);
    CommandResult answer = spec.run(LIMIT, GRACE, KEPT_OUTPUT);
    if (answer.isLate()) {
      return "ended after " + LIMIT.toSeconds() + " s";
    }
    return answer.isGood() ? "" : answer.exit().words() + lastLine(answer.output());
  }

  private static String lastLine(String said) {
    List<String> lines = new ArrayList<>(said.lines().toList());
    lines.removeIf(String::isBlank);
    return lines.isEmpty() ? "" : ", " + SafeText.printed(lines.get(lines.size() - 1)).strip();
  }

  /**
   * Waits for the hooks for a limited time, and then ends the remaining hooks. The interrupt that
   * ended the loop does not end the hooks; a further interrupt does. The thread's interrupt status
   * is kept.
   */
  @Override
  public void close() {
    if (runner == null) {
      return;
    }
    runner.shutdown();
    boolean interrupted = Thread.interrupted();
    try {
      if (!runner.awaitTermination(AT_THE_END.toMillis(), TimeUnit.MILLISECONDS)) {
        runner.shutdownNow();
        runner.awaitTermination(GRACE.toMillis() * 2, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      runner.shutdownNow();
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

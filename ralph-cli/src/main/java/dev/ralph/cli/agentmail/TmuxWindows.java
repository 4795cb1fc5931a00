package dev.ralph.cli.agentmail;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The windows of the current tmux session. The name of an agent is the name of its window; windows
 * with the same name share a mailbox.
 */
final class TmuxWindows {

  private static final Duration PATIENCE = Duration.ofSeconds(3);

  /** The maximum output in bytes. */
  private static final int MOST_SAID = 1024 * 1024;

  /** Forces UTF-8 for every locale; otherwise tmux replaces other letters by underscores. */
  private static final List<String> TMUX = List.of("tmux", "-u");

  private final String own;
  private final List<String> names;

  private TmuxWindows(String own, List<String> names) {
    this.own = own;
    this.names = names;
  }

  /**
   * Queries tmux.
   *
   * @param variables the environment variables: {@code TMUX} identifies the server, and {@code
   *     TMUX_PANE} the pane of this process, independent of the active window
   * @throws RalphException UNSUPPORTED outside tmux, or if tmux fails
   */
  static TmuxWindows current(Map<String, String> variables) {
    requireTmux(variables);
    String pane = variables.getOrDefault("TMUX_PANE", "");
    List<String> command = new ArrayList<>(TMUX);
    command.add("display-message");
    target(command, pane);
    command.addAll(List.of("-p", "#{window_name}", ";", "list-windows"));
    target(command, pane);
    command.addAll(List.of("-F", "#{window_name}"));
    List<String> lines = run(command, variables);
    if (lines.isEmpty()) {
      throw RalphException.unsupported("tmux does not report the name of this window");
    }
    return new TmuxWindows(lines.get(0), List.copyOf(lines.subList(1, lines.size())));
  }

  /**
   * Validates that the variables indicate a tmux session.
   *
   * @throws RalphException UNSUPPORTED outside tmux
   */
  static void requireTmux(Map<String, String> variables) {
    if (variables.getOrDefault("TMUX", "").isEmpty()) {
      throw RalphException.unsupported("agentmail must run inside a tmux session");
    }
  }

  private static void target(List<String> command, String pane) {
    if (!pane.isEmpty()) {
      command.add("-t");
      command.add(pane);
    }
  }

  private static List<String> run(List<String> command, Map<String, String> variables) {
    ProcessSpec.Builder spec = ProcessSpec.command(command).mergeStderr().leavesNothing();
    for (String name : List.of("TMUX", "TMUX_PANE", "TMUX_TMPDIR")) {
      String value = variables.get(name);
      if (value != null) {
        spec.environment(name, value);
      } else {
        spec.withoutEnvironment(name);
      }
    }
    CommandResult answer;
    try {
      answer = spec.run(PATIENCE, Duration.ZERO, MOST_SAID);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.unsupported("interrupted while waiting for tmux", e);
    } catch (RalphException e) {
      throw RalphException.unsupported("cannot start tmux; install tmux", e);
    }
    if (answer.isLate()) {
      throw RalphException.unsupported(
          "tmux has not answered for "
              + PATIENCE.toSeconds()
              + " s; check if the tmux server is stopped");
    }
    if (!answer.isGood()) {
      throw RalphException.unsupported(
          "tmux failed with exit code " + answer.exit().code() + ": " + answer.line());
    }
    String text = answer.output();
    return text.isEmpty() ? List.of() : List.of(text.split("\n"));
  }

  /** Returns the name of this process's window. */
  String own() {
    return own;
  }

  /** Returns the names of the session's windows in tmux's order. Names may repeat. */
  List<String> names() {
    return names;
  }
}

package dev.ralph.agentmail;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The windows of the tmux session that this process runs in. Agents are called by the names of
 * their windows; windows of one name share a mailbox.
 */
public final class TmuxWindows {

  private static final Duration PATIENCE = Duration.ofSeconds(3);

  /** Written in UTF-8 whatever the locale, or tmux would put underscores for other letters. */
  private static final List<String> TMUX = List.of("tmux", "-u");

  private final String own;
  private final List<String> names;

  private TmuxWindows(String own, List<String> names) {
    this.own = own;
    this.names = names;
  }

  /**
   * Asks tmux.
   *
   * @param variables the environment variables: {@code TMUX} says which server, {@code TMUX_PANE}
   *     which pane this is, whatever window is in front
   * @throws RalphException UNSUPPORTED if this is not within tmux, or if tmux fails
   */
  public static TmuxWindows current(Map<String, String> variables) {
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
      throw RalphException.unsupported("tmux does not say which window this is");
    }
    return new TmuxWindows(lines.get(0), List.copyOf(lines.subList(1, lines.size())));
  }

  /**
   * Checks that this is within tmux, as far as the variables say.
   *
   * @throws RalphException UNSUPPORTED if it is not
   */
  public static void requireTmux(Map<String, String> variables) {
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
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    for (String name : List.of("TMUX", "TMUX_PANE", "TMUX_TMPDIR")) {
      String value = variables.get(name);
      if (value != null) {
        environment.put(name, value);
      } else {
        environment.remove(name);
      }
    }
    Process tmux;
    try {
      tmux = builder.start();
    } catch (IOException e) {
      throw RalphException.unsupported("tmux can't be started; install it", e);
    }
    try {
      tmux.getOutputStream().close();
      return said(tmux);
    } catch (IOException e) {
      throw RalphException.unsupported("tmux does not answer: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.unsupported("interrupted while waiting for tmux", e);
    } finally {
      tmux.destroyForcibly();
    }
  }

  /** The server has the ends of the pipes too, so reading need not end with the process. */
  private static List<String> said(Process tmux) throws InterruptedException {
    AtomicReference<String> said = new AtomicReference<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                byte[] bytes = tmux.getInputStream().readAllBytes();
                said.set(new String(bytes, StandardCharsets.UTF_8));
              } catch (IOException e) {
                said.set(String.valueOf(e.getMessage()));
              }
            },
            "ralph-agentmail-tmux");
    reader.setDaemon(true);
    reader.start();
    reader.join(PATIENCE.toMillis());
    String text = said.get();
    if (text == null || !tmux.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      throw RalphException.unsupported(
          "tmux has not answered for " + PATIENCE.toSeconds() + " s; look whether it is stopped");
    }
    if (tmux.exitValue() != 0) {
      throw RalphException.unsupported(
          "tmux failed with exit code " + tmux.exitValue() + ": " + text.strip());
    }
    return text.isEmpty() ? List.of() : List.of(text.split("\n"));
  }

  /** Returns the name of the window that this process runs in. */
  public String own() {
    return own;
  }

  /** Returns the names of the session's windows, in tmux's order; a name may be there twice. */
  public List<String> names() {
    return names;
  }
}

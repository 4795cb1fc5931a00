package dev.ralph.mail;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A tmux server for one test, with its own socket and one session. Tests that need tmux fail if it
 * is not installed.
 */
public final class TmuxServer {

  private static final String SOCKET = "ralph";

  private final Path folder;

  private TmuxServer(Path folder) {
    this.folder = folder;
  }

  /**
   * Starts a server.
   *
   * @param folder the working directory of windows; must be short, because socket paths are limited
   * @param window the name of the first window
   */
  public static TmuxServer in(Path folder, String window) throws Exception {
    TmuxServer server = new TmuxServer(folder);
    server.tmux("new-session", "-d", "-s", "test", "-x", "120", "-y", "40", "-n", window);
    return server;
  }

  /** Opens a window after all others, and returns its pane. */
  public String window(String name) throws Exception {
    return tmux("new-window", "-d", "-t", "test", "-n", name, "-P", "-F", "#{pane_id}");
  }

  /** Returns the pane of the window with a name. */
  public String pane(String window) throws Exception {
    return tmux("list-panes", "-a", "-F", "#{window_name} #{pane_id}")
        .lines()
        .filter(line -> line.startsWith(window + " "))
        .map(line -> line.substring(window.length() + 1))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the environment variables that tmux sets for processes in a pane. */
  public Map<String, String> variables(String pane) throws Exception {
    Map<String, String> variables = new HashMap<>();
    variables.put("TMUX", tmux("display-message", "-p", "#{socket_path},#{pid},0"));
    variables.put("TMUX_PANE", pane);
    return variables;
  }

  /** Runs a tmux command, and returns its output without the last line break. */
  public String tmux(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("tmux", "-u", "-f", "/dev/null", "-L", SOCKET));
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.directory(folder.toFile());
    builder.environment().keySet().removeAll(List.of("TMUX", "TMUX_PANE"));
    builder.environment().put("TMUX_TMPDIR", folder.toString());
    // The startup files of the user's own shell may take a minute.
    builder.environment().put("SHELL", "/bin/sh");
    builder.environment().put("HOME", folder.toString());
    Process tmux = builder.start();
    String said = new String(tmux.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(tmux.waitFor()).as(said).isZero();
    return said.stripTrailing();
  }

  /** Stops the server and all processes in its windows. */
  public void end() throws Exception {
    tmux("kill-server");
  }
}

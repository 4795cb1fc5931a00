package dev.ralph.cli.agentmail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import dev.ralph.mail.TmuxServer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reads the names of agents from the windows of a real tmux session. */
@Timeout(120)
class TmuxWindowsTest {

  @TempDir Path folder;
  private TmuxServer server;

  @BeforeEach
  void start() throws Exception {
    server = TmuxServer.in(folder, "ann");
  }

  @AfterEach
  void end() throws Exception {
    server.end();
  }

  private TmuxWindows windows(String pane) throws Exception {
    return TmuxWindows.current(server.variables(pane));
  }

  @Test
  void agentName_isNameOfOwnWindow() throws Exception {
    String bob = server.window("bob");

    assertThat(server.tmux("display-message", "-p", "#W")).isEqualTo("ann");
    assertThat(windows(bob).own()).isEqualTo("bob");
    assertThat(windows(bob).names()).containsExactly("ann", "bob");
    assertThat(windows(server.pane("ann")).own()).isEqualTo("ann");
  }

  @Test
  void secondPane_hasNameOfWindow() throws Exception {
    String second = server.tmux("split-window", "-d", "-P", "-F", "#{pane_id}");

    assertThat(windows(second).own()).isEqualTo("ann");
    assertThat(windows(second).names()).containsExactly("ann");
  }

  @Test
  void renamedWindow_hasNewName() throws Exception {
    String pane = server.window("bob");
    server.tmux("rename-window", "-t", pane, "rob");

    assertThat(windows(pane).own()).isEqualTo("rob");
    assertThat(windows(pane).names()).containsExactly("ann", "rob");
  }

  @Test
  void windowsWithEqualName_areBothListed() throws Exception {
    String first = server.window("bob");
    String second = server.window("bob");

    assertThat(windows(first).own()).isEqualTo("bob");
    assertThat(windows(second).names()).containsExactly("ann", "bob", "bob");
  }

  @Test
  void unusualWindowName_isKept() throws Exception {
    String pane = server.window("größe 大 😀 a;b $HOME");

    assertThat(windows(pane).own()).isEqualTo("größe 大 😀 a;b $HOME");
    assertThat(windows(pane).names()).contains("größe 大 😀 a;b $HOME");
  }

  @Test
  void windowsOfForeignSession_areHidden() throws Exception {
    server.tmux("new-session", "-d", "-s", "other", "-n", "eve");
    String eve = server.pane("eve");

    assertThat(windows(eve).names()).containsExactly("eve");
    assertThat(windows(server.pane("ann")).names()).containsExactly("ann");
  }

  @Test
  void missingPane_usesCurrentWindow() throws Exception {
    Map<String, String> variables = server.variables("");

    assertThat(TmuxWindows.current(variables).own()).isEqualTo("ann");
  }

  @Test
  void outsideTmux_isRefused() {
    refuses(Map.of(), "inside a tmux session");
    refuses(Map.of("TMUX", ""), "inside a tmux session");
  }

  @Test
  void missingServerOrPane_isReported() throws Exception {
    refuses(Map.of("TMUX", folder.resolve("none") + ",1,0", "TMUX_PANE", "%0"), "none");
    refuses(server.variables("%99"), "%99");
    refuses(server.variables("; kill-server"), "tmux failed");
    assertThat(windows(server.pane("ann")).own()).isEqualTo("ann");
  }

  @Test
  void hangingServer_isAbandoned() throws Exception {
    Map<String, String> variables = server.variables(server.pane("ann"));
    String pid = server.tmux("display-message", "-p", "#{pid}");
    assertThat(new ProcessBuilder("kill", "-STOP", pid).start().waitFor()).isZero();
    try {
      refuses(variables, "has not answered");
    } finally {
      assertThat(new ProcessBuilder("kill", "-CONT", pid).start().waitFor()).isZero();
    }
  }

  private static void refuses(Map<String, String> variables, String explanation) {
    assertThatThrownBy(() -> TmuxWindows.current(variables))
        .isInstanceOfSatisfying(
            RalphException.class,
            e -> assertThat(e.code()).isEqualTo(RalphException.Code.UNSUPPORTED))
        .hasMessageContaining(explanation);
  }
}

package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.agents.internal.ClientCheck.Login;
import dev.ralph.agents.internal.ClientCheck.Result;
import dev.ralph.cli.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
class ClientSelectionTest {

  @TempDir Path folder;
  private Terminal terminal;
  private Path bin;

  @BeforeEach
  void emptyPath() throws IOException {
    bin = Files.createDirectory(folder.resolve("bin"));
    terminal = new Terminal(folder).with("PATH", bin.toString());
  }

  private void install(String client, String script) throws IOException {
    Path program = Files.writeString(bin.resolve(client), "#!/bin/sh\n" + script + "\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
  }

  /** Answers {@code --version}, and fails as an agent. */
  private void install(String client) throws IOException {
    install(client, "[ \"$1\" = --version ] && echo '" + client + " 1.0' && exit 0; exit 9");
  }

  private Terminal.Result build(String... more) {
    String[] words = new String[more.length + 4];
    System.arraycopy(new String[] {"build", "Work", "--max-failures", "1"}, 0, words, 0, 4);
    System.arraycopy(more, 0, words, 4, more.length);
    return terminal.call(words);
  }

  private static Result result(boolean works, String version) {
    return new Result(works, version, Login.UNKNOWN, "");
  }

  @Test
  void onlyWorkingClients_areOffered() {
    Map<String, Result> found = new LinkedHashMap<>();
    found.put("opencode", result(false, "exit code 127"));
    found.put("claude", result(true, "2.1"));
    found.put("codex", result(true, "0.1"));

    assertThat(ClientSelection.working(found)).containsExactly("claude", "codex");
    assertThat(ClientSelection.several(List.of("claude", "codex")))
        .isEqualTo(
            "several agent clients are installed: claude, codex; choose a client with --agent"
                + " claude or --agent codex, or with agent = NAME in .ralph.conf");
    assertThat(ClientSelection.noneWorks(Map.of()))
        .startsWith("no agent client is on the PATH; install a client: opencode (npm install -g")
        .endsWith("; or run another agent with --agent COMMAND");
    assertThat(ClientSelection.noneWorks(Map.of("codex", result(false, "exit code 1"))))
        .startsWith("'codex --version' failed: exit code 1; install a client: ");
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {"1,claude", "2,codex", "codex,codex", "CODEX,codex", "0,-", "3,-", "'',-", "x,-"})
  void answer_isNumberOrName(String answer, String client) {
    assertThat(ClientSelection.chosen(List.of("claude", "codex"), answer)).isEqualTo(client);
  }

  @Test
  void onlyClient_runsBuild() throws IOException {
    install("codex");
    terminal.terminals("012");

    Terminal.Result result = build();

    assertThat(result.out())
        .contains("\n  agent: codex\n")
        .contains("\n  permissions: write in the folder and its repository, no network (--sandbox");
  }

  /** AWS Copilot CLI has the same name as the client. */
  @Test
  void acpClient_runsBuild() throws IOException {
    install("copilot", "echo 'copilot version: v1.34.0'");
    install("gemini", "[ \"$1\" = --version ] && echo 0.61.0 && exit 0; exit 9");
    terminal.terminals("012");

    Terminal.Result result = build();

    assertThat(result.out())
        .contains("\n  agent: gemini\n")
        .contains("permissions: each request of the agent is allowed; the folder is trusted (--");
    assertThat(build("--agent-mode", "plan", "--agent", "gemini").code()).isEqualTo(5);
    assertThat(build("--port", "1", "--agent", "gemini").err()).contains("--port is for opencode");
  }

  @Test
  void pipe_namesClient() throws IOException {
    install("codex");
    install("claude", "exit 1");

    assertThat(build().err()).contains("agent: codex, the only working client on the PATH\n");
  }

  @Test
  void brokenClient_isNotChosen() throws IOException {
    install("claude", "exit 127");
    install("opencode", "echo 'no \u001b[2J library' >&2; exit 1");

    Terminal.Result result = build();

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .contains("'opencode --version' failed: exit code 1, no ")
        .contains("'claude --version' failed: exit code 127")
        .doesNotContain("\u001b");
    assertThat(folder.resolve(".ralph")).doesNotExist();
  }

  @Test
  void severalClients_areAnErrorWithoutTerminal() throws IOException {
    install("claude");
    install("codex");

    for (String[] words : new String[][] {{}, {"--json"}}) {
      Terminal.Result result = build(words);

      assertThat(result.code()).isEqualTo(2);
      assertThat(result.out() + result.err())
          .contains("several agent clients are installed: claude, codex", "--agent codex");
    }
    assertThat(folder.resolve(".ralph")).doesNotExist();
  }

  @Test
  void severalClients_areChosenOnTerminal() throws IOException {
    install("claude");
    install("codex");
    terminal.terminals("012");

    Terminal.Result result =
        terminal.type("no\n2\n", "build", "Work", "--max-failures", "1", "-n", "shop");

    assertThat(result.err())
        .contains("  1  claude  claude 1.0\n  2  codex  codex 1.0\n")
        .contains("Which client runs this build? [1-2] Which client runs this build? [1-2] ")
        .contains("to use codex always: add agent = codex to .ralph.conf");
    assertThat(result.out()).contains("\n  agent: codex\n");
  }

  @Test
  void configuredClient_isNotAskedFor() throws IOException {
    install("claude");
    install("codex");
    Files.writeString(folder.resolve(".ralph.conf"), "agent = codex\n");
    terminal.terminals("012");

    assertThat(build("--yes").out()).contains("\n  agent: codex\n");
  }

  @Test
  void givenAgent_isNotChecked() throws IOException {
    install("codex", "exit 1");

    assertThat(build("--agent", "codex").code()).isEqualTo(5);
  }

  @Test
  void missingClients_areNamedWithTheirInstallation() {
    Terminal.Result result = build();

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .contains("no agent client is on the PATH", "npm install -g @anthropic-ai/claude-code");
  }
}

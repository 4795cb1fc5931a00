package dev.ralph.agents.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.agents.internal.ClientCheck.Login;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scripts that print the output of the real clients. */
@Timeout(300)
class ClientCheckTest {

  @TempDir Path folder;

  private Path program(String client, String script) throws Exception {
    Path program = Files.writeString(folder.resolve(client), "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return program;
  }

  private ClientCheck.Result ask(String client, String script) throws Exception {
    Path program = program(client, script);
    try (ClientCheck check = ClientCheck.start(client, program)) {
      return check.await();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "claude   | auth status | {\"loggedIn\": true}            | 0 | YES",
        "claude   | auth status | {\"loggedIn\": false}           | 1 | NO",
        "claude   | auth status | Unknown command                 | 1 | UNKNOWN",
        "codex    | login status | Logged in using ChatGPT        | 0 | YES",
        "codex    | login status | Not logged in                  | 1 | NO",
        "codex    | login status | No such command                | 2 | UNKNOWN",
        "opencode | auth list   | 0 credentials                   | 0 | UNKNOWN",
        "opencode | auth list   | 2 credentials                   | 0 | YES",
        "opencode | auth list   | 0 credentials, 1 environment variable | 0 | YES",
        "kilo     | auth list   | 0 credentials                   | 0 | UNKNOWN",
        "kilo     | auth list   | 1 credential                    | 0 | YES",
      })
  void login_isReadFromClientOutput(
      String client, String command, String says, int code, Login login) throws Exception {
    ClientCheck.Result result =
        ask(
            client,
            "case $* in\n--version) echo 1.2.3 ;;\n'"
                + command
                + "') echo '"
                + says
                + "'; exit "
                + code
                + " ;;\n*) exit 9 ;;\nesac\n");

    assertThat(result.login()).isEqualTo(login);
    assertThat(result.works()).isTrue();
    assertThat(result.version()).startsWith("1.2.3, tested with ");
    assertThat(result.logIn()).contains(client);
  }

  @Test
  void warnings_areNotPartOfVersion() throws Exception {
    assertThat(ask("codex", "echo 'WARNING: none' >&2\nsleep 0.1\necho codex 1\n").version())
        .isEqualTo("codex 1, tested with 0.169.0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "copilot | COPILOT_GITHUB_TOKEN=x             | YES",
        "copilot | GH_TOKEN=x                         | YES",
        "copilot | GITHUB_TOKEN=x                     | YES",
        "copilot | COPILOT_PROVIDER_BASE_URL=http://x | YES",
        "copilot | GH_TOKEN=                          | UNKNOWN",
        "copilot | GEMINI_API_KEY=x                   | UNKNOWN",
        "gemini  | GOOGLE_GEMINI_BASE_URL=http://x    | YES",
        "gemini  | GEMINI_API_KEY=x                   | UNKNOWN",
      })
  void login_isReadFromEnvironment(String client, String variable, Login login) {
    int equals = variable.indexOf('=');
    Map<String, String> variables =
        Map.of(variable.substring(0, equals), variable.substring(equals + 1));

    assertThat(ClientCheck.loginWithoutCommand(client, variables)).isEqualTo(login);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"security\":{\"auth\":{\"selectedType\" : \"oauth-personal\"}}} | YES",
        "{\"security\":{\"auth\":{\"selectedType\":\"\"}}}                  | UNKNOWN",
        "{\"ui\":{}}                                                          | UNKNOWN",
      })
  void geminiLogin_isReadFromSettings(String settings, Login login) throws Exception {
    Path file = Files.createDirectory(folder.resolve(".gemini")).resolve("settings.json");
    Map<String, String> variables = Map.of("HOME", folder.toString());
    Files.createDirectory(file);
    assertThat(ClientCheck.loginWithoutCommand("gemini", variables)).isEqualTo(Login.UNKNOWN);
    Files.delete(file);
    Files.writeString(file, settings);

    assertThat(ClientCheck.loginWithoutCommand("gemini", variables)).isEqualTo(login);
    assertThat(ClientCheck.loginWithoutCommand("gemini", Map.of("HOME", "\0")))
        .isEqualTo(Login.UNKNOWN);
  }

  @Test
  void hintAfterVersion_isNotPartOfVersion() throws Exception {
    assertThat(ask("copilot", "echo 'GitHub Copilot CLI 1.0.102.'; echo 'Run update.'").version())
        .isEqualTo("GitHub Copilot CLI 1.0.102");
  }

  /** The AWS Copilot CLI has the same name. */
  @Test
  void awsCopilot_isNoClient() throws Exception {
    String script = "echo 'copilot version: v1.34.0'";
    ClientCheck.Result result = ask("copilot", script);

    assertThat(result.works()).isFalse();
    assertThat(result.version()).startsWith("another program: copilot version: v1.34.0; ");
    assertThat(
            ClientCheck.versions(
                Map.of("copilot", program("copilot", script)), Duration.ofSeconds(60)))
        .isEqualTo(
            Map.of(
                "copilot",
                new ClientCheck.Result(false, result.version(), Login.UNKNOWN, result.logIn())));
  }

  @Test
  void failingClient_isReportedWithReason() throws Exception {
    ClientCheck.Result result = ask("codex", "echo 'no such library' >&2\nexit 127\n");

    assertThat(result.works()).isFalse();
    assertThat(result.version()).contains("127", "no such library");
  }

  /** One time limit covers all clients, and no program is left. */
  @Test
  void versions_areReadAtOnce() throws Exception {
    Map<String, Path> programs = new LinkedHashMap<>();
    programs.put("codex", program("codex", "echo 'codex 1'"));
    programs.put("opencode", program("opencode", "exec sleep 600"));
    programs.put("claude", program("claude", "echo 'no library' >&2; exit 127"));

    Map<String, ClientCheck.Result> results = ClientCheck.versions(programs, Duration.ofSeconds(3));

    assertThat(results.keySet()).containsExactly("codex", "opencode", "claude");
    assertThat(results.get("codex").version()).isEqualTo("codex 1");
    assertThat(results.get("opencode").version()).isEqualTo("no answer within 3s");
    assertThat(results.get("claude").version()).isEqualTo("exit code 127, no library");
    assertThat(results.values().stream().map(ClientCheck.Result::works))
        .containsExactly(true, false, false);
  }

  @Test
  void endlessOutput_isNotKept() throws Exception {
    Path program = program("codex", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxx; done");

    Map<String, ClientCheck.Result> results =
        ClientCheck.versions(Map.of("codex", program), Duration.ofSeconds(1));

    assertThat(results.get("codex").works()).isFalse();
  }

  @Test
  void unstartableClient_isReportedWithReason() throws Exception {
    try (ClientCheck check = ClientCheck.start("claude", folder.resolve("nowhere"))) {
      ClientCheck.Result result = check.await();

      assertThat(result.works()).isFalse();
      assertThat(result.version()).contains("nowhere");
      assertThat(result.login()).isEqualTo(Login.UNKNOWN);
    }
  }

  @Test
  void unknownClient_isRejected() {
    assertThatThrownBy(() -> ClientCheck.start("emacs", folder))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("codex");
  }
}

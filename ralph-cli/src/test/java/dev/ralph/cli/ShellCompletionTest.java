package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The completions of partial command lines. */
class ShellCompletionTest {

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void beginASession() {
    terminal = new Terminal(folder);
    terminal.call("task", "add", "-n", "auth", "Write the form\nin HTML");
    terminal.call("task", "add", "-n", "auth", "Test it");
    terminal.call("message", "-n", "docs", "hello");
    terminal.call("ask", "-n", "auth", "Which port?");
  }

  /** Returns the completions, separated by spaces. */
  private String next(String typed) {
    Result result = terminal.pipe(typed.replace(" ", "\n") + "\n", "completion", "words");
    assertThat(result.code()).isZero();
    assertThat(result.err()).isEmpty();
    List<String> words = result.out().lines().map(line -> line.split("\t", -1)[0]).toList();
    return String.join(" ", words);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "s                          | status sessions stop serve",
        "tas                        | tasks task",
        "--v                        | --version",
        "task d                     | done depend",
        "help task cl               | claim",
        "inbox r                    | read",
        "tasks --r                  | --ready",
        "tasks --ready --re         | ''",
        "task add --depends t1 --dep| --depends",
        "tasks -n                   | ''",
        "tasks --name a             | auth",
        "tasks -n d                 | docs",
        "tasks --name=a             | --name=auth",
        "tasks --name = a           | auth",
        "tasks --name =             | auth docs",
        "tasks --status c           | completed cancelled",
        "build --agent c            | claude codex copilot",
        "build --agent-permission a | allow ask",
        "note add --type l          | learning",
        "task show -n auth t        | t1 t2",
        "task status -n auth t1 b   | blocked",
        "answer -n auth q           | q1",
        "inbox read -n docs m       | m1",
        "inbox read -n docs m1 m    | ''",
        "inbox read -n nobody m     | ''",
        "agen                       | agent agentmail",
        "agent s                    | session status",
        "agent session n            | next-story",
        "help agent task d          | done",
        "agent session init --c     | --change --create",
        "agent session list --      | --all --store --json --help",
        "completion b               | bash",
        "export x                   | ''",
        "tasks --store nowhere -n a | ''",
        "xyzzy a                    | ''",
      })
  void typedText_isCompletedWithCandidates(String typed, String words) {
    assertThat(next(typed)).isEqualTo(words);
  }

  @Test
  void changeOption_isCompletedWithChanges() throws IOException {
    assertThat(next("agent session init --change ")).isEmpty();
    OpenSpecProject.copyTo(folder);
    assertThat(next("agent session init --change ")).isEqualTo("add-login");
    assertThat(next("agent session resume --change=a")).isEqualTo("--change=add-login");
  }

  @Test
  void everyCommand_isCompleted() {
    for (String name : Commands.NAMES) {
      assertThat((" " + next(name) + " "))
          .contains(" " + name.substring(name.lastIndexOf(' ') + 1) + " ");
    }
    assertThat(next("tasks --name ")).isEqualTo("auth docs");
  }

  @Test
  void candidates_haveDescriptions() {
    assertThat(terminal.pipe("taske\n", "completion", "words").out()).isEmpty();
    assertThat(terminal.pipe("tasks\n", "completion", "words").out())
        .isEqualTo("tasks\tlist the tasks of a session\n");
    assertThat(
            terminal
                .with("RALPH_SESSION", "auth")
                .pipe("task\nshow\nt1\n", "completion", "words")
                .out())
        .isEqualTo("t1\tWrite the form\n");
  }

  @Test
  void unknownShell_isRefused() {
    Result result = terminal.call("completion", "csh");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("'csh'; use bash, zsh, fish").hasLineCount(1);
  }

  /** Creates a program that records its input and prints completions. */
  private Path writeRalph() throws IOException {
    Path ralph =
        Files.writeString(
            folder.resolve("ralph"),
            """
            #!/bin/sh
            [ "$*" = "completion words" ] || exit 2
            cat >"${0%/*}/asked"
            printf 'auth\\tfirst: * one\\nauto\\tsecond\\n'
            """);
    assertThat(ralph.toFile().setExecutable(true)).isTrue();
    return ralph;
  }

  @Test
  @Timeout(value = 300, unit = TimeUnit.SECONDS)
  void bashScript_asksAndShowsCandidates() throws Exception {
    Path ralph = writeRalph();
    Files.writeString(folder.resolve("script"), terminal.call("completion", "bash").out());
    String shell =
        """
        set -eu
        . ./script
        complete -p ralph
        COMP_WORDS=(%s tasks --name = au) COMP_CWORD=4
        _ralph %s au =
        printf '%%s\\n' "${COMPREPLY[@]}"
        """
            .formatted(ralph, ralph);

    Process bash =
        new ProcessBuilder("bash", "--norc", "-c", shell)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(bash.waitFor()).as(said).isZero();
    assertThat(said).endsWith("-F _ralph ralph\nauth\nauto\n");
    assertThat(folder.resolve("asked")).hasContent("tasks\n--name\n=\nau\n");
  }
}

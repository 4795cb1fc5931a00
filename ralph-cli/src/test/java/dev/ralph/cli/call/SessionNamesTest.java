package dev.ralph.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands never ignore a typing error in the name of a session. */
class SessionNamesTest {

  @TempDir Path folder;
  private Terminal terminal;
  private Path store;

  @BeforeEach
  void beginASession() {
    terminal = new Terminal(folder);
    store = folder.resolve(".ralph/store");
    assertThat(terminal.call("task", "add", "-n", "auth", "--create", "one").code()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pause",
        "resume",
        "stop",
        "stop --gone",
        "complete",
        "status",
        "status --at 2100-01-01",
        "tasks",
        "tasks --at 2000-01-01",
        "inbox",
        "inbox read m1",
        "notes",
        "iterations",
        "questions",
        "answer q1 8080",
        "watch",
        "log",
        "export",
        "task show t1",
        "task status t1 completed",
        "task claim t1 --owner me",
        "task claim --next --owner me",
        "task renew t1 --token x",
        "task release t1",
        "task done t1",
        "task block t1 why",
        "task depend t1 t2",
      })
  void unknownSession_isRefusedWithNearest(String command) {
    Result result = terminal.call((command + " -n atuh").split(" "));

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .isEqualTo("ralph: no session 'atuh' in " + store + "; did you mean 'auth'?\n");
    assertThat(terminal.sessions()).containsExactly("auth");
  }

  @Test
  void sessionFromEnvironment_isChecked() {
    assertThat(terminal.with("RALPH_SESSION", "atuh").call("pause").err())
        .isEqualTo(
            "ralph: no session 'atuh' (from RALPH_SESSION) in "
                + store
                + "; did you mean 'auth'?\n");
    assertThat(terminal.call("tasks", "-n", "auth").err()).isEmpty();
  }

  @Test
  void unknownSessionWithoutNearName_listsSessions() {
    terminal.call("message", "-n", "docs", "hello");

    assertThat(terminal.call("tasks", "-n", "something-else").err())
        .endsWith(" in " + store + "; existing sessions: 'auth', 'docs'\n")
        .hasLineCount(1);
    for (int i = 0; i < 20; i++) {
      terminal.call("message", "-n", "s" + i, "hello");
    }
    assertThat(terminal.call("tasks", "-n", "something-else").err())
        .endsWith("; ralph sessions lists the sessions\n");
  }

  @Test
  void emptyStore_explainsFirstCommand() {
    Ralph.open(folder.resolve("empty")).close();

    assertThat(terminal.call("tasks", "-n", "auth", "--store", "empty").err())
        .isEqualTo(
            "ralph: no session 'auth' in "
                + folder.resolve("empty")
                + ", which has no sessions; start a session with ralph build, task add or message\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "message hello",
        "task add two",
        "note add --type tip text",
        "ask why?",
        "build --agent true -i 1 --prompt x --quiet",
      })
  void newSession_isAnnouncedOnce(String command) {
    Result first = terminal.call((command + " -n atuh").split(" "));
    assertThat(first.code()).isIn(0, 3);
    assertThat(first.err())
        .isEqualTo("ralph: 'atuh' is a new session in " + store + "; did you mean 'auth'?\n");
    Result again = terminal.call((command + " -n atuh").split(" "));
    assertThat(again.err()).isEmpty();
    Result other = terminal.call((command + " -n quite-different").split(" "));
    assertThat(other.err())
        .isEqualTo("ralph: 'quite-different' is a new session in " + store + "\n");
    assertThat(terminal.sessions()).containsExactly("atuh", "auth", "quite-different");
  }

  @ParameterizedTest
  @ValueSource(strings = {"message hello", "task add two", "build --agent true -i 1 --prompt x"})
  void newSessionNameLikeOption_isRefused(String command) {
    Result refused = terminal.call((command + " --name=-x").split(" "));
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err())
        .isEqualTo(
            "ralph: the name of a new session must not begin with '-': '-x' looks like an"
                + " option\n");
    assertThat(terminal.sessions()).containsExactly("auth");
  }

  @Test
  void existingSessionNameLikeOption_isReachable() {
    try (Ralph ralph = Ralph.open(store)) {
      ralph.session("-x").tasks().add("two");
    }
    assertThat(terminal.call("tasks", "--name=-x").out()).contains("two");
    assertThat(terminal.call("message", "--name=-x", "hello").code()).isZero();
    assertThat(terminal.call("message", "-n", "auth", "--by", "- me", "hello").code()).isZero();
  }

  @Test
  void refusedCommand_createsNoSession() {
    assertThat(terminal.call("message", "-n", "atuh", "").err()).doesNotContain("new session");
    assertThat(terminal.sessions()).containsExactly("auth");
  }

  @Test
  void sessionWithoutTasks_isKnown() {
    terminal.call("message", "-n", "talk", "hello");

    Result tasks = terminal.call("tasks", "-n", "talk");
    assertThat(tasks.code()).isZero();
    assertThat(tasks.line()).isEqualTo("No tasks yet");
    assertThat(terminal.call("pause", "-n", "talk").code()).isZero();
  }
}

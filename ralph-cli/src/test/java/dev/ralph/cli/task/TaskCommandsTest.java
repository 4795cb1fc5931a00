package dev.ralph.cli.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the commands on tasks say to a person who does not know the rules. */
class TaskCommandsTest {

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void addTwoTasks() {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    done("task", "add", "one");
    done("task", "add", "two", "--depends", "t1");
  }

  private Result done(String... words) {
    Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result;
  }

  @Test
  void whatATaskWaitsForIsListed() {
    assertThat(done("tasks").out()).endsWith("two (waits for t1)\n");
    for (int i = 3; i <= 9; i++) {
      done("task", "add", "more");
      done("task", "depend", "t2", "t" + i);
    }
    assertThat(done("tasks", "--limit", "2").out())
        .contains("two (waits for t1, t3, t4, t5, t6 and 3 more)\n");
    assertThat(done("task", "done", "t1").out()).endsWith("one\n");
    assertThat(done("tasks", "--limit", "2").out()).contains("(waits for t3, t4, t5, t6, t7 and");
  }

  @ParameterizedTest
  @ValueSource(strings = {"task cancel t1", "task status t1 cancelled"})
  void aCancelledTaskKeepsNoneWaitingAndThatIsSaid(String command) {
    Result result = done(command.split(" "));

    assertThat(result.err())
        .isEqualTo("ralph: warning: t1 is cancelled, so t2 no longer waits for it\n");
    assertThat(done("tasks", "--ready").out()).startsWith("t2 ").hasLineCount(1);
    assertThat(done("task", "status", "t1", "remaining").err()).isEmpty();
    assertThat(done("tasks", "--ready").out()).startsWith("t1 ").hasLineCount(1);
  }

  @Test
  void whereNoTaskIsReadyItIsSaidWhy() {
    done("task", "add", "three");
    done("task", "block", "t1", "waits for a key");
    done("task", "claim", "t3", "--owner", "ann");

    String why = done("tasks", "--ready").line();
    assertThat(why)
        .startsWith("No task is ready: t2 waits for t1; t3 is claimed by ann until 20")
        .endsWith("; t1 is blocked (waits for a key)");
    assertThat(terminal.call("task", "claim", "--next", "--owner", "bob").err())
        .isEqualTo("ralph: n" + why.substring(1) + "\n");
    done("task", "cancel", "t1", "t2", "t3");
    assertThat(done("tasks", "--ready").line())
        .isEqualTo("No task is ready: all are completed or cancelled");
  }

  @Test
  void toTakeAwayADependencyThatIsNoneIsSaid() {
    assertThat(done("task", "undepend", "t1", "t2").err())
        .isEqualTo("ralph: t1 did not wait for t2\n");
    assertThat(done("task", "undepend", "t2", "t1").err()).isEmpty();
  }

  @Test
  void severalTasksEndByOneCommand() {
    assertThat(done("task", "done", "t1", "t2").out())
        .containsPattern("t1 .* completed +one\nt2 .* completed +two\n");
    done("task", "add", "three");
    done("task", "add", "four");
    assertThat(done("task", "cancel", "t3", "t4", "--reason", "too late", "--json").out())
        .startsWith("{\"v\":1,\"kind\":\"tasks\",\"tasks\":[{\"ref\":\"t3\"")
        .contains("\"status\":\"cancelled\"", "\"reason\":\"too late\"");
    assertThat(terminal.call("task", "done", "t3", "t4", "--token", "x").code()).isEqualTo(2);
  }

  @Test
  void noneOfSeveralIsChangedIfOneIsUnknown() {
    assertThat(terminal.call("task", "done", "t1", "t9").code()).isEqualTo(1);
    assertThat(done("tasks", "--open").out()).hasLineCount(2);
  }

  @Test
  void severalMessagesAreReadByOneCommand() {
    done("message", "hello");
    done("message", "again");
    assertThat(terminal.call("inbox", "read", "m1", "m9").code()).isEqualTo(1);
    assertThat(done("inbox").out()).hasLineCount(2);
    assertThat(done("inbox", "read", "m1", "m2").out()).hasLineCount(2);
    assertThat(done("inbox").line()).isEqualTo("No unread messages");
  }
}

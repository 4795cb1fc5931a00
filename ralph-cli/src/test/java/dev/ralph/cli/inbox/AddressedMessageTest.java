package dev.ralph.cli.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands show messages to one of several agents to users and to agents. */
class AddressedMessageTest {

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void addTask() {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    done("task", "add", "one");
  }

  private Result done(String... words) {
    Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result;
  }

  /** Starts an iteration of an agent, with the task or without a task. */
  private void begin(int iteration, int agent, boolean isAlone) {
    String task = isAlone ? null : id();
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      Meta start =
          Meta.of("action", "start").with("n", iteration).with("agent", agent).with("task", task);
      Draft draft = Draft.of(Topic.of("ralph.auth.iteration"), start);
      ralph.log().append(Batch.of(UUID.randomUUID().toString(), List.of(draft)));
    }
  }

  private String id() {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      return ralph.session("auth").tasks().get("t1").id();
    }
  }

  @Test
  void address_isListedAndInJson() {
    done("message", "--agent", "2", "leave the form");
    assertThat(done("inbox").out()).contains("(for agent 2): leave the form");
    assertThat(done("inbox", "--json").out()).contains("\"agent\":2,\"read\":false");
    assertThat(terminal.call("message", "--agent", "0", "x").code()).isEqualTo(2);
    assertThat(terminal.call("message", "--agent", "-1", "x").code()).isEqualTo(2);
  }

  @Test
  void reader_isNamed() {
    done("message", "hello");
    begin(1, 2, false);
    terminal.with("RALPH_AGENT", "2");
    done("inbox", "read", "m1");
    assertThat(done("inbox", "--all").out()).contains("(read by agent 2): hello");
    assertThat(done("inbox", "--all", "--json").out()).contains("\"read\":true,\"read_by\":2");
  }

  @Test
  void messageForMissingAgent_isShownToLoneAgent() {
    done("message", "--agent", "1", "hello");
    begin(1, 1, false);
    begin(2, 3, true);
    terminal.with("RALPH_AGENT", "3");
    assertThat(done("inbox").out()).contains("(for agent 1): hello");
  }
}

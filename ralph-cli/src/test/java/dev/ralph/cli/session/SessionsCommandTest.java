package dev.ralph.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.cli.Terminal;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ralph sessions}. */
class SessionsCommandTest {

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void beginSessions() {
    terminal = new Terminal(folder);
    run("task", "add", "-n", "auth", "--create", "one");
    run("message", "-n", "a-long-name", "hello");
    run("pause", "-n", "a-long-name");
    run("task", "add", "-n", "auth", "two");
    run("task", "done", "-n", "auth", "t1");
    run("ask", "-n", "auth", "Which port?");
  }

  private String run(String... words) {
    Terminal.Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result.out();
  }

  @Test
  void sessions_areListedWithStateByActivity() {
    assertThat(run("sessions").replaceAll("\\d+s ago", "1s ago"))
        .isEqualTo(
            """
            auth         idle    1 of 2 tasks done            1 question  1s ago
            a-long-name  paused  no tasks           1 unread              1s ago
            """);
    run("note", "add", "-n", "a-long-name", "--type", "tip", "x");
    assertThat(run("sessions")).startsWith("a-long-name");
  }

  @Test
  void sessionsInJson_areSortedWithDetails() throws Exception {
    JsonNode answer = new ObjectMapper().readTree(run("sessions", "--json"));

    assertThat(answer.get("v").asInt()).isEqualTo(1);
    assertThat(answer.get("sessions").toString()).isEqualTo("[\"a-long-name\",\"auth\"]");
    JsonNode first = answer.get("details").get(0);
    assertThat(first.get("session").asText()).isEqualTo("auth");
    assertThat(first.get("state").asText()).isEqualTo("idle");
    assertThat(first.get("tasks").asInt()).isEqualTo(2);
    assertThat(first.get("tasks_done").asInt()).isEqualTo(1);
    assertThat(first.get("unread").asInt(-1)).isZero();
    assertThat(first.get("questions").asInt()).isEqualTo(1);
    assertThat(Instant.parse(first.get("last_activity").asText())).isBefore(Instant.now());
    assertThat(answer.get("details").get(1).get("state").asText()).isEqualTo("paused");
  }
}

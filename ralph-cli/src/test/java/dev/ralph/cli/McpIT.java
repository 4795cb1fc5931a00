package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.agents.McpServerCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ralph mcp} as a client starts it: a process connected by pipes. */
@Timeout(600)
class McpIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Map<String, Object> CLIENT =
      Map.of(
          "protocolVersion",
          "2025-06-18",
          "capabilities",
          Map.of("roots", Map.of("listChanged", true)),
          "clientInfo",
          Map.of("name", "test", "version", "1"));

  @TempDir static Path folder;
  private static Checkout checkout;
  private Process server;
  private BufferedReader replies;
  private int lastId;

  @BeforeAll
  static void makeACheckout() throws Exception {
    checkout =
        Checkout.shared(folder)
            .with(McpServerCommand.READY_FILE, folder.resolve("ready").toString());
  }

  @BeforeEach
  void makeASession() throws Exception {
    checkout.ralph("task", "add", "-n", "s", "--create", "one");
    Files.deleteIfExists(folder.resolve("ready"));
    server = checkout.talkTo("mcp", "-n", "s");
    replies = server.inputReader(StandardCharsets.UTF_8);
  }

  @AfterEach
  void end() throws Exception {
    server.destroyForcibly().waitFor();
    checkout.clear();
  }

  @AfterAll
  static void nothingIsLeft() {
    assertThat(checkout.left()).isEmpty();
  }

  private void send(Map<String, Object> message) throws IOException {
    server
        .getOutputStream()
        .write((JSON.writeValueAsString(message) + "\n").getBytes(StandardCharsets.UTF_8));
    server.getOutputStream().flush();
  }

  private JsonNode request(String method, Map<String, Object> params) throws IOException {
    int id = ++lastId;
    send(Map.of("jsonrpc", "2.0", "id", id, "method", method, "params", params));
    JsonNode reply = JSON.readTree(replies.readLine());
    assertThat(reply.path("id").asInt()).isEqualTo(id);
    return reply;
  }

  private String call(String tool) throws IOException {
    JsonNode reply = request("tools/call", Map.of("name", tool, "arguments", Map.of()));
    return reply.path("result").path("content").path(0).path("text").asText();
  }

  @Test
  void server_answersUntilInputEnds() throws Exception {
    assertThat(request("server/discover", Map.of()).path("error").path("code").asInt())
        .as("without a protocol version")
        .isEqualTo(-32602);
    assertThat(request("initialize", CLIENT).path("result").path("serverInfo").path("name"))
        .hasToString("\"ralph\"");
    assertThat(folder.resolve("ready")).doesNotExist();
    send(Map.of("jsonrpc", "2.0", "method", "notifications/initialized"));
    assertThat(call("task_next")).startsWith("Task t1 is yours");
    assertThat(folder.resolve("ready")).isEmptyFile();
    server.getOutputStream().close();
    assertThat(server.waitFor(3, TimeUnit.MINUTES)).isTrue();
    assertThat(server.exitValue()).isZero();
    assertThat(replies.readLine()).isNull();
    assertThat(checkout.talkErr()).isEmpty();
    assertTasksAreFree();
  }

  @ParameterizedTest
  @CsvSource({"INT,130", "TERM,143", "HUP,129"})
  void signal_endsServerAndReleasesTasks(String signal, int code) throws Exception {
    request("initialize", CLIENT);
    assertThat(call("task_next")).startsWith("Task t1 is yours");
    String kill = "kill -" + signal + " " + server.pid();
    assertThat(new ProcessBuilder("sh", "-c", kill).start().waitFor()).isZero();
    assertThat(server.waitFor(3, TimeUnit.MINUTES)).isTrue();
    assertThat(server.exitValue()).isEqualTo(code);
    assertThat(replies.readLine()).isNull();
    assertThat(checkout.talkErr()).isEmpty();
    assertTasksAreFree();
  }

  @Test
  void signalBeforeInitialize_endsServer() throws Exception {
    request("ping", Map.of());
    server.destroy();
    assertThat(server.waitFor(3, TimeUnit.MINUTES)).isTrue();
    assertThat(checkout.talkErr()).isEmpty();
  }

  @Test
  void newSession_isNamedInClientLog() throws Exception {
    server.destroyForcibly().waitFor();
    server = checkout.talkTo("mcp", "-n", "ss");
    replies = server.inputReader(StandardCharsets.UTF_8);
    request("initialize", CLIENT);
    assertThat(call("task_list")).doesNotContainPattern("\\bt1\\b");
    server.getOutputStream().close();
    assertThat(server.waitFor(3, TimeUnit.MINUTES)).isTrue();
    assertThat(checkout.talkErr())
        .contains("ralph: 'ss' is a new session in ", "; did you mean 's'?\n")
        .hasLineCount(1);
  }

  @Test
  void messageAndAnswer_reachAgentDuringCalls() throws Exception {
    request("initialize", CLIENT);
    assertThat(call("task_list")).doesNotContain("OPERATOR");
    assertThat(checkout.ralph("message", "-n", "s", "--follow-up", "Then the docs").code())
        .isZero();
    assertThat(checkout.ralph("message", "-n", "s", "Stop that").code()).isZero();
    assertThat(call("task_list"))
        .contains("## MESSAGE FROM THE OPERATOR", "Stop that")
        .doesNotContain("Then the docs");
    assertThat(call("task_list")).doesNotContain("OPERATOR");
    request("tools/call", Map.of("name", "inbox_mark_read", "arguments", Map.of("id", "m2")));
    JsonNode unread = checkout.json("inbox", "-n", "s").path("messages");
    assertThat(unread).hasSize(1);
    assertThat(unread.get(0).path("follow_up").asBoolean()).isTrue();
    assertThat(checkout.ralph("inbox", "read", "-n", "s", "m1").code()).isZero();
    request("tools/call", Map.of("name", "ask", "arguments", Map.of("question", "Which port?")));
    assertThat(checkout.ralph("questions", "-n", "s").out()).contains("q1 [").contains("Which");
    assertThat(checkout.ralph("answer", "-n", "s", "q1", "8080").code()).isZero();
    assertThat(call("note_list")).contains("Answer to your question q1 Which port?\n  8080");
    assertThat(checkout.ralph("questions", "-n", "s").out()).isEqualTo("No open questions\n");
  }

  private static void assertTasksAreFree() throws Exception {
    JsonNode tasks = checkout.json("tasks", "-n", "s", "--ready").path("tasks");
    assertThat(tasks.size()).isPositive();
    assertThat(tasks.get(0).path("ref").asText()).isEqualTo("t1");
    assertThat(tasks.get(0).path("status").asText()).isEqualTo("remaining");
  }
}

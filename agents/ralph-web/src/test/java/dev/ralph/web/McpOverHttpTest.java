package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.Task;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Iterator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The tools of a session over Streamable HTTP, for protocol revisions with and without sessions.
 */
class McpOverHttpTest {

  private static final String META =
      "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
          + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

  private final Ralph ralph = Ralph.inMemory();
  private final RalphServer server = RalphServer.builder(ralph).build();
  private final RalphServer other = RalphServer.builder(ralph).build();
  private final HttpClient client = HttpClient.newHttpClient();
  private final AccessTokens tokens = AccessTokens.of(ralph);
  private String box = "";

  @BeforeEach
  void start() {
    server.start();
    other.start();
    box = tokens.addAgent("box", "s");
  }

  @AfterEach
  void close() {
    server.close();
    other.close();
    ralph.close();
  }

  // ---- without sessions

  @Test
  void statelessAgent_callsTools() throws Exception {
    Meta discovered = result(stateless(server, box, "server/discover", ""));
    assertThat(discovered.strings("supportedVersions")).containsExactly("2026-07-28");

    assertThat(call(server, box, "task_add", "\"content\":\"Write it\"")).contains("Task t1");
    assertThat(ralph.session("s").tasks().list()).hasSize(1);
  }

  /** The requests of one agent may reach any server of the store. */
  @Test
  void twoServers_serveAgentTogether() throws Exception {
    call(server, box, "task_add", "\"content\":\"One\"");
    call(other, box, "task_add", "\"content\":\"Two\"");

    assertThat(call(server, box, "task_next", "")).startsWith("Task t1 is yours");
    assertThat(call(other, box, "task_next", "")).startsWith("Task t1 is yours already");
    assertThat(call(server, box, "task_next", "")).startsWith("Task t1 is yours already");
    assertThat(ralph.session("s").tasks().get("t1").claim().owner()).isEqualTo("box");

    assertThat(call(other, box, "task_status", "\"id\":\"t1\",\"status\":\"completed\""))
        .startsWith("Task t1 marked as completed");
    assertThat(call(server, box, "task_next", "")).startsWith("Task t2 is yours,");
  }

  /** The agent may call any tool on the other server. */
  @Test
  void closedServer_leavesTasksToLastCalled() throws Exception {
    String second = tokens.addAgent("second", "s");
    call(server, box, "task_add", "\"content\":\"One\"");
    assertThat(call(server, box, "task_next", "")).startsWith("Task t1 is yours");
    call(other, box, "note_list", "");

    server.close();

    assertThat(call(other, second, "task_next", "")).startsWith("No task is ready");
    assertThat(call(other, box, "task_status", "\"id\":\"t1\",\"status\":\"completed\""))
        .startsWith("Task t1 marked as completed");
  }

  @Test
  void secondAgent_getsDifferentTask() throws Exception {
    String second = tokens.addAgent("second", "s");
    call(server, box, "task_add", "\"content\":\"One\"");
    call(server, box, "task_add", "\"content\":\"Two\"");

    assertThat(call(server, box, "task_next", "")).startsWith("Task t1 is yours");
    assertThat(call(other, second, "task_next", "")).startsWith("Task t2 is yours");
    assertThat(call(server, second, "task_status", "\"id\":\"t1\",\"status\":\"completed\""))
        .contains("claimed by");
  }

  @Test
  void operatorMessage_isDeliveredWithNextResult() throws Exception {
    call(server, box, "task_list", "");
    ralph.session("s").inbox().send("Do the API first");

    assertThat(call(server, box, "task_list", "")).contains("Do the API first");
    assertThat(call(server, box, "task_list", "")).doesNotContain("Do the API first");
  }

  @Test
  void deliveredMessage_isNotRepeatedBySecondServer() throws Exception {
    call(server, box, "task_list", "");
    call(other, box, "task_list", "");
    ralph.session("s").inbox().send("Do the API first");

    assertThat(call(server, box, "task_list", "")).contains("Do the API first");
    assertThat(call(other, box, "task_list", "")).doesNotContain("Do the API first");
    ralph.session("s").inbox().send("Then the page");
    assertThat(call(other, box, "task_list", ""))
        .contains("Then the page")
        .doesNotContain("Do the API first");
    assertThat(call(server, box, "task_list", "")).doesNotContain("Then the page");
  }

  @Test
  void agent_reachesOnlyOwnSession() throws Exception {
    String answer = call(server, box, "task_list", "\"session_name\":\"secret\"");

    assertThat(answer).contains("this server serves session s");
  }

  @ParameterizedTest
  @CsvSource({
    "MCP-Protocol-Version, 2025-11-25",
    "MCP-Protocol-Version, ",
    "Mcp-Method, tools/list",
    "Mcp-Method, ",
    "Mcp-Name, task_add",
    "Mcp-Name, ",
  })
  void headersDifferingFromBody_areRefused(String header, String value) throws Exception {
    HttpRequest.Builder request =
        request(server, box, message("tools/call", META + ",\"name\":\"task_list\""));
    Iterator<String> headers =
        Stream.of(
                "MCP-Protocol-Version",
                "2026-07-28",
                "Mcp-Method",
                "tools/call",
                "Mcp-Name",
                "task_list")
            .iterator();
    while (headers.hasNext()) {
      String name = headers.next();
      String right = headers.next();
      if (!name.equals(header)) {
        request.header(name, right);
      } else if (value != null) {
        request.header(name, value);
      }
    }

    HttpResponse<String> response = send(request);

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("-32020", header, "\"id\":1");
  }

  @Test
  void headerInBase64_isAccepted() throws Exception {
    String name =
        "=?base64?"
            + Base64.getEncoder().encodeToString("task_list".getBytes(StandardCharsets.UTF_8))
            + "?=";
    HttpRequest.Builder request =
        request(server, box, message("tools/call", META + ",\"name\":\"task_list\""))
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", name);

    assertThat(send(request).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ping | 404 | -32601",
        "initialize | 404 | -32601",
        "resources/list | 404 | -32601",
        "tools/call | 400 | -32602",
      })
  void error_hasMatchingHttpStatus(String method, int status, int code) throws Exception {
    HttpResponse<String> response = stateless(server, box, method, "");

    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.body()).contains(String.valueOf(code));
  }

  @Test
  void unknownRevision_isRefusedWithSupported() throws Exception {
    HttpResponse<String> response =
        send(
            request(server, box, message("tools/list", META.replace("2026-07-28", "1900-01-01")))
                .header("MCP-Protocol-Version", "1900-01-01")
                .header("Mcp-Method", "tools/list"));

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("-32022", "\"supported\":[\"2026-07-28\"]");
  }

  @Test
  void subscription_isStreamed() throws Exception {
    HttpRequest request =
        request(server, box, message("subscriptions/listen", META + ",\"notifications\":{}"))
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "subscriptions/listen")
            .build();

    HttpResponse<Stream<String>> response =
        client.send(request, HttpResponse.BodyHandlers.ofLines());
    try (Stream<String> lines = response.body()) {
      assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
      assertThat(lines.filter(line -> line.startsWith("data: ")).findFirst().orElseThrow())
          .contains("notifications/subscriptions/acknowledged");
    }
  }

  // ---- with sessions

  @ParameterizedTest
  @CsvSource({"2025-06-18, 2025-06-18", "2025-11-25, 2025-11-25", "2024-11-05, 2025-11-25"})
  void agentInSession_callsTools(String asked, String spoken) throws Exception {
    HttpResponse<String> welcome = initialize(server, box, asked);
    assertThat(result(welcome).string("protocolVersion")).isEqualTo(spoken);
    String session = welcome.headers().firstValue("Mcp-Session-Id").orElseThrow();

    HttpResponse<String> noted =
        send(
            request(server, box, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
                .header("Mcp-Session-Id", session)
                .header("MCP-Protocol-Version", spoken));
    assertThat(noted.statusCode()).isEqualTo(202);
    assertThat(noted.body()).isEmpty();

    HttpResponse<String> listed = inSession(session, message("tools/list", ""));
    assertThat(result(listed).objects("tools")).isNotEmpty();
    HttpResponse<String> pinged = inSession(session, message("ping", ""));
    assertThat(result(pinged)).isEqualTo(Meta.empty());
  }

  @Test
  void deletedSession_releasesTasks() throws Exception {
    ralph.session("s").tasks().add("One");
    String session =
        initialize(server, box, "2025-11-25").headers().firstValue("Mcp-Session-Id").orElseThrow();
    inSession(session, message("tools/call", "\"name\":\"task_next\""));
    assertThat(ralph.session("s").tasks().get("t1").claim().owner()).startsWith("box-");

    HttpRequest delete =
        HttpRequest.newBuilder(uri(server))
            .header("Authorization", "Bearer " + box)
            .header("Mcp-Session-Id", session)
            .DELETE()
            .build();
    assertThat(client.send(delete, HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(204);

    assertThat(inSession(session, message("ping", "")).statusCode()).isEqualTo(404);
    long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (ralph.session("s").tasks().list().of(Task.Status.REMAINING).isEmpty()) {
      assertThat(System.nanoTime()).as("task released in time").isLessThan(end);
      Thread.sleep(5);
    }
  }

  @Test
  void sessionOfDifferentToken_isNotFound() throws Exception {
    String second = tokens.addAgent("second", "s");
    String session =
        initialize(server, box, "2025-11-25").headers().firstValue("Mcp-Session-Id").orElseThrow();

    HttpResponse<String> response =
        send(request(server, second, message("ping", "")).header("Mcp-Session-Id", session));

    assertThat(response.statusCode()).isEqualTo(404);
  }

  @Test
  void requestWithoutSessionOrRevision_isRefused() throws Exception {
    HttpResponse<String> response = send(request(server, box, message("tools/list", "")));

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("send initialize first");
  }

  // ---- authentication

  @Test
  void revokedToken_isRefusedByEveryServer() throws Exception {
    assertThat(stateless(server, box, "tools/list", "").statusCode()).isEqualTo(200);

    tokens.revoke("box");

    assertThat(stateless(server, box, "tools/list", "").statusCode()).isEqualTo(401);
    assertThat(stateless(other, box, "tools/list", "").statusCode()).isEqualTo(401);
  }

  @Test
  void agentToken_doesNotOpenPage() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(uri(server).resolve("/api/hello"))
            .header("Authorization", "Bearer " + box)
            .build();

    assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(403);
  }

  @Test
  void readOnlyToken_callsNoTools() throws Exception {
    assertThat(stateless(server, server.readOnlyToken("guest"), "tools/list", "").statusCode())
        .isEqualTo(403);
  }

  @Test
  void copiedLog_acceptsNoToken() throws Exception {
    try (Ralph copy = Ralph.inMemory()) {
      try (FrameCursor frames = ralph.log().read(Query.of(TopicFilter.parse("access.*")))) {
        for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
          copy.append(frame.topic(), frame.meta(), frame.content());
        }
      }
      try (RalphServer there = RalphServer.builder(copy).build()) {
        there.start();
        assertThat(AccessTokens.of(copy).list()).hasSize(1);
        assertThat(stateless(there, box, "tools/list", "").statusCode()).isEqualTo(401);
      }
    }
  }

  // ---- requests

  private String call(RalphServer at, String token, String tool, String arguments)
      throws Exception {
    HttpResponse<String> response =
        send(
            request(
                    at,
                    token,
                    message(
                        "tools/call",
                        META + ",\"name\":\"" + tool + "\",\"arguments\":{" + arguments + "}"))
                .header("MCP-Protocol-Version", "2026-07-28")
                .header("Mcp-Method", "tools/call")
                .header("Mcp-Name", tool));
    return String.valueOf(result(response).objects("content").get(0).string("text"));
  }

  private HttpResponse<String> stateless(RalphServer at, String token, String method, String params)
      throws Exception {
    return send(
        request(at, token, message(method, params.isEmpty() ? META : META + "," + params))
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", method));
  }

  private HttpResponse<String> initialize(RalphServer at, String token, String version)
      throws Exception {
    return send(
        request(
            at,
            token,
            message(
                "initialize",
                "\"protocolVersion\":\""
                    + version
                    + "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}")));
  }

  private HttpResponse<String> inSession(String session, String message) throws Exception {
    return send(request(server, box, message).header("Mcp-Session-Id", session));
  }

  private static String message(String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\""
        + method
        + "\",\"params\":{"
        + params
        + "}}";
  }

  private static HttpRequest.Builder request(RalphServer at, String token, String body) {
    return HttpRequest.newBuilder(uri(at))
        .header("Authorization", "bearer " + token)
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .POST(HttpRequest.BodyPublishers.ofString(body));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static Meta result(HttpResponse<String> response) {
    Meta result = Meta.parse(response.body()).object("result");
    assertThat(result).as(response.body()).isNotNull();
    return result;
  }

  private static URI uri(RalphServer at) {
    return URI.create("http://127.0.0.1:" + at.address().getPort() + "/mcp");
  }
}

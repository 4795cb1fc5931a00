package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A client of an opencode server's HTTP API, limited to finding, watching and ending sessions.
 *
 * <p>Each request has a separate connection, so no thread and no idle connection remains, as would
 * with {@code java.net.http}. Requests are not interruptible; each ends at its time limit.
 *
 * <p>Immutable.
 */
final class OpencodeApi {

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * The permissions that {@code opencode run} denies in a new session, because no person is
   * present.
   */
  private static final List<String> NEEDING_A_PERSON =
      List.of("question", "plan_enter", "plan_exit");

  private final URI base;
  private final String authorization;

  OpencodeApi(URI base, String user, String password) {
    this.base = base;
    this.authorization =
        "Basic "
            + Base64.getEncoder()
                .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns whether the server responds to two requests, each within the limit, and serves a
   * folder.
   */
  boolean isReady(Path directory, Duration limit) {
    try {
      return request("GET", "/global/health", null, limit).path("healthy").asBoolean()
          && request("GET", "/session/status" + in(directory), null, limit).isObject();
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Creates a session for a folder, and returns the session's id. */
  String createSession(Path directory, String title, Duration limit) throws IOException {
    ObjectNode session = JSON.createObjectNode().put("title", title);
    for (String permission : NEEDING_A_PERSON) {
      session
          .withArray("permission")
          .addObject()
          .put("permission", permission)
          .put("pattern", "*")
          .put("action", "deny");
    }
    String id = request("POST", "/session" + in(directory), session, limit).path("id").asText("");
    if (id.isEmpty()) {
      throw new IOException("the opencode server created no session");
    }
    return id;
  }

  /** Returns whether the session is busy. A session is busy while waiting to retry the model. */
  boolean isBusy(Path directory, String session, Duration limit) throws IOException {
    return request("GET", "/session/status" + in(directory), null, limit).has(session);
  }

  /** Returns the next retry of the model, or empty if the session does not wait for a retry. */
  Optional<Retry> retry(Path directory, String session, Duration limit) throws IOException {
    JsonNode status = request("GET", "/session/status" + in(directory), null, limit).path(session);
    return status.path("type").asText().equals("retry")
        ? Optional.of(
            new Retry(
                status.path("message").asText(),
                Instant.ofEpochMilli(status.path("next").asLong()),
                status.path("attempt").asInt(1)))
        : Optional.empty();
  }

  /**
   * Returns the status of the server's tool server for a folder. Starts the tool server if needed.
   */
  ToolServerStatus toolServer(Path directory, String name, Duration limit) throws IOException {
    JsonNode status = request("GET", "/mcp" + in(directory), null, limit).path(name);
    return new ToolServerStatus(
        status.path("status").asText().equals("connected"), status.path("error").asText(""));
  }

  /** Aborts the session's work, including its shell commands. */
  void abort(Path directory, String session, Duration limit) throws IOException {
    request("POST", "/session/" + session + "/abort" + in(directory), null, limit);
  }

  /**
   * Sends a user message to a session without waiting for a response. Keeps the session's agent and
   * model.
   */
  void prompt(Path directory, String session, String text, Duration limit) throws IOException {
    JsonNode known = request("GET", "/session/" + session + in(directory), null, limit);
    ObjectNode prompt = JSON.createObjectNode();
    prompt.putArray("parts").addObject().put("type", "text").put("text", text);
    if (known.path("agent").isTextual()) {
      prompt.put("agent", known.path("agent").asText());
    }
    JsonNode model = known.path("model");
    if (model.path("id").isTextual()) {
      prompt
          .putObject("model")
          .put("providerID", model.path("providerID").asText())
          .put("modelID", model.path("id").asText());
    }
    request("POST", "/session/" + session + "/prompt_async" + in(directory), prompt, limit);
  }

  /** Returns the session's messages with all their parts, oldest first. */
  JsonNode messages(Path directory, String session, Duration limit) throws IOException {
    return request("GET", "/session/" + session + "/message" + in(directory), null, limit);
  }

  /** Returns the sessions of the agents that the session's agent started. */
  JsonNode children(Path directory, String session, Duration limit) throws IOException {
    return request("GET", "/session/" + session + "/children" + in(directory), null, limit);
  }

  private static String in(Path directory) {
    return "?directory=" + URLEncoder.encode(directory.toString(), StandardCharsets.UTF_8);
  }

  private JsonNode request(String method, String path, @Nullable JsonNode body, Duration limit)
      throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) base.resolve(path).toURL().openConnection(Proxy.NO_PROXY);
    try {
      connection.setRequestMethod(method);
      connection.setConnectTimeout((int) limit.toMillis());
      connection.setReadTimeout((int) limit.toMillis());
      connection.setInstanceFollowRedirects(false);
      connection.setUseCaches(false);
      connection.setRequestProperty("Authorization", authorization);
      connection.setRequestProperty("Connection", "close");
      if (!method.equals("GET")) {
        send(connection, body == null ? new byte[0] : JSON.writeValueAsBytes(body));
      }
      int status = connection.getResponseCode();
      if (status == HttpURLConnection.HTTP_NO_CONTENT) {
        return MissingNode.getInstance();
      }
      if (status != HttpURLConnection.HTTP_OK) {
        throw new IOException(
            "the opencode server answered " + method + " " + path + " with HTTP " + status);
      }
      try (InputStream in = connection.getInputStream()) {
        JsonNode answer = JSON.readTree(in);
        return answer == null ? MissingNode.getInstance() : answer;
      }
    } finally {
      connection.disconnect();
    }
  }

  private static void send(HttpURLConnection connection, byte[] body) throws IOException {
    connection.setDoOutput(true);
    connection.setRequestProperty("Content-Type", "application/json");
    // A fixed length also prevents the JDK from sending a request twice.
    connection.setFixedLengthStreamingMode(body.length);
    try (OutputStream out = connection.getOutputStream()) {
      out.write(body);
    }
  }

  /**
   * The next retry of a session.
   *
   * @param message the reason of the last failure
   * @param next the time of the next request
   * @param attempt the number of failed requests in a row
   */
  record Retry(String message, Instant next, int attempt) {}

  /**
   * The status of a tool server.
   *
   * @param error the reason why the server is not connected; may be empty
   */
  record ToolServerStatus(boolean isConnected, String error) {}
}

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
 * The part of an opencode server's HTTP interface that is needed to find, watch and end sessions.
 *
 * <p>Each request has a connection of its own: that leaves no thread and no idle connection behind,
 * where {@code java.net.http} would. No request is interruptible; each ends by its time limit.
 *
 * <p>Immutable.
 */
final class OpencodeApi {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** What {@code opencode run} forbids in a session that it makes: nobody is there to be asked. */
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

  /** Whether the server answers, each of two requests within the time, and for that folder too. */
  boolean isReady(Path directory, Duration limit) {
    try {
      return request("GET", "/global/health", null, limit).path("healthy").asBoolean()
          && request("GET", "/session/status" + in(directory), null, limit).isObject();
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Makes a session for work in that folder, and returns its id. */
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
      throw new IOException("the opencode server made no session");
    }
    return id;
  }

  /** Whether the session is at work, be it waiting to ask its model again. */
  boolean isBusy(Path directory, String session, Duration limit) throws IOException {
    return request("GET", "/session/status" + in(directory), null, limit).has(session);
  }

  /** When the session will ask its model again, if that is what it waits for. */
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

  /** How a tool server stands that the server has for that folder; started now, if need be. */
  ToolServerStatus toolServer(Path directory, String name, Duration limit) throws IOException {
    JsonNode status = request("GET", "/mcp" + in(directory), null, limit).path(name);
    return new ToolServerStatus(
        status.path("status").asText().equals("connected"), status.path("error").asText(""));
  }

  /** Ends what the session does now, its shell commands included. */
  void abort(Path directory, String session, Duration limit) throws IOException {
    request("POST", "/session/" + session + "/abort" + in(directory), null, limit);
  }

  /**
   * Says something to a session as its user, without waiting for an answer. Its agent and its model
   * stay as they are.
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

  /** The session's messages, oldest first, with all their parts. */
  JsonNode messages(Path directory, String session, Duration limit) throws IOException {
    return request("GET", "/session/" + session + "/message" + in(directory), null, limit);
  }

  /** The sessions of the agents that this session's agent started. */
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
    // A length given beforehand also keeps the JDK from sending a request twice by itself.
    connection.setFixedLengthStreamingMode(body.length);
    try (OutputStream out = connection.getOutputStream()) {
      out.write(body);
    }
  }

  /**
   * What a session waits for that will ask its model again.
   *
   * @param message why the last request failed
   * @param next when it asks again
   * @param attempt how many requests in a row have failed
   */
  record Retry(String message, Instant next, int attempt) {}

  /**
   * How a tool server stands.
   *
   * @param error why it is not connected; may be empty
   */
  record ToolServerStatus(boolean isConnected, String error) {}
}

package dev.ralph.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client that reads and writes raw lines, so that tests can send invalid requests. */
final class LineClient implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final OutputStream out;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private int lastId;

  LineClient(InputStream in, OutputStream out) {
    this.out = out;
    Thread reader = new Thread(() -> read(in), "line-client");
    reader.setDaemon(true);
    reader.start();
  }

  private void read(InputStream in) {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
      }
    } catch (IOException ended) {
      // The server has closed the stream; waiting for a line times out.
    }
  }

  LineClient initialize() {
    JsonNode result =
        request(
                "initialize",
                Map.of(
                    "protocolVersion",
                    "2025-11-25",
                    "capabilities",
                    Map.of(),
                    "clientInfo",
                    Map.of("name", "test", "version", "1")))
            .path("result");
    assertThat(result.path("serverInfo").path("name").asText()).isEqualTo("ralph");
    line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    return this;
  }

  /** Sends a line unchanged. */
  void line(String line) {
    try {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the next line that the server sent. */
  JsonNode next() {
    try {
      String line = lines.poll(1, TimeUnit.MINUTES);
      assertThat(line).as("a reply within a minute").isNotNull();
      return JSON.readTree(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  boolean hasMore() {
    return !lines.isEmpty();
  }

  /** Sends a request and returns its id. */
  int send(String method, Map<String, Object> params) {
    int id = ++lastId;
    try {
      line(
          JSON.writeValueAsString(
              Map.of("jsonrpc", "2.0", "id", id, "method", method, "params", params)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return id;
  }

  /** Sends a request and returns its reply, which must be the next line. */
  JsonNode request(String method, Map<String, Object> params) {
    int id = send(method, params);
    JsonNode reply = next();
    assertThat(reply.path("id").asInt()).isEqualTo(id);
    return reply;
  }

  int sendCall(String tool, Map<String, Object> arguments) {
    return send("tools/call", Map.of("name", tool, "arguments", arguments));
  }

  /** Calls a tool that must succeed, and returns its reply. */
  String call(String tool, Map<String, Object> arguments) {
    JsonNode reply = request("tools/call", Map.of("name", tool, "arguments", arguments));
    assertThat(reply.path("result").path("isError").asBoolean()).as(reply.toString()).isFalse();
    return text(reply);
  }

  String call(String tool) {
    return call(tool, Map.of());
  }

  /** Calls a tool that must return a tool error, and returns the error text. */
  String refusal(String tool, Map<String, Object> arguments) {
    JsonNode reply = request("tools/call", Map.of("name", tool, "arguments", arguments));
    assertThat(reply.path("result").path("isError").asBoolean()).as(reply.toString()).isTrue();
    return text(reply);
  }

  static String text(JsonNode reply) {
    JsonNode content = reply.path("result").path("content");
    assertThat(content.size()).as(reply.toString()).isEqualTo(1);
    return content.get(0).path("text").asText();
  }

  /** Closes the input of the server. */
  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

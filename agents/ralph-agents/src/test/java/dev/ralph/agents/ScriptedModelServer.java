package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A model provider on the loopback interface with scripted replies, to run a real client without a
 * model. Each provider interface is a {@link WireFormat}.
 *
 * <pre>{@code
 * try (ScriptedModelServer model =
 *     ScriptedModelServer.inOrder(Reply.tool("bash", Map.of("command", "ls")), Reply.text("Done"))) {
 *   ... run the client with model.baseUrl() ...
 *   assertThat(model.turns().get(1).toolResults()).hasSize(1);
 * }
 * }</pre>
 */
public final class ScriptedModelServer implements AutoCloseable {

  /** Returns the reply to a request. Called for one request at a time. */
  @FunctionalInterface
  public interface Script {
    Reply reply(Request request);
  }

  /** A provider interface: parses requests and writes replies. */
  public interface WireFormat {

    /** Returns whether requests to a path, such as {@code /v1/…}, have this format. */
    boolean speaks(String path);

    /** Parses a request into a form that is independent of the provider. */
    Conversation read(JsonNode body);

    /** Writes a reply: text, tool calls, or a truncated answer. */
    void write(HttpExchange exchange, Request request, Reply reply) throws IOException;

    void writeError(HttpExchange exchange, Reply error) throws IOException;
  }

  /**
   * The contents of a request.
   *
   * @param userText all texts of the user, in order
   * @param toolResults the results of the client's own tool calls, in order
   * @param toolNames the tools that the model may call; empty in requests for a title or a summary
   */
  public record Conversation(String userText, List<String> toolResults, List<String> toolNames) {}

  /**
   * A received request.
   *
   * @param number counted from 1
   * @param authorization the header, or an empty text
   */
  public record Request(
      int number, String path, String authorization, JsonNode body, Conversation conversation) {

    public String userText() {
      return conversation.userText();
    }

    public List<String> toolResults() {
      return conversation.toolResults();
    }

    /** Returns whether the request is part of a turn, and not for the title of a session. */
    public boolean isTurn() {
      return !conversation.toolNames().isEmpty();
    }
  }

  /** A tool call of the model. */
  public record ToolCall(String name, JsonNode arguments) {}

  /** A reply of the model. */
  public record Reply(
      Kind kind, String text, List<ToolCall> toolCalls, int status, Map<String, String> headers) {

    public enum Kind {
      ANSWER,
      ERROR,
      HANG,
      CUT_OFF
    }

    /** Returns a text, which ends the client's run. */
    public static Reply text(String text) {
      return new Reply(Kind.ANSWER, text, List.of(), 200, Map.of());
    }

    /** Returns a call of one tool. */
    public static Reply tool(String name, Map<String, ?> arguments) {
      JsonNode json = new ObjectMapper().valueToTree(arguments);
      return new Reply(Kind.ANSWER, "", List.of(new ToolCall(name, json)), 200, Map.of());
    }

    /** Combines the tool calls of several replies into one turn. */
    public static Reply atOnce(Reply... replies) {
      List<ToolCall> calls =
          Arrays.stream(replies).flatMap(reply -> reply.toolCalls().stream()).toList();
      return new Reply(Kind.ANSWER, "", calls, 200, Map.of());
    }

    /** Returns an error with an HTTP status, and headers such as {@code Retry-After}. */
    public static Reply error(int status, String message, Map<String, String> headers) {
      return new Reply(Kind.ERROR, message, List.of(), status, headers);
    }

    /** Returns a reply that begins an answer and then blocks until the server is closed. */
    public static Reply hang() {
      return new Reply(Kind.HANG, "", List.of(), 200, Map.of());
    }

    /**
     * Returns the beginning of an answer that ends like a whole answer, in the middle of the text.
     */
    public static Reply cutOff(String text) {
      return new Reply(Kind.CUT_OFF, text, List.of(), 200, Map.of());
    }
  }

  static final ObjectMapper JSON = new ObjectMapper();

  /** The delay before an error, which simulates a model in a network. */
  private static final Duration REFUSAL = Duration.ofMillis(500);

  /** Reads a content element, which is a text or a list of parts with texts among them. */
  static String text(JsonNode content) {
    if (content.isTextual()) {
      return content.asText();
    }
    List<String> parts = new ArrayList<>();
    content.forEach(part -> parts.add(part.path("text").asText()));
    return String.join("\n", parts);
  }

  private final HttpServer server;
  private final ExecutorService threads;
  private final List<WireFormat> formats =
      List.of(new ChatCompletions(), new Responses(), new Messages(), new GenerateContent());
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Object lock = new Object();
  private final List<Request> requests = new ArrayList<>();
  private Script script;

  private ScriptedModelServer(Script script) throws IOException {
    this.script = script;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    threads = Executors.newCachedThreadPool();
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /** Starts a server with a function that returns its replies. */
  public static ScriptedModelServer start(Script script) {
    try {
      return new ScriptedModelServer(script);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a server that sends these replies in order, and then fails with status 400. */
  public static ScriptedModelServer inOrder(Reply... replies) {
    return start(scriptOf(replies));
  }

  /** Replaces the remaining replies. */
  public void goOnWith(Reply... replies) {
    synchronized (lock) {
      script = scriptOf(replies);
    }
  }

  /** Sends this reply to all further requests. */
  public void goOnAlwaysWith(Reply reply) {
    synchronized (lock) {
      script = request -> reply;
    }
  }

  private static Script scriptOf(Reply... replies) {
    Deque<Reply> left = new ArrayDeque<>(Arrays.asList(replies));
    return request ->
        left.isEmpty()
            ? Reply.error(400, "the script has no more replies", Map.of())
            : left.remove();
  }

  /** Returns the address for clients, without a trailing slash. */
  public URI baseUrl() {
    return URI.create(origin() + "/v1");
  }

  /** Returns the address without the interface's version, for clients that append it. */
  public URI origin() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Returns all requests so far, in order of arrival. */
  public List<Request> requests() {
    synchronized (lock) {
      return List.copyOf(requests);
    }
  }

  /** Returns the requests of turns so far, which the script replied to. */
  public List<Request> turns() {
    return requests().stream().filter(Request::isTurn).toList();
  }

  /** Returns the log of requests, one JSON object per line. */
  public String log() {
    StringBuilder lines = new StringBuilder();
    for (Request request : requests()) {
      ObjectNode line = JSON.createObjectNode().put("path", request.path());
      lines.append(line.set("body", request.body()).toString()).append('\n');
    }
    return lines.toString();
  }

  /** Waits until the requests so far satisfy a condition. */
  public void await(Predicate<List<Request>> condition, Duration limit)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    synchronized (lock) {
      while (!condition.test(turns())) {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new AssertionError("not within " + limit + "; requests:\n" + log());
        }
        lock.wait(left);
      }
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    byte[] body = exchange.getRequestBody().readAllBytes();
    WireFormat format = formats.stream().filter(one -> one.speaks(path)).findFirst().orElse(null);
    if (format == null) {
      byte[] answer = ("no such interface: " + path).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(404, answer.length);
      exchange.getResponseBody().write(answer);
      exchange.close();
      return;
    }
    Request request;
    Reply reply;
    synchronized (lock) {
      JsonNode json = JSON.readTree(body);
      String authorization = exchange.getRequestHeaders().getFirst("Authorization");
      request =
          new Request(
              requests.size() + 1,
              path,
              authorization == null ? "" : authorization,
              json,
              format.read(json));
      requests.add(request);
      lock.notifyAll();
      reply = request.isTurn() ? script.reply(request) : Reply.text("A title");
    }
    write(exchange, format, request, reply);
  }

  private void write(HttpExchange exchange, WireFormat format, Request request, Reply reply)
      throws IOException {
    reply.headers().forEach(exchange.getResponseHeaders()::set);
    switch (reply.kind()) {
      case ERROR -> {
        awaitClose(REFUSAL); // otherwise the client retries before the agent can end it
        format.writeError(exchange, reply);
        exchange.close();
      }
      case ANSWER, CUT_OFF -> {
        format.write(exchange, request, reply);
        exchange.close();
      }
      case HANG -> {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().flush();
        awaitClose(Duration.ofDays(1));
        throw new IOException("hung until the end of the test");
      }
    }
  }

  private void awaitClose(Duration longest) {
    try {
      closed.await(longest.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}

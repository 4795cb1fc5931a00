package dev.ralph.web.internal.mcp;

import dev.ralph.HostTools;
import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.web.internal.access.AgentPass;
import dev.ralph.web.internal.access.TokenAuthenticator;
import dev.ralph.web.internal.http.Exchange;
import dev.ralph.web.internal.http.HttpFailure;
import dev.ralph.web.internal.http.Router;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The Streamable HTTP transport of MCP, with a request per message. Revision 2026-07-28 has no
 * sessions. The revisions 2025-11-25 and 2025-06-18 with sessions are supported at the same time.
 */
public final class McpEndpoint implements AutoCloseable {

  private static final String PATH = "/mcp";

  private static final String STATELESS = "2026-07-28";
  private static final List<String> IN_SESSION = List.of("2025-06-18", "2025-11-25");

  private static final String VERSION_HEADER = "MCP-Protocol-Version";
  private static final String SESSION_HEADER = "Mcp-Session-Id";
  private static final String VERSION_MEMBER = "io.modelcontextprotocol/protocolVersion";

  private static final int PARSE_ERROR = -32700;
  private static final int INVALID_REQUEST = -32600;
  private static final int INVALID_PARAMS = -32602;
  private static final int HEADER_MISMATCH = -32020;

  /**
   * The time after which a call is answered by an event stream, which detects a disconnected
   * client.
   */
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(5);

  private final Function<Exchange, AgentPass> who;
  private final ConnectedAgents agents;
  private final Set<HttpReplies> waiting = ConcurrentHashMap.newKeySet();

  /**
   * Creates an endpoint.
   *
   * @param door authenticates the agents
   */
  public McpEndpoint(Ralph ralph, TokenAuthenticator door) {
    this(ralph, door::agent);
  }

  /**
   * Creates an endpoint.
   *
   * @param who returns the agent that has sent a request, or throws
   * @param more tools in addition to those of sessions; closed with each agent
   */
  McpEndpoint(Ralph ralph, Function<Exchange, AgentPass> who, HostTools... more) {
    this.who = who;
    this.agents = new ConnectedAgents(ralph, more);
    agents.everySecond(this::streamWhatIsSlow);
  }

  private void streamWhatIsSlow() {
    for (HttpReplies replies : waiting) {
      if (replies.isDone()) {
        waiting.remove(replies);
      } else if (replies.isOlderThan(LONGEST_SILENCE)) {
        waiting.remove(replies);
        agents.background(replies::stream);
      }
    }
  }

  /**
   * Adds the endpoint. The endpoint authenticates requests itself and ignores the cookies of
   * browsers.
   */
  public void addTo(Router routes) {
    routes.open("POST", PATH, this::post);
    routes.open("GET", PATH, this::listen);
    routes.open("DELETE", PATH, this::delete);
  }

  private void post(Exchange exchange) throws IOException {
    AgentPass pass = who.apply(exchange);
    byte[] body = exchange.bytes();
    Meta message;
    try {
      message =
          Meta.parse(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
    } catch (CharacterCodingException | RalphException e) {
      refuse(exchange, null, PARSE_ERROR, "the body must be one JSON object in UTF-8");
      return;
    }
    Meta given = message.object("params");
    Meta params = given == null ? Meta.empty() : given;
    String method = String.valueOf(message.string("method"));
    String session = exchange.header(SESSION_HEADER);
    boolean isStateless = !version(params).isEmpty() || isStateless(exchange);
    if (isStateless) {
      stateless(exchange, pass, message, method, params);
    } else if (method.equals("initialize")) {
      initialize(exchange, pass, message, params);
    } else if (session != null) {
      inSession(exchange, pass, message, session);
    } else {
      refuse(
          exchange,
          message,
          message.has("method") ? INVALID_PARAMS : INVALID_REQUEST,
          "send initialize first, or set the protocol version in each request's _meta to "
              + STATELESS);
    }
  }

  /** Returns whether the headers identify a request without a session. */
  private static boolean isStateless(Exchange exchange) {
    String version = exchange.header(VERSION_HEADER);
    return exchange.header(SESSION_HEADER) == null
        && version != null
        && !IN_SESSION.contains(version);
  }

  private void stateless(
      Exchange exchange, AgentPass pass, Meta message, String method, Meta params)
      throws IOException {
    String version = version(params);
    if (message.has("id")) {
      String name = method.equals("tools/call") ? params.string("name") : null;
      String mismatch =
          version.isEmpty()
              ? null
              : firstMismatch(
                  mismatch(exchange, VERSION_HEADER, version),
                  mismatch(exchange, "Mcp-Method", method),
                  name == null ? null : mismatch(exchange, "Mcp-Name", name));
      if (version.isEmpty()) {
        refuse(
            exchange,
            message,
            INVALID_PARAMS,
            "_meta needs " + VERSION_MEMBER + " (a text): \"" + STATELESS + "\"");
        return;
      }
      if (mismatch != null) {
        refuse(exchange, message, HEADER_MISMATCH, mismatch);
        return;
      }
    }
    serve(exchange, agents.of(pass), message, true);
  }

  private static @Nullable String firstMismatch(@Nullable String... mismatches) {
    for (String mismatch : mismatches) {
      if (mismatch != null) {
        return mismatch;
      }
    }
    return null;
  }

  /** Returns the error of a header that must repeat a part of the body, or null. */
  private static @Nullable String mismatch(Exchange exchange, String header, String value) {
    String given = exchange.header(header);
    return given != null && decoded(given).equals(value)
        ? null
        : "the header "
            + header
            + (given == null ? " is missing: it" : " is " + RalphException.quote(given) + ", but")
            + " must match the body: "
            + RalphException.quote(value);
  }

  /** Returns the value of a header, decoded from Base64 if it is encoded. */
  private static String decoded(String value) {
    if (!value.startsWith("=?base64?") || !value.endsWith("?=") || value.length() < 11) {
      return value;
    }
    try {
      return new String(
          Base64.getDecoder().decode(value.substring(9, value.length() - 2)),
          StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return value;
    }
  }

  private void initialize(Exchange exchange, AgentPass pass, Meta message, Meta params)
      throws IOException {
    String asked = params.string("protocolVersion");
    if (asked == null || asked.isBlank()) {
      refuse(exchange, message, INVALID_PARAMS, "initialize needs a protocolVersion (a text)");
      return;
    }
    // Earlier revisions use another transport, so the newest revision with sessions is offered.
    Meta known =
        IN_SESSION.contains(asked)
            ? message
            : message.with("params", params.with("protocolVersion", IN_SESSION.get(1)));
    String id = agents.begin(pass);
    exchange.setHeader(SESSION_HEADER, id);
    serve(exchange, Objects.requireNonNull(agents.inSession(id, pass)), known, false);
  }

  private void inSession(Exchange exchange, AgentPass pass, Meta message, String session)
      throws IOException {
    String version = exchange.header(VERSION_HEADER);
    if (version != null && !IN_SESSION.contains(version)) {
      refuse(
          exchange,
          message,
          INVALID_REQUEST,
          VERSION_HEADER + " must be one of " + String.join(", ", IN_SESSION));
      return;
    }
    ConnectedAgents.Agent agent = agents.inSession(session, pass);
    if (agent == null) {
      throw new HttpFailure(404, "unknown or expired session; send initialize again");
    }
    serve(exchange, agent, message, false);
  }

  private void serve(
      Exchange exchange, ConnectedAgents.Agent agent, Meta message, boolean isStateless) {
    HttpReplies[] self = new HttpReplies[1];
    HttpReplies replies =
        new HttpReplies(
            exchange,
            isStateless,
            message.has("id") && message.has("method"),
            // A client with a session may reconnect and request the result, so its call continues.
            isStateless ? () -> agent.server().cancel(self[0]) : () -> {});
    self[0] = replies;
    agent.server().receive(message, replies);
    if (!replies.isDone()) {
      waiting.add(replies);
    }
  }

  /** Opens an event stream without events, because all messages are sent with replies. */
  private void listen(Exchange exchange) throws IOException {
    AgentPass pass = who.apply(exchange);
    String session = exchange.header(SESSION_HEADER);
    if (session == null) {
      throw new HttpFailure(405, "a stream needs a session; without a session use POST");
    }
    ConnectedAgents.Agent agent = agents.inSession(session, pass);
    if (agent == null) {
      throw new HttpFailure(404, "unknown or expired session; send initialize again");
    }
    agent.hasStream(exchange.events());
  }

  private void delete(Exchange exchange) throws IOException {
    AgentPass pass = who.apply(exchange);
    String session = exchange.header(SESSION_HEADER);
    if (session == null || agents.inSession(session, pass) == null) {
      throw new HttpFailure(404, "unknown or expired session");
    }
    agents.end(session);
    exchange.status(204);
  }

  private static String version(Meta params) {
    Meta meta = params.object("_meta");
    String version = meta == null ? null : meta.string(VERSION_MEMBER);
    return version == null ? "" : version;
  }

  /**
   * Rejects a message before it is processed.
   *
   * @param message the message, or null if it is unreadable
   */
  private static void refuse(Exchange exchange, @Nullable Meta message, int code, String reason)
      throws IOException {
    Object id = message == null ? null : message.value("id");
    String json =
        Meta.of("jsonrpc", "2.0")
            .with("id", id instanceof String || id instanceof Long ? id : null)
            .with("error", Meta.of("code", code).with("message", reason))
            .json();
    exchange.send(400, "application/json", json.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    agents.close();
  }
}

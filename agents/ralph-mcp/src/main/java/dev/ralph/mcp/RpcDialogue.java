package dev.ralph.mcp;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.mcp.ReplySender.Sender;
import java.io.ByteArrayInputStream;
import java.lang.System.Logger.Level;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The exchange of JSON-RPC messages with one client, over any transport. Each message except
 * notifications is answered. Calls by one thread keep their order.
 */
final class RpcDialogue {

  /**
   * The supported versions of the protocol, the newest last. The newest is offered to a client that
   * requests an unsupported version.
   */
  private static final List<String> VERSIONS =
      List.of("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25");

  private static final String INITIALIZE = "initialize";
  private static final String PING = "ping";
  private static final String DISCOVER = "server/discover";
  private static final String LISTEN = "subscriptions/listen";
  private static final String CALL = "tools/call";
  private static final String LIST = "tools/list";
  private static final List<String> METHODS = List.of(INITIALIZE, PING, CALL, LIST);
  private static final List<String> STATELESS_METHODS = List.of(DISCOVER, CALL, LIST, LISTEN);

  /**
   * The time in milliseconds that a client may cache data which stays constant in a running server.
   */
  private static final long FRESH_MILLIS = 60_000;

  private static final int INVALID_REQUEST = -32600;
  private static final int METHOD_NOT_FOUND = -32601;
  private static final int INVALID_PARAMS = -32602;
  private static final int INTERNAL_ERROR = -32603;
  private static final int NOT_INITIALIZED = -32002;
  private static final int UNSUPPORTED_VERSION = -32022;

  private final ReplySender answers = new ReplySender();
  private final ToolCalls calls;
  private final ServedTools tools;
  private final String instructions;
  private final Runnable onConnected;

  /**
   * The subscribers to changes of this server. A server never changes, so no notification is sent.
   */
  private final Set<Sender> listening = ConcurrentHashMap.newKeySet();

  private volatile boolean initializeSeen;
  private final AtomicBoolean connected = new AtomicBoolean();

  /**
   * Creates a dialogue.
   *
   * @param instructions the description of the server for the client
   * @param onConnected runs when the client has connected
   */
  RpcDialogue(ServedTools tools, String instructions, Runnable onConnected) {
    this.calls = new ToolCalls(tools, answers);
    this.tools = tools;
    this.instructions = instructions;
    this.onConnected = onConnected;
  }

  ReplySender answers() {
    return answers;
  }

  /**
   * Ends all subscriptions, rejects new calls and waits for the running calls.
   *
   * @param grace the longest wait
   */
  void drain(Duration grace) {
    listening.forEach(
        sender -> {
          if (listening.remove(sender)) {
            answers.result(sender, Meta.of("_meta", subscription(sender)));
          }
        });
    calls.drain(grace);
  }

  /** Cancels all calls that would reply to a disconnected client. */
  void cancel(SessionServer.Replies replies) {
    end(sender -> sender.replies() == replies);
  }

  private void end(Predicate<Sender> request) {
    listening.forEach(
        sender -> {
          if (request.test(sender) && listening.remove(sender)) {
            answers.none(sender);
          }
        });
    calls.cancel(request);
  }

  /**
   * Receives a message.
   *
   * @param batch the batch of the message, or null for a single message
   */
  void receive(Meta message, @Nullable ReplyBatch batch, SessionServer.Replies replies) {
    Sender sender = new Sender(id(message), batch, replies);
    String method = message.string("method");
    if (!message.has("method") && (message.has("result") || message.has("error"))) {
      answers.none(sender); // a response, although this server sends no requests
    } else if (!"2.0".equals(message.string("jsonrpc"))) {
      answers.error(
          sender, INVALID_REQUEST, "not a message of JSON-RPC 2.0: \"jsonrpc\" must be \"2.0\"");
    } else if (method == null) {
      answers.error(sender, INVALID_REQUEST, "a request needs a method (a text)");
    } else if (!message.has("id")) {
      notified(method, message.object("params"));
      answers.none(sender);
    } else if (message.value("id") instanceof String || message.integer("id").isPresent()) {
      request(method, sender, message);
    } else {
      answers.error(
          sender,
          INVALID_REQUEST,
          "an id must be a text, or a whole number of no more than 64 bits");
    }
  }

  /** Returns the id in JSON, or the word null if it is neither a text nor a number. */
  private static String id(Meta message) {
    Object id = message.value("id");
    if (!(id instanceof String || id instanceof Long || id instanceof BigDecimal)) {
      return MessageMembers.NO_ID;
    }
    try {
      return json(id);
    } catch (RalphException e) {
      // An unpaired surrogate must be sent back in its original escaped form.
      return new MessageMembers(
              new ByteArrayInputStream(message.json().getBytes(StandardCharsets.UTF_8)))
          .id();
    }
  }

  private static String json(Object id) {
    String member = Meta.of("id", id).json();
    return member.substring(member.indexOf(':') + 1, member.length() - 1);
  }

  private void request(String method, Sender sender, Meta message) {
    Meta params = message.object("params");
    if (message.value("params") != null && params == null) {
      answers.error(sender, INVALID_PARAMS, "params must be an object");
    } else if (params != null && RequestMeta.isIn(params) || method.equals(DISCOVER)) {
      stateless(method, sender.stateless(), params == null ? Meta.empty() : params);
    } else {
      inSession(method, sender, params == null ? Meta.empty() : params);
    }
  }

  /** Serves a stateless request with the client's version and capabilities. */
  private void stateless(String method, Sender sender, Meta params) {
    String version = RequestMeta.version(params);
    String missing = RequestMeta.missing(params);
    if (version != null && !version.equals(RequestMeta.VERSION)) {
      answers.error(
          sender,
          UNSUPPORTED_VERSION,
          "this protocol revision is not supported",
          Meta.of("supported", List.of(RequestMeta.VERSION)).with("requested", version));
    } else if (missing != null) {
      answers.error(sender, INVALID_PARAMS, missing);
    } else if (isKnown(method, STATELESS_METHODS, sender) && isRight(method, sender, params)) {
      connected();
      switch (method) {
        case DISCOVER -> answers.result(sender, fresh(discovered()));
        case LIST -> answers.result(sender, fresh(Meta.of("tools", tools.list())));
        case LISTEN -> listen(sender);
        default -> calls.begin(sender, params);
      }
    }
  }

  private void listen(Sender sender) {
    listening.add(sender);
    Meta heard = Meta.of("_meta", subscription(sender)).with("notifications", Meta.empty());
    if (!answers.notify(sender, "notifications/subscriptions/acknowledged", heard)
        && listening.remove(sender)) {
      answers.error(sender, INTERNAL_ERROR, "too many subscriptions; try again later");
    }
  }

  private static Meta subscription(Sender sender) {
    Object id = Meta.parse("{\"id\":" + sender.id() + "}").value("id");
    return Meta.of(RequestMeta.PREFIX + "subscriptionId", Objects.requireNonNull(id, "an id"));
  }

  private Meta discovered() {
    return Meta.of("supportedVersions", List.of(RequestMeta.VERSION))
        .with("capabilities", Meta.of("tools", Meta.empty()))
        .with("instructions", instructions);
  }

  private static Meta fresh(Meta result) {
    return result.with("ttlMs", FRESH_MILLIS).with("cacheScope", "private");
  }

  /** Serves a request of a protocol session: {@code initialize}, or a request after it. */
  private void inSession(String method, Sender sender, Meta params) {
    if (!isKnown(method, METHODS, sender) || !isRight(method, sender, params)) {
      return;
    }
    if (method.equals(PING)) {
      answers.result(sender, Meta.empty());
    } else if (method.equals(INITIALIZE)) {
      initializeSeen = true;
      answers.result(sender, welcome(String.valueOf(params.string("protocolVersion"))));
    } else if (!initializeSeen) {
      answers.error(sender, NOT_INITIALIZED, "send initialize first");
    } else {
      // Clients may request the tools before the initialized notification, or never send it.
      connected();
      if (method.equals(LIST)) {
        answers.result(sender, Meta.of("tools", tools.list()));
      } else {
        calls.begin(sender, params);
      }
    }
  }

  private boolean isKnown(String method, List<String> methods, Sender sender) {
    if (methods.contains(method)) {
      return true;
    }
    answers.error(
        sender,
        METHOD_NOT_FOUND,
        "unknown method "
            + RalphException.quote(method)
            + "; methods: "
            + String.join(", ", methods));
    return false;
  }

  private boolean isRight(String method, Sender sender, Meta params) {
    String wrong = wrong(method, params);
    if (wrong == null) {
      return true;
    }
    answers.error(sender, INVALID_PARAMS, wrong);
    return false;
  }

  /** Returns the error in a request's params with its correction, or null. */
  private @Nullable String wrong(String method, Meta params) {
    return switch (method) {
      case INITIALIZE -> {
        String version = params.string("protocolVersion");
        yield version == null || version.isBlank()
            ? "initialize needs params with a protocolVersion, for example "
                + VERSIONS.get(VERSIONS.size() - 1)
            : null;
      }
      case CALL -> {
        String name = params.string("name");
        if (name == null) {
          yield "tools/call needs params with a tool's name; tools/list returns the names";
        }
        if (params.value("arguments") != null && params.object("arguments") == null) {
          yield "arguments must be an object of the tool's arguments by name; omit it if empty";
        }
        yield tools.has(name)
            ? null
            : "unknown tool "
                + RalphException.quote(name)
                + "; tools: "
                + String.join(", ", tools.names());
      }
      case LIST -> {
        Object cursor = params.value("cursor");
        yield cursor == null || cursor.equals("")
            ? null
            : "unknown cursor: all tools are returned in one reply; omit the cursor";
      }
      default -> null;
    };
  }

  private Meta welcome(String asked) {
    String version = VERSIONS.contains(asked) ? asked : VERSIONS.get(VERSIONS.size() - 1);
    return Meta.of("protocolVersion", version)
        .with("capabilities", Meta.of("tools", Meta.of("listChanged", false)))
        .with("serverInfo", ReplySender.server())
        .with("instructions", instructions);
  }

  private void notified(String method, @Nullable Meta params) {
    if (method.equals("notifications/cancelled") && params != null) {
      Object request = params.value("requestId");
      if (request instanceof String || request instanceof Long) {
        String id = json(request);
        end(sender -> sender.id().equals(id));
      }
    }
    // Other notifications are ignored.
  }

  private void connected() {
    if (connected.getAndSet(true)) {
      return;
    }
    try {
      onConnected.run();
    } catch (RuntimeException e) {
      log().log(Level.WARNING, "the action on the client's connection failed", e);
    }
  }

  private static System.Logger log() {
    return System.getLogger(RpcDialogue.class.getName());
  }
}

package dev.ralph.mcp;

import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.mcp.Answers.Sender;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.lang.System.Logger.Level;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Messages of JSON-RPC as lines over two streams, for one client. Whatever comes is answered, also
 * a line that is no message, and what is under way when the input ends.
 */
final class Connection {

  /** The versions of the protocol, the newest last: it answers a version that is none of them. */
  private static final List<String> VERSIONS =
      List.of("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25");

  private static final String INITIALIZE = "initialize";
  private static final String PING = "ping";
  private static final String CALL = "tools/call";
  private static final String LIST = "tools/list";
  private static final List<String> METHODS = List.of(INITIALIZE, PING, CALL, LIST);

  private static final int LONGEST_LINE = 16 << 20;

  private static final int END = -1;

  private static final int PARSE_ERROR = -32700;
  private static final int INVALID_REQUEST = -32600;
  private static final int METHOD_NOT_FOUND = -32601;
  private static final int INVALID_PARAMS = -32602;
  private static final int NOT_INITIALIZED = -32002;

  private final InputStream in;
  private final Answers answers;
  private final Calls calls;
  private final ServedTools tools;
  private final String instructions;
  private final Runnable onConnected;

  // Only the reading thread looks at these.
  private boolean initializeSeen;
  private boolean connected;

  private volatile boolean closed;

  /**
   * @param instructions what the client is told of the server
   * @param onConnected what to do when the client has connected
   */
  Connection(
      InputStream in,
      OutputStream out,
      ServedTools tools,
      String instructions,
      Runnable onConnected) {
    this.in = in;
    this.answers = new Answers(out);
    this.calls = new Calls(tools, answers);
    this.tools = tools;
    this.instructions = instructions;
    this.onConnected = onConnected;
  }

  /**
   * Reads and answers until the input ends or fails. The calls under way are then still answered,
   * for so long at the most.
   */
  void run(Duration grace) {
    Lines lines = new Lines(in, LONGEST_LINE);
    try {
      while (!closed) {
        byte[] line = lines.next();
        if (line == null) {
          break;
        }
        if (lines.cut()) {
          refuse(
              new SequenceInputStream(new ByteArrayInputStream(line), lines.rest()),
              "the line is too long: a message may have " + LONGEST_LINE + " bytes");
        } else if (firstOf(line) == '[') {
          receiveBatch(line);
        } else if (firstOf(line) != END) {
          receive(line);
        }
      }
    } catch (IOException e) {
      log().log(Level.DEBUG, "the input of an MCP server failed", e);
    }
    drain(grace);
  }

  /** Lets the calls under way be answered, for so long at the most, and takes no others. */
  void drain(Duration grace) {
    closed = true;
    calls.drain(grace);
  }

  private void receive(byte[] line) {
    Meta message;
    try {
      message = Meta.parse(text(line));
    } catch (RalphException | CharacterCodingException e) {
      // A line with a byte that is no UTF-8 may be a notification as well, but then it is broken.
      refuse(
          new ByteArrayInputStream(line),
          "a line must be one JSON object in UTF-8: " + e.getMessage());
      return;
    }
    receive(message, null);
  }

  private void receive(Meta message, @Nullable ReplyBatch batch) {
    Sender sender = new Sender(id(message), batch);
    String method = message.string("method");
    if (!message.has("method") && (message.has("result") || message.has("error"))) {
      answers.none(sender); // An answer, and nothing was asked of the client.
    } else if (!"2.0".equals(message.string("jsonrpc"))) {
      answers.error(
          sender, INVALID_REQUEST, "not a message of JSON-RPC 2.0: \"jsonrpc\" must be \"2.0\"");
    } else if (method == null) {
      answers.error(sender, INVALID_REQUEST, "a request needs a method, which is a text");
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

  /** Returns the id in JSON; the word null if there is none that is a text or a number. */
  private static String id(Meta message) {
    Object id = message.value("id");
    if (!(id instanceof String || id instanceof Long || id instanceof BigDecimal)) {
      return MessageMembers.NO_ID;
    }
    try {
      String member = Meta.of("id", id).json();
      return member.substring(member.indexOf(':') + 1, member.length() - 1);
    } catch (RalphException e) {
      // Half a character can only be told as it came.
      return new MessageMembers(
              new ByteArrayInputStream(message.json().getBytes(StandardCharsets.UTF_8)))
          .id();
    }
  }

  /** Answers what is no message, to whatever id can be read in it. */
  private void refuse(InputStream line, String reason) {
    MessageMembers members = new MessageMembers(line);
    if (members.wantsAnswer()) {
      answers.error(new Sender(members.id(), null), PARSE_ERROR, reason);
    } else {
      log().log(Level.DEBUG, "a message that wants no answer was left out: {0}", reason);
    }
  }

  private static String text(byte[] line) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
  }

  /** Returns the first byte that is no white space, or {@link #END}. */
  private static int firstOf(byte[] line) {
    for (byte b : line) {
      if (b != ' ' && b != '\t' && b != '\r') {
        return b;
      }
    }
    return END;
  }

  /** Serves messages that came as one array. */
  private void receiveBatch(byte[] line) {
    Meta wrapped;
    try {
      wrapped = Meta.parse("{\"messages\":" + text(line) + "}");
    } catch (RalphException | CharacterCodingException e) {
      answers.error(
          Answers.NOBODY,
          PARSE_ERROR,
          "a line must be one JSON object, or an array of them, in UTF-8");
      return;
    }
    if (wrapped.keys().size() > 1
        || !(wrapped.value("messages") instanceof List<?> messages)
        || messages.isEmpty()) {
      answers.error(
          Answers.NOBODY, INVALID_REQUEST, "a line must be one JSON object, or an array of them");
      return;
    }
    ReplyBatch batch = new ReplyBatch(messages.size());
    for (Object message : messages) {
      if (message instanceof Meta object) {
        receive(object, batch);
      } else {
        answers.error(
            new Sender(MessageMembers.NO_ID, batch),
            PARSE_ERROR,
            "each message of an array must be a JSON object");
      }
    }
  }

  private void request(String method, Sender sender, Meta message) {
    if (!METHODS.contains(method)) {
      answers.error(
          sender,
          METHOD_NOT_FOUND,
          "there is no method "
              + RalphException.quote(method)
              + "; there are "
              + String.join(", ", METHODS));
      return;
    }
    if (message.value("params") != null && message.object("params") == null) {
      answers.error(sender, INVALID_PARAMS, "params must be an object");
      return;
    }
    Meta given = message.object("params");
    Meta params = given == null ? Meta.empty() : given;
    String wrong = wrong(method, params);
    if (wrong != null) {
      answers.error(sender, INVALID_PARAMS, wrong);
    } else if (method.equals(PING)) {
      answers.result(sender, Meta.empty());
    } else if (method.equals(INITIALIZE)) {
      initializeSeen = true;
      answers.result(sender, welcome(String.valueOf(params.string("protocolVersion"))));
    } else if (!initializeSeen) {
      answers.error(sender, NOT_INITIALIZED, "send initialize first");
    } else {
      // That it is initialized it may say before it has the tools, or not at all.
      connected();
      if (method.equals(LIST)) {
        answers.result(sender, Meta.of("tools", tools.list()));
      } else {
        calls.begin(sender, Objects.requireNonNull(message.value("id"), "a request's id"), params);
      }
    }
  }

  /** Returns what is wrong with a request's params, and what is right; null if nothing is. */
  private @Nullable String wrong(String method, Meta params) {
    return switch (method) {
      case INITIALIZE -> {
        String version = params.string("protocolVersion");
        yield version == null || version.isBlank()
            ? "initialize needs params with a protocolVersion, which is a text such as "
                + VERSIONS.get(VERSIONS.size() - 1)
            : null;
      }
      case CALL -> {
        String name = params.string("name");
        if (name == null) {
          yield "tools/call needs params with the name of a tool, which is a text; tools/list"
              + " returns the names";
        }
        if (params.value("arguments") != null && params.object("arguments") == null) {
          yield "arguments must be an object that holds the tool's arguments by name; leave it out"
              + " if there are none";
        }
        yield tools.has(name)
            ? null
            : "there is no tool "
                + RalphException.quote(name)
                + "; there are "
                + String.join(", ", tools.names());
      }
      case LIST -> {
        Object cursor = params.value("cursor");
        yield cursor == null || cursor.equals("")
            ? null
            : "there is no such cursor: all tools come in one reply, so leave it out";
      }
      default -> null;
    };
  }

  private Meta welcome(String asked) {
    String version = VERSIONS.contains(asked) ? asked : VERSIONS.get(VERSIONS.size() - 1);
    return Meta.of("protocolVersion", version)
        .with("capabilities", Meta.of("tools", Meta.of("listChanged", false)))
        .with("serverInfo", Meta.of("name", "ralph").with("version", Ralph.version()))
        .with("instructions", instructions);
  }

  private void notified(String method, @Nullable Meta params) {
    if (method.equals("notifications/cancelled") && params != null) {
      Object request = params.value("requestId");
      if (request != null) {
        calls.cancel(request);
      }
    }
    // No other one means anything to a server of tools.
  }

  private void connected() {
    if (connected) {
      return;
    }
    connected = true;
    try {
      onConnected.run();
    } catch (RuntimeException e) {
      log().log(Level.WARNING, "what was to be done when the client connected failed", e);
    }
  }

  private static System.Logger log() {
    return System.getLogger(Connection.class.getName());
  }
}

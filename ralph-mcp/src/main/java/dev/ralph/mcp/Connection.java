package dev.ralph.mcp;

import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import dev.ralph.tool.ToolResult;
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
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Messages of JSON-RPC as lines over two streams, for one client. Whatever comes is answered, also
 * a line that is no message, and what is under way when the input ends. It knows when a reply was
 * written, because what it shows is then not shown again.
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

  /** Half a character, as a text has that was cut within one. */
  private static final Pattern HALF_CHARACTER = Pattern.compile("\\p{Cs}");

  private static final int LONGEST_LINE = 16 << 20;
  private static final int MOST_THREADS = 16;

  private static final int END = -1;

  private static final int PARSE_ERROR = -32700;
  private static final int INVALID_REQUEST = -32600;
  private static final int METHOD_NOT_FOUND = -32601;
  private static final int INVALID_PARAMS = -32602;
  private static final int NOT_INITIALIZED = -32002;

  private final InputStream in;
  private final OutputStream out;
  private final ServedTools tools;
  private final String instructions;
  private final Runnable onConnected;
  private final ReentrantLock writing = new ReentrantLock();
  private final AtomicInteger threads = new AtomicInteger();

  /**
   * A call beyond the most threads is made by the reading thread, which so reads no more of them.
   */
  private final ExecutorService workers = threads(0, MOST_THREADS, new SynchronousQueue<>());

  /** Makes the calls that change something, one after the other. */
  private final ExecutorService changes = threads(1, 1, new LinkedBlockingQueue<>());

  /** The calls that the client waits for, and of each the id of its request. */
  private final Map<FutureTask<?>, Object> awaited = new ConcurrentHashMap<>();

  // Only the reading thread looks at these.
  private CountDownLatch lastChange = new CountDownLatch(0);
  private boolean initializeSeen;
  private boolean initialized;

  private volatile boolean closed;

  /**
   * What a message is answered to.
   *
   * @param id in JSON, the word null if it is not known
   * @param batch what it came with, or null if it came alone
   */
  private record Sender(String id, @Nullable ReplyBatch batch) {}

  private static final Sender NOBODY = new Sender(MessageMembers.NO_ID, null);

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
    this.out = out;
    this.tools = tools;
    this.instructions = instructions;
    this.onConnected = onConnected;
  }

  private ExecutorService threads(int least, int most, BlockingQueue<Runnable> waiting) {
    return new ThreadPoolExecutor(
        least,
        most,
        10,
        TimeUnit.SECONDS,
        waiting,
        task -> {
          Thread thread = new Thread(task, "ralph-mcp-" + threads.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        },
        new ThreadPoolExecutor.CallerRunsPolicy());
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
    workers.shutdown();
    changes.shutdown();
    try {
      if (!haveEnded(grace)) {
        awaited.keySet().forEach(work -> work.cancel(true));
        // What an interrupted call has started ends with it.
        boolean unused = haveEnded(grace);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      workers.shutdownNow();
      changes.shutdownNow();
    }
  }

  private boolean haveEnded(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    return workers.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS)
        && changes.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  // ---- what comes

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
      reply(sender, null, () -> {}); // An answer, and nothing was asked of the client.
    } else if (!"2.0".equals(message.string("jsonrpc"))) {
      error(sender, INVALID_REQUEST, "not a message of JSON-RPC 2.0: \"jsonrpc\" must be \"2.0\"");
    } else if (method == null) {
      error(sender, INVALID_REQUEST, "a request needs a method, which is a text");
    } else if (!message.has("id")) {
      notified(method, message.object("params"));
      reply(sender, null, () -> {});
    } else if (message.value("id") instanceof String || message.integer("id").isPresent()) {
      request(method, sender, message);
    } else {
      error(
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
      error(NOBODY, PARSE_ERROR, "a line must be one JSON object, or an array of them, in UTF-8");
      return;
    }
    if (wrapped.keys().size() > 1
        || !(wrapped.value("messages") instanceof List<?> messages)
        || messages.isEmpty()) {
      error(NOBODY, INVALID_REQUEST, "a line must be one JSON object, or an array of them");
      return;
    }
    ReplyBatch batch = new ReplyBatch(messages.size());
    for (Object message : messages) {
      if (message instanceof Meta object) {
        receive(object, batch);
      } else {
        error(
            new Sender(MessageMembers.NO_ID, batch),
            PARSE_ERROR,
            "each message of an array must be a JSON object");
      }
    }
  }

  private void request(String method, Sender sender, Meta message) {
    if (!METHODS.contains(method)) {
      error(
          sender,
          METHOD_NOT_FOUND,
          "there is no method "
              + RalphException.quote(method)
              + "; there are "
              + String.join(", ", METHODS));
      return;
    }
    if (message.value("params") != null && message.object("params") == null) {
      error(sender, INVALID_PARAMS, "params must be an object");
      return;
    }
    Meta given = message.object("params");
    Meta params = given == null ? Meta.empty() : given;
    String wrong = wrong(method, params);
    if (wrong != null) {
      error(sender, INVALID_PARAMS, wrong);
    } else if (method.equals(PING)) {
      result(sender, Meta.empty());
    } else if (method.equals(INITIALIZE)) {
      initializeSeen = true;
      result(sender, welcome(String.valueOf(params.string("protocolVersion"))));
    } else if (!initializeSeen) {
      error(sender, NOT_INITIALIZED, "send initialize first");
    } else {
      // A client that asks for tools has seen the reply, whether it says so or not.
      initialized();
      if (method.equals(LIST)) {
        result(sender, Meta.of("tools", tools.list()));
      } else {
        call(sender, Objects.requireNonNull(message.value("id"), "a request's id"), params);
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
    if (method.equals("notifications/initialized")) {
      if (initializeSeen) {
        initialized();
      }
    } else if (method.equals("notifications/cancelled") && params != null) {
      Object request = params.value("requestId");
      if (request != null) {
        cancel(request);
      }
    }
    // No other one means anything to a server of tools.
  }

  private void initialized() {
    if (initialized) {
      return;
    }
    initialized = true;
    try {
      onConnected.run();
    } catch (RuntimeException e) {
      log().log(Level.WARNING, "what was to be done when the client connected failed", e);
    }
  }

  // ---- calls

  /**
   * Makes a call. A client sends the calls of one turn at once, and means them in that order. So
   * what changes something waits for its turn, and what does not, for the changes before it.
   *
   * @param id the request's
   */
  private void call(Sender sender, Object id, Meta params) {
    AgentTools.Call call = begin(params);
    Consumer<String> progress = progress(params);
    boolean queued = tools.isQueued(String.valueOf(params.string("name")));
    CountDownLatch before = lastChange;
    CountDownLatch ended = new CountDownLatch(1);
    AtomicReference<Meta> result = new AtomicReference<>();
    FutureTask<Void> work =
        new FutureTask<>(
            () -> {
              if (!queued) {
                before.await();
              }
              result.set(run(call, progress));
              return null;
            });
    awaited.put(work, id);
    Runnable whole =
        () -> {
          try {
            work.run();
            answer(sender, call, work, result.get());
          } finally {
            ended.countDown();
          }
        };
    if (queued) {
      lastChange = ended;
    }
    (queued ? changes : workers).execute(whole);
  }

  /** Not while a reply is being written, so that a call that follows it is known to. */
  private AgentTools.Call begin(Meta params) {
    writing.lock();
    try {
      return tools.begin(String.valueOf(params.string("name")), params.object("arguments"));
    } catch (RuntimeException | Error e) {
      return new Failed(failure(e));
    } finally {
      writing.unlock();
    }
  }

  /** Runs a call. A failure that its tool has not made a result of is a result as well. */
  private static Meta run(AgentTools.Call call, Consumer<String> progress) {
    try {
      return content(call.run(progress));
    } catch (RuntimeException | Error e) {
      return content(failure(e));
    }
  }

  private static ToolResult failure(Throwable e) {
    if (e instanceof RalphException) {
      return ToolResult.error(String.valueOf(e.getMessage()));
    }
    log().log(Level.WARNING, "a tool failed", e);
    return ToolResult.error("internal error: " + RalphException.quote(e.toString()));
  }

  private static Meta content(ToolResult result) {
    String text = HALF_CHARACTER.matcher(result.text()).replaceAll("\uFFFD");
    return Meta.of("content", List.of(Meta.of("type", "text").with("text", text)))
        .with("isError", result.isError());
  }

  /** A call that could not begin. */
  private record Failed(ToolResult result) implements AgentTools.Call {

    @Override
    public ToolResult run(Consumer<String> progress) {
      return result;
    }

    @Override
    public void answered() {
      // It shows no messages.
    }
  }

  /**
   * Answers a call that has ended, unless the client waits for it no more.
   *
   * @param result null if it was cancelled, or the connection closed, before it began
   */
  private void answer(
      Sender sender, AgentTools.Call call, FutureTask<?> work, @Nullable Meta result) {
    if (work.isCancelled()) {
      // What interrupted the call may close the stream that the others of its batch go to.
      boolean unused = Thread.interrupted();
    }
    String reply = result == null ? null : json(sender, "result", result);
    writing.lock();
    try {
      reply(sender, awaited.remove(work) == null ? null : reply, () -> answered(call));
    } finally {
      writing.unlock();
    }
  }

  private static void answered(AgentTools.Call call) {
    try {
      call.answered();
    } catch (RuntimeException | Error e) {
      log().log(Level.WARNING, "a tool failed at being told that it was answered", e);
    }
  }

  /** Returns what tells the client how far a call is, if it has said how. */
  private Consumer<String> progress(Meta params) {
    Meta meta = params.object("_meta");
    Object token = meta == null ? null : meta.value("progressToken");
    if (!(token instanceof String || token instanceof Long)) {
      return message -> {};
    }
    AtomicInteger count = new AtomicInteger();
    return message -> {
      Meta told =
          Meta.of("progressToken", token)
              .with("progress", count.incrementAndGet())
              .with("message", message);
      write(
          Meta.of("jsonrpc", "2.0")
              .with("method", "notifications/progress")
              .with("params", told)
              .json());
    };
  }

  /**
   * Ends a call that the client waits for no more. Not while a reply is being written, since an
   * interruption may close the stream that is written to.
   */
  private void cancel(Object request) {
    writing.lock();
    try {
      awaited.forEach(
          (work, id) -> {
            if (id.equals(request)) {
              awaited.remove(work);
              work.cancel(true);
            }
          });
    } finally {
      writing.unlock();
    }
  }

  // ---- what goes

  /** Answers what is no message, to whatever id can be read in it. */
  private void refuse(InputStream line, String reason) {
    MessageMembers members = new MessageMembers(line);
    if (members.wantsAnswer()) {
      error(new Sender(members.id(), null), PARSE_ERROR, reason);
    } else {
      log().log(Level.DEBUG, "a message that wants no answer was left out: {0}", reason);
    }
  }

  private void result(Sender sender, Meta result) {
    reply(sender, json(sender, "result", result), () -> {});
  }

  /** Answers that a request is not served. */
  private void error(Sender sender, int code, String reason) {
    Meta error = Meta.of("code", code).with("message", reason);
    reply(sender, json(sender, "error", error), () -> {});
  }

  private static String json(Sender sender, String kind, Meta value) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + sender.id() + ",\"" + kind + "\":" + value.json() + "}";
  }

  /**
   * Writes a reply, or keeps it until all others of its batch are there.
   *
   * @param reply null if there is none: the message wants none, or its call was cancelled
   * @param written what to do when it was written
   */
  private void reply(Sender sender, @Nullable String reply, Runnable written) {
    writing.lock();
    try {
      ReplyBatch batch = sender.batch();
      if (batch == null) {
        if (reply != null && write(reply)) {
          written.run();
        }
        return;
      }
      batch.add(reply, written);
      if (batch.isComplete() && !batch.isEmpty() && write(batch.json())) {
        batch.written();
      }
    } finally {
      writing.unlock();
    }
  }

  /** Returns whether the message was written. */
  private boolean write(String message) {
    byte[] line = (message + "\n").getBytes(StandardCharsets.UTF_8);
    writing.lock();
    try {
      out.write(line);
      out.flush();
      return true;
    } catch (IOException e) {
      log().log(Level.DEBUG, "a reply could not be written: the client is gone", e);
      return false;
    } finally {
      writing.unlock();
    }
  }

  private static System.Logger log() {
    return System.getLogger(Connection.class.getName());
  }
}

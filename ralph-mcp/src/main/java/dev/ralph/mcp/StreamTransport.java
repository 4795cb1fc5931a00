package dev.ralph.mcp;

import dev.ralph.RalphException;
import dev.ralph.tool.McpServerCommand;
import dev.ralph.tool.ToolCall;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpServerSession;
import io.modelcontextprotocol.spec.McpServerTransport;
import io.modelcontextprotocol.spec.McpServerTransportProvider;
import io.modelcontextprotocol.spec.ProtocolVersions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import reactor.core.publisher.Mono;

/**
 * Messages as lines of JSON over two streams, for one client. Where the SDK's own transport gives
 * up on a line that is no message, or drops the replies under way when the input ends, this one
 * answers; and it knows when a reply was written, which says what the client's next call can have
 * seen.
 */
final class StreamTransport implements McpServerTransportProvider {

  /** The context's key for the {@link Call}. */
  static final String CALL = "ralph.call";

  /**
   * A call of a tool.
   *
   * @param progress tells the client how far it is; does nothing if the client did not ask for that
   */
  record Call(ToolCall call, Consumer<String> progress) {}

  private static final int LONGEST_LINE = 16 << 20;
  private static final int MOST_THREADS = 16;
  private static final int PARSE_ERROR = -32700;
  private static final int NOT_INITIALIZED = -32002;

  /**
   * What is served. The SDK would take others, for capabilities that are not declared, and let them
   * wait for an initialization that may never come.
   */
  private static final List<String> METHODS =
      List.of(
          McpSchema.METHOD_INITIALIZE,
          McpSchema.METHOD_PING,
          McpSchema.METHOD_TOOLS_CALL,
          McpSchema.METHOD_TOOLS_LIST);

  private final WireJson json;
  private final InputStream in;
  private final OutputStream out;
  private final CallTracker calls;
  private final McpSchema.ListToolsResult tools;
  private final List<String> toolNames;
  private final Runnable onConnected;
  private final ReentrantLock writing = new ReentrantLock();
  private final ExecutorService workers;

  /** The calls under way, by the id of the client's request. */
  private final Map<Object, FutureTask<Void>> running = new ConcurrentHashMap<>();

  @Nullable private McpServerSession session;

  /** The batches that are not answered yet, by the ids of their requests. */
  private final Map<Object, MessageBatch> batches = new ConcurrentHashMap<>();

  // Only the reading thread looks at these.
  @Nullable private MessageBatch batch;
  private boolean initializeSeen;
  private boolean initialized;

  private volatile boolean closed;

  /**
   * @param tools those that a client is told of
   * @param onConnected what to do when the client has connected
   */
  StreamTransport(
      WireJson json,
      InputStream in,
      OutputStream out,
      CallTracker calls,
      List<McpSchema.Tool> tools,
      Runnable onConnected) {
    this.json = json;
    this.in = in;
    this.out = out;
    this.calls = calls;
    this.tools = McpSchema.ListToolsResult.builder(tools).build();
    this.toolNames = tools.stream().map(McpSchema.Tool::name).toList();
    this.onConnected = onConnected;
    AtomicInteger threads = new AtomicInteger();
    // A call beyond the most threads is made by the reading thread, which so reads no more of them.
    this.workers =
        new ThreadPoolExecutor(
            0,
            MOST_THREADS,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "ralph-mcp-" + threads.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            },
            new ThreadPoolExecutor.CallerRunsPolicy());
  }

  @Override
  public List<String> protocolVersions() {
    // The SDK answers a version that is not among them with the last one.
    return List.of(
        ProtocolVersions.MCP_2024_11_05,
        ProtocolVersions.MCP_2025_03_26,
        ProtocolVersions.MCP_2025_06_18,
        ProtocolVersions.MCP_2025_11_25);
  }

  @Override
  public void setSessionFactory(McpServerSession.Factory factory) {
    session = factory.create(new Connection());
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
          refuseTooBig(
              new SequenceInputStream(new ByteArrayInputStream(line), lines.rest()),
              "the line is too long: a message may have " + LONGEST_LINE + " bytes");
        } else {
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
    try {
      if (!workers.awaitTermination(grace.toMillis(), TimeUnit.MILLISECONDS)) {
        workers.shutdownNow();
        // What an interrupted call has started ends with it.
        boolean unused = workers.awaitTermination(grace.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      workers.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void receive(byte[] line) {
    if (isBlank(line)) {
      return;
    }
    Object read;
    try {
      read = json.read(line);
    } catch (WireJson.UnreadableException e) {
      if (e.tooBig()) {
        refuseTooBig(new ByteArrayInputStream(line), e.reason());
      } else {
        refuse(line, PARSE_ERROR, e.reason());
      }
      return;
    }
    Supplier<Object> idAsWritten = () -> new Outline(new ByteArrayInputStream(line)).id();
    if (read instanceof List<?> messages) {
      receive(new MessageBatch(new ArrayList<>(messages)));
    } else {
      receive((Map<?, ?>) read, idAsWritten);
    }
  }

  private void receive(MessageBatch received) {
    if (received.messages().isEmpty()) {
      answer(null, McpSchema.ErrorCodes.INVALID_REQUEST, "there is no message in the array");
      return;
    }
    for (Object message : received.messages()) {
      Object id = message instanceof Map<?, ?> members ? members.get("id") : null;
      if (isScalar(id)) {
        batches.put(id, received);
      }
    }
    batch = received;
    for (Object message : received.messages()) {
      if (message instanceof Map<?, ?> members) {
        receive(
            members,
            () -> isScalar(members.get("id")) ? members.get("id") : null);
      } else {
        answer(null, McpSchema.ErrorCodes.INVALID_REQUEST, "a message must be a JSON object");
      }
    }
    batch = null;
  }

  private static boolean isScalar(@Nullable Object id) {
    return id instanceof String || id instanceof Number;
  }

  /**
   * Serves one message.
   *
   * @param idAsWritten what to answer to where the message is none; null if that can't be read
   */
  private void receive(Map<?, ?> message, Supplier<Object> idAsWritten) {
    if (!message.containsKey("method")
        && (message.containsKey("result") || message.containsKey("error"))) {
      return; // An answer, and nothing was asked of the client.
    }
    Object id = message.get("id");
    if (!"2.0".equals(message.get("jsonrpc"))) {
      answer(
          idAsWritten.get(),
          McpSchema.ErrorCodes.INVALID_REQUEST,
          "not a message of JSON-RPC 2.0: \"jsonrpc\" must be \"2.0\"");
    } else if (!(message.get("method") instanceof String method)) {
      answer(
          idAsWritten.get(),
          McpSchema.ErrorCodes.INVALID_REQUEST,
          "a request needs a method, which is a text");
    } else if (!message.containsKey("id")) {
      notified(method, message.get("params"));
    } else if (id instanceof String || id instanceof Integer || id instanceof Long) {
      request(method, id, message.get("params"));
    } else {
      answer(
          idAsWritten.get(),
          McpSchema.ErrorCodes.INVALID_REQUEST,
          "an id must be a text, or a whole number of no more than 64 bits");
    }
  }

  private static boolean isBlank(byte[] line) {
    for (byte b : line) {
      if (b != ' ' && b != '\t' && b != '\r') {
        return false;
      }
    }
    return true;
  }

  private void request(String method, Object id, @Nullable Object params) {
    if (!METHODS.contains(method)) {
      answer(
          id,
          McpSchema.ErrorCodes.METHOD_NOT_FOUND,
          "there is no method "
              + RalphException.quote(method)
              + "; there are "
              + String.join(", ", METHODS));
      return;
    }
    String wrong = wrong(method, params);
    if (wrong != null) {
      answer(id, McpSchema.ErrorCodes.INVALID_PARAMS, wrong);
      return;
    }
    switch (method) {
      case McpSchema.METHOD_PING -> write(McpSchema.JSONRPCResponse.result(id, Map.of()));
      case McpSchema.METHOD_INITIALIZE -> {
        initializeSeen = true;
        handle(new McpSchema.JSONRPCRequest(method, id, params), McpTransportContext.EMPTY);
      }
      default -> {
        if (!initializeSeen) {
          answer(id, NOT_INITIALIZED, "send initialize first");
          return;
        }
        if (!initialized) {
          // A client that asks for tools has seen the reply; the SDK would wait for it to say so.
          initialized();
        }
        McpSchema.JSONRPCRequest request = new McpSchema.JSONRPCRequest(method, id, params);
        if (method.equals(McpSchema.METHOD_TOOLS_CALL)) {
          call(request, new Call(begin(id), progress(params)));
        } else {
          write(McpSchema.JSONRPCResponse.result(id, tools));
        }
      }
    }
  }

  private void call(McpSchema.JSONRPCRequest request, Call call) {
    McpTransportContext context = McpTransportContext.create(Map.of(CALL, call));
    FutureTask<Void> work = new FutureTask<>(() -> handle(request, context), null);
    running.put(request.id(), work);
    workers.execute(
        () -> {
          work.run();
          running.remove(request.id(), work);
          calls.ended(request.id());
        });
  }

  /** Returns what tells the client how far a call is, if it has said how. */
  private Consumer<String> progress(@Nullable Object params) {
    Object token =
        params instanceof Map<?, ?> members && members.get("_meta") instanceof Map<?, ?> meta
            ? meta.get("progressToken")
            : null;
    if (!(token instanceof String || token instanceof Number)) {
      return message -> {};
    }
    AtomicInteger count = new AtomicInteger();
    return message ->
        write(
            bytes(
                Map.of(
                    "jsonrpc",
                    "2.0",
                    "method",
                    "notifications/progress",
                    "params",
                    Map.of(
                        "progressToken",
                        token,
                        "progress",
                        count.incrementAndGet(),
                        "message",
                        message))),
            null,
            null);
  }

  /**
   * Ends a call that the client waits for no more. Not while a reply is being written, since an
   * interruption may close the stream that is written to.
   */
  private void cancel(Object request) {
    writing.lock();
    try {
      FutureTask<Void> work = running.get(request);
      if (calls.cancelled(request) && work != null) {
        work.cancel(true);
      }
    } finally {
      writing.unlock();
    }
  }

  /** Returns what is wrong with a request's params, and what is right; null if nothing is. */
  @Nullable
  private String wrong(String method, @Nullable Object params) {
    if (params != null && !(params instanceof Map)) {
      return "params must be an object";
    }
    Map<?, ?> members = params == null ? Map.of() : (Map<?, ?>) params;
    return switch (method) {
      case McpSchema.METHOD_INITIALIZE ->
          members.get("protocolVersion") instanceof String version && !version.isBlank()
              ? null
              : "initialize needs params with a protocolVersion, which is a text such as "
                  + ProtocolVersions.MCP_2025_11_25;
      case McpSchema.METHOD_TOOLS_CALL -> {
        if (!(members.get("name") instanceof String name)) {
          yield "tools/call needs params with the name of a tool, which is a text; tools/list"
              + " returns the names";
        }
        Object arguments = members.get("arguments");
        if (arguments != null && !(arguments instanceof Map)) {
          yield "arguments must be an object that holds the tool's arguments by name; leave it out"
              + " if there are none";
        }
        yield toolNames.contains(name) || name.equals(McpServerCommand.HOOK_TOOL)
            ? null
            : "there is no tool "
                + RalphException.quote(name)
                + "; there are "
                + String.join(", ", toolNames);
      }
      case McpSchema.METHOD_TOOLS_LIST -> {
        Object cursor = members.get("cursor");
        yield cursor == null || cursor.equals("")
            ? null
            : "there is no such cursor: all tools come in one reply, so leave it out";
      }
      default -> null;
    };
  }

  /** Not while a reply is being written, so that a call that follows it is known to. */
  private ToolCall begin(Object request) {
    writing.lock();
    try {
      return calls.begin(request);
    } finally {
      writing.unlock();
    }
  }

  private void notified(String method, @Nullable Object params) {
    if (method.equals(McpSchema.METHOD_NOTIFICATION_INITIALIZED)) {
      if (initializeSeen && !initialized) {
        initialized();
      }
    } else if (method.equals("notifications/cancelled") && params instanceof Map<?, ?> members) {
      Object request = members.get("requestId");
      if (request != null) {
        cancel(request);
      }
    }
    // No other one means anything to a server of tools.
  }

  private void initialized() {
    initialized = true;
    try {
      onConnected.run();
    } catch (RuntimeException e) {
      log().log(Level.WARNING, "what was to be done when the client connected failed", e);
    }
    handle(
        new McpSchema.JSONRPCNotification(McpSchema.METHOD_NOTIFICATION_INITIALIZED),
        McpTransportContext.EMPTY);
  }

  private void handle(McpSchema.JSONRPCMessage message, McpTransportContext context) {
    Objects.requireNonNull(session, "the server has not been built")
        .handle(message)
        .contextWrite(reactor -> reactor.put(McpTransportContext.KEY, context))
        .subscribe(
            nothing -> {},
            failure -> log().log(Level.WARNING, "an MCP message could not be handled", failure));
  }

  /** Answers what is no message, to whatever id can be read in it. */
  private void refuse(byte[] line, int code, String reason) {
    answer(new Outline(new ByteArrayInputStream(line)).id(), code, reason);
  }

  /** Answers what may be a message, but is too big, unless it is one that nobody answers. */
  private void refuseTooBig(InputStream line, String reason) {
    Outline outline = new Outline(line);
    if (outline.wantsAnswer()) {
      answer(outline.id(), PARSE_ERROR, reason);
    } else {
      log().log(Level.DEBUG, "a message that wants no answer was left out: {0}", reason);
    }
  }

  /**
   * Answers that a request is not served.
   *
   * @param id null if it is not known
   */
  private void answer(@Nullable Object id, int code, String reason) {
    Map<String, Object> reply = new LinkedHashMap<>();
    reply.put("jsonrpc", "2.0");
    reply.put("id", id);
    reply.put("error", new McpSchema.JSONRPCResponse.JSONRPCError(code, reason, null));
    // No call has begun, so that none is answered, even if the id is that of one under way.
    write(bytes(reply), null, id == null ? batch : batches.getOrDefault(id, batch));
  }

  private void write(McpSchema.JSONRPCMessage message) {
    Object request = message instanceof McpSchema.JSONRPCResponse response ? response.id() : null;
    write(bytes(message), request, request == null ? null : batches.get(request));
  }

  private byte[] bytes(Object message) {
    try {
      return json.writeValueAsBytes(message);
    } catch (IOException e) {
      throw new IllegalStateException("an MCP message could not be written as JSON", e);
    }
  }

  /**
   * @param request what the message answers, or null
   * @param to the batch that the message belongs to, or null
   */
  private void write(byte[] message, @Nullable Object request, @Nullable MessageBatch to) {
    writing.lock();
    try {
      boolean cancelled = request != null && calls.isCancelled(request);
      if (to == null) {
        if (!cancelled) {
          writeLine(message, request == null ? List.of() : List.of(request));
        }
        return;
      }
      if (cancelled) {
        to.skip();
      } else {
        to.add(message, request);
      }
      if (to.isComplete()) {
        batches.values().removeIf(each -> each == to);
        writeLine(to.json(), to.requests());
      }
    } catch (IOException e) {
      log().log(Level.DEBUG, "a reply could not be written: the client is gone", e);
    } finally {
      writing.unlock();
    }
  }

  private void writeLine(byte[] message, List<Object> requests) throws IOException {
    if (message.length == 0) {
      return;
    }
    byte[] line = Arrays.copyOf(message, message.length + 1);
    line[message.length] = '\n';
    out.write(line);
    out.flush();
    requests.forEach(calls::written);
  }

  private static System.Logger log() {
    return System.getLogger(StreamTransport.class.getName());
  }

  @Override
  public Mono<Void> notifyClients(String method, Object params) {
    return Objects.requireNonNull(session, "the server has not been built")
        .sendNotification(method, params);
  }

  @Override
  public Mono<Void> closeGracefully() {
    return Mono.fromRunnable(() -> closed = true);
  }

  /** What the SDK's session writes to. */
  private final class Connection implements McpServerTransport {

    @Override
    public Mono<Void> sendMessage(McpSchema.JSONRPCMessage message) {
      return Mono.fromRunnable(() -> write(message));
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
      return json.convertValue(data, type);
    }

    @Override
    public List<String> protocolVersions() {
      return StreamTransport.this.protocolVersions();
    }

    @Override
    public Mono<Void> closeGracefully() {
      return StreamTransport.this.closeGracefully();
    }
  }
}

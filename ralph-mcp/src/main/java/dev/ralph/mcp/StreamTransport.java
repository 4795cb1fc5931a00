package dev.ralph.mcp;

import dev.ralph.ToolCall;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpServerSession;
import io.modelcontextprotocol.spec.McpServerTransport;
import io.modelcontextprotocol.spec.McpServerTransportProvider;
import io.modelcontextprotocol.spec.ProtocolVersions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.Nullable;
import reactor.core.publisher.Mono;

/**
 * Messages as lines of JSON over two streams, for one client. Where the SDK's own transport gives
 * up on a line that is no message, or drops the replies under way when the input ends, this one
 * answers; and it knows when a reply was written, which says what the client's next call can have
 * seen.
 */
final class StreamTransport implements McpServerTransportProvider {

  /** The context's key for the {@link ToolCall}. */
  static final String CALL = "ralph.call";

  private static final int LONGEST_LINE = 16 << 20;
  private static final int MOST_THREADS = 16;
  private static final int PARSE_ERROR = -32700;
  private static final int NOT_INITIALIZED = -32002;

  /** What the SDK has a handler for, which would wait for an initialization that may never come. */
  private static final Set<String> NEEDS_INITIALIZATION = Set.of("tools/list", "tools/call");

  private final WireJson json;
  private final InputStream in;
  private final OutputStream out;
  private final CallTracker calls;
  private final Runnable onConnected;
  private final ReentrantLock writing = new ReentrantLock();
  private final ExecutorService workers;
  @Nullable private McpServerSession session;

  // Only the reading thread looks at these.
  private boolean initializeSeen;
  private boolean initialized;

  private volatile boolean closed;

  /**
   * @param onConnected what to do when the client has connected
   */
  StreamTransport(
      WireJson json, InputStream in, OutputStream out, CallTracker calls, Runnable onConnected) {
    this.json = json;
    this.in = in;
    this.out = out;
    this.calls = calls;
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
    return List.of(ProtocolVersions.MCP_2025_06_18, ProtocolVersions.MCP_2025_11_25);
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
    Lines lines = new Lines(in);
    try {
      while (!closed) {
        byte[] line = lines.next();
        if (line == null) {
          break;
        }
        receive(line);
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
    Map<String, Object> message;
    try {
      message = json.read(line);
    } catch (IOException e) {
      refuse(PARSE_ERROR, "not a JSON object in one line");
      return;
    }
    Object id = message.get("id");
    if (!"2.0".equals(message.get("jsonrpc"))) {
      refuse(McpSchema.ErrorCodes.INVALID_REQUEST, "not a message of JSON-RPC 2.0");
    } else if (!(message.get("method") instanceof String method)) {
      if (!message.containsKey("result") && !message.containsKey("error")) {
        refuse(McpSchema.ErrorCodes.INVALID_REQUEST, "a request needs a method");
      }
      // An answer, then, and nothing was asked of the client.
    } else if (!message.containsKey("id")) {
      notified(method, message.get("params"));
    } else if (id instanceof String || id instanceof Integer || id instanceof Long) {
      receive(new McpSchema.JSONRPCRequest(method, id, message.get("params")));
    } else {
      refuse(McpSchema.ErrorCodes.INVALID_REQUEST, "an id must be a text or a whole number");
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

  private void receive(McpSchema.JSONRPCRequest request) {
    String method = request.method();
    if (method.equals(McpSchema.METHOD_PING)) {
      write(McpSchema.JSONRPCResponse.result(request.id(), Map.of()));
      return;
    }
    if (method.equals(McpSchema.METHOD_INITIALIZE)) {
      initializeSeen = true;
    } else if (NEEDS_INITIALIZATION.contains(method)) {
      if (!initializeSeen) {
        write(
            McpSchema.JSONRPCResponse.error(
                request.id(),
                new McpSchema.JSONRPCResponse.JSONRPCError(
                    NOT_INITIALIZED, "send initialize first", null)));
        return;
      }
      if (!initialized) {
        // A client that asks for tools has seen the reply; the SDK would wait for it to say so.
        initialized();
      }
    }
    if (method.equals(McpSchema.METHOD_TOOLS_CALL)) {
      ToolCall call = begin(request.id());
      workers.execute(() -> handle(request, McpTransportContext.create(Map.of(CALL, call))));
    } else {
      handle(request, McpTransportContext.EMPTY);
    }
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
        calls.cancelled(request);
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

  /** Answers what is no request, so that there is no id to answer to. */
  private void refuse(int code, String message) {
    write(
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":"
                + code
                + ",\"message\":\""
                + message
                + "\"}}")
            .getBytes(StandardCharsets.UTF_8),
        null);
  }

  private void write(McpSchema.JSONRPCMessage message) {
    byte[] bytes;
    try {
      bytes = json.writeValueAsBytes(message);
    } catch (IOException e) {
      throw new IllegalStateException("an MCP message could not be written as JSON", e);
    }
    write(bytes, message instanceof McpSchema.JSONRPCResponse response ? response.id() : null);
  }

  /**
   * @param request what the message answers, or null
   */
  private void write(byte[] message, @Nullable Object request) {
    byte[] line = java.util.Arrays.copyOf(message, message.length + 1);
    line[message.length] = '\n';
    writing.lock();
    try {
      out.write(line);
      out.flush();
      if (request != null) {
        calls.written(request);
      }
    } catch (IOException e) {
      log().log(Level.DEBUG, "a reply could not be written: the client is gone", e);
    } finally {
      writing.unlock();
    }
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

  /** The lines of a stream; one that is too long to be a message comes out as no message. */
  private static final class Lines {
    private static final byte[] TOO_LONG = {'?'};

    private final InputStream in;
    private final byte[] buffer = new byte[64 * 1024];
    private int from;
    private int to;

    Lines(InputStream in) {
      this.in = in;
    }

    /** Returns the next line without its end, or null where there are no more. */
    @Nullable
    byte[] next() throws IOException {
      ByteArrayOutputStream line = null;
      boolean tooLong = false;
      while (true) {
        int end = from;
        while (end < to && buffer[end] != '\n') {
          end++;
        }
        if (line == null) {
          line = new ByteArrayOutputStream(Math.max(32, end - from));
        }
        if (line.size() + (end - from) > LONGEST_LINE) {
          tooLong = true;
        } else {
          line.write(buffer, from, end - from);
        }
        if (end < to) {
          from = end + 1;
          return tooLong ? TOO_LONG : line.toByteArray();
        }
        from = 0;
        to = Math.max(0, in.read(buffer));
        if (to == 0) {
          return line.size() == 0 ? null : tooLong ? TOO_LONG : line.toByteArray();
        }
      }
    }
  }
}

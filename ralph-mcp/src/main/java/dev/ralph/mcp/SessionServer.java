package dev.ralph.mcp;

import dev.ralph.CommandGate;
import dev.ralph.Ralph;
import dev.ralph.RalphException;
import dev.ralph.Session;
import dev.ralph.core.text.Excerpt;
import dev.ralph.log.Topic;
import dev.ralph.spi.Scru128;
import dev.ralph.tool.Delivery;
import dev.ralph.tool.ToolCall;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * Serves sessions to one agent as the tools of an MCP server, over two streams.
 *
 * <p>What is sent to the session while the agent works is added to the reply of whatever tool it
 * calls next; see {@link dev.ralph.Inbox#deliver}. Tasks that the agent claims are its own until it
 * has ended; then those it has not finished are given back.
 *
 * <pre>{@code
 * try (Ralph ralph = Ralph.open(path);
 *     SessionServer server = SessionServer.over(() -> ralph).session("auth").build()) {
 *   server.serve(System.in, System.out);
 * }
 * }</pre>
 *
 * <p>It opens the store when it is first needed, in the background, so that it answers at once. It
 * takes protocol versions from 2024-11-05 to 2025-11-25. One server serves once.
 */
public final class SessionServer implements AutoCloseable {

  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final Duration LONGEST_LEASE = Duration.ofDays(30);

  private final Supplier<Ralph> store;
  @Nullable private final String session;
  private final int iteration;
  private final boolean inLoop;
  private final Runnable onConnected;
  private final Duration lease;
  private final HeldClaims claims;
  private final CompletionGates gates;
  private final String reader = "agent-" + new Scru128(Clock.systemUTC()).next();
  private final CallTracker calls = new CallTracker(reader);
  private final Set<Session> used = ConcurrentHashMap.newKeySet();
  private final ReentrantLock opening = new ReentrantLock();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ReentrantLock closing = new ReentrantLock();

  /** Null until it is opened. */
  @Nullable private volatile Ralph ralph;

  @Nullable private volatile StreamTransport transport;
  private boolean closed;

  private SessionServer(Builder builder) {
    this.store = builder.store;
    this.session = builder.session;
    this.iteration = builder.iteration;
    this.inLoop = builder.inLoop;
    this.onConnected = builder.onConnected;
    this.lease = builder.lease;
    this.claims = new HeldClaims(builder.claimLease);
    this.gates = new CompletionGates(builder.gates, builder.directory, builder.gateLimit);
  }

  /**
   * Begins to set up a server.
   *
   * @param store opens the store, or returns one that is open; called once, from a thread of the
   *     server, and again after it failed. The server does not close it
   */
  public static Builder over(Supplier<Ralph> store) {
    return new Builder(store);
  }

  /**
   * Returns what a client is told of the tools, as a JSON array.
   *
   * @param session the session that the server is for, or null if each call names its own
   */
  public static String definitions(@Nullable String session) {
    List<McpSchema.Tool> definitions = listed(session == null);
    try {
      return new WireJson().writeValueAsString(definitions);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Serves until the input ends or the server is closed. Calls under way at the end of the input
   * are answered, unless they take longer than two seconds.
   *
   * @param in the client's messages, a line each; not closed
   * @param out where the replies go; nothing else may. Not closed
   * @throws RalphException INVALID if the server has served before
   */
  public void serve(InputStream in, OutputStream out) {
    WireJson json = new WireJson();
    StreamTransport served =
        new StreamTransport(json, in, out, calls, listed(session == null), onConnected);
    closing.lock();
    try {
      if (transport != null || closed) {
        throw RalphException.invalid("an MCP server serves once; make another one");
      }
      transport = served;
    } finally {
      closing.unlock();
    }
    start("ralph-mcp-open", this::warmUp);
    McpServer.sync(served)
        .jsonMapper(json)
        .jsonSchemaValidator(new NoSchemaValidator())
        .validateToolInputs(false)
        .immediateExecution(true)
        .serverInfo("ralph", Ralph.version())
        .instructions(instructions())
        .capabilities(McpSchema.ServerCapabilities.builder().tools(false).build())
        .tools(tools())
        .build();
    start(
        "ralph-mcp-read",
        () -> {
          try {
            served.run(GRACE);
          } finally {
            ended.countDown();
          }
        });
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private String instructions() {
    return "Tasks, notes and the operator's messages of "
        + (session == null ? "a session" : "session " + session)
        + ", kept for whoever works on it next. Take tasks with task_next; the operator's messages"
        + " come with tool results.";
  }

  private List<McpServerFeatures.SyncToolSpecification> tools() {
    List<McpServerFeatures.SyncToolSpecification> tools = new ArrayList<>();
    for (Tool tool : SessionTools.all()) {
      tools.add(
          specification(
              tool.definition(session == null), (begun, request) -> call(tool, begun, request)));
    }
    tools.add(specification(SteeringHook.definition(), this::hook));
    return tools;
  }

  private static List<McpSchema.Tool> listed(boolean sessionNeeded) {
    return SessionTools.all().stream().map(tool -> tool.definition(sessionNeeded)).toList();
  }

  private static McpServerFeatures.SyncToolSpecification specification(
      McpSchema.Tool definition,
      BiFunction<StreamTransport.Call, McpSchema.CallToolRequest, McpSchema.CallToolResult>
          handler) {
    return McpServerFeatures.SyncToolSpecification.builder()
        .tool(definition)
        .callHandler(
            (exchange, request) ->
                handler.apply(
                    (StreamTransport.Call)
                        Objects.requireNonNull(
                            exchange.transportContext().get(StreamTransport.CALL),
                            "a call of a tool has no context"),
                    request))
        .build();
  }

  // ---- a call

  private McpSchema.CallToolResult call(
      Tool tool, StreamTransport.Call begun, McpSchema.CallToolRequest request) {
    Session worked = null;
    ToolCall call = begun.call();
    boolean listsAll = false;
    boolean failed = false;
    String reply;
    try {
      Arguments arguments = new Arguments(request.arguments());
      worked = session(arguments.text(Tool.SESSION));
      arguments.requireKnown(tool.arguments());
      call = inIteration(call, worked);
      if (tool.listsInbox()) {
        worked.inbox().acknowledge(call);
        listsAll = !arguments.has(SessionTools.ID);
      }
      Scope scope = new Scope(worked, call, lease, claims, gates, begun.progress(), iteration);
      reply = tool.work().run(scope, arguments);
    } catch (RalphException e) {
      failed = true;
      reply = "ERROR: " + Excerpt.indented(String.valueOf(e.getMessage())) + advice(tool, e);
    } catch (RuntimeException e) {
      failed = true;
      reply = "ERROR: internal error: " + Excerpt.indented(e.toString());
      log().log(Level.WARNING, "the tool " + tool.name() + " failed", e);
    }
    if (worked != null && (!listsAll || failed)) {
      reply += steering(worked, call);
    }
    return McpSchema.CallToolResult.builder().addTextContent(reply).isError(failed).build();
  }

  /** The hook of a client asks; whatever goes wrong, the agent's own work must not suffer. */
  private McpSchema.CallToolResult hook(
      StreamTransport.Call begun, McpSchema.CallToolRequest request) {
    Arguments arguments = new Arguments(request.arguments());
    String reply = "{}";
    try {
      if (SteeringHook.isWanted(arguments)) {
        Session worked = session(arguments.text(Tool.SESSION));
        reply = SteeringHook.reply(arguments, steering(worked, inIteration(begun.call(), worked)));
      }
    } catch (RuntimeException e) {
      log().log(Level.WARNING, "a client's hook could not be told of messages", e);
    }
    return McpSchema.CallToolResult.builder().addTextContent(reply).isError(false).build();
  }

  private ToolCall inIteration(ToolCall call, Session worked) {
    return inLoop ? call.in(iteration > 0 ? iteration : Scope.running(worked)) : call;
  }

  /** Returns what the operator has to say, to be added to a reply. */
  private String steering(Session worked, ToolCall call) {
    List<Delivery> deliveries;
    try {
      deliveries = worked.inbox().deliver(call, lease);
    } catch (RalphException e) {
      // They stay unread, and come with the next call or prompt.
      log().log(Level.WARNING, "messages could not be shown with a reply; they stay unread", e);
      return "";
    }
    if (deliveries.isEmpty()) {
      return "";
    }
    calls.shows(call);
    StringBuilder text = new StringBuilder("\n\n## ");
    text.append(deliveries.size() == 1 ? "MESSAGE" : "MESSAGES")
        .append(" FROM THE OPERATOR (sent while you work: take this into account now)");
    for (Delivery delivery : deliveries) {
      text.append('\n').append(SessionTools.line(delivery.message()));
      if (delivery.again()) {
        text.append("\n  (shown again, for the first time may have been lost)");
      }
    }
    return text.append("\n(Your next tool call marks this as read.)").toString();
  }

  private static String advice(Tool tool, RalphException e) {
    return switch (e.code()) {
      case NOT_FOUND ->
          tool.name().startsWith("task_")
              ? "; see task_list"
              : tool.name().startsWith("inbox_")
                  ? "; see inbox_list"
                  : tool.name().startsWith("note_") ? "; see note_list" : "";
      case LOCKED, FULL, INDETERMINATE, IO -> "; try again, and tell the operator if it stays so";
      default -> "";
    };
  }

  private Session session(@Nullable String named) {
    String name = named == null || named.isBlank() ? session : named;
    if (name == null) {
      throw RalphException.invalid("session_name required");
    }
    if (session != null && !session.equals(name)) {
      throw RalphException.invalid(
          "this server is for session "
              + session
              + ", not "
              + RalphException.quote(name)
              + "; leave session_name out");
    }
    Session found = opened().session(name);
    used.add(found);
    return found;
  }

  private Ralph opened() {
    Ralph open = ralph;
    if (open != null) {
      return open;
    }
    opening.lock();
    try {
      open = ralph;
      if (open == null) {
        open = store.get();
        ralph = open;
      }
      return open;
    } finally {
      opening.unlock();
    }
  }

  /** Reads what the first call will want to know. */
  private void warmUp() {
    try {
      Ralph open = opened();
      if (session != null) {
        Session known = open.session(session);
        known.inbox().unread();
        known.tasks().list();
      }
    } catch (RuntimeException e) {
      log().log(Level.DEBUG, "the store can't be read yet; the first call says why", e);
    }
  }

  /**
   * Ends serving, gives back the tasks that the agent has claimed, and lets others have the
   * messages that it may not have seen. Closing again does nothing.
   */
  @Override
  public void close() {
    closing.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      StreamTransport serving = transport;
      if (serving != null) {
        serving.drain(GRACE);
      }
      claims.releaseAll();
      for (Session session : used) {
        try {
          session.inbox().release(reader);
        } catch (RalphException e) {
          log().log(Level.DEBUG, "leases on messages could not be ended; they run out", e);
        }
      }
    } finally {
      ended.countDown();
      closing.unlock();
    }
  }

  private static System.Logger log() {
    return System.getLogger(SessionServer.class.getName());
  }

  /** The tools look at their arguments themselves, and say what to do instead. */
  private static final class NoSchemaValidator implements JsonSchemaValidator {
    @Override
    public ValidationResponse validate(java.util.Map<String, Object> schema, Object content) {
      return ValidationResponse.asValid(null);
    }
  }

  /** Sets up a server. For one thread. */
  public static final class Builder {
    private final Supplier<Ralph> store;
    @Nullable private String session;
    private int iteration;
    private boolean inLoop;
    private Runnable onConnected = () -> {};
    private Duration lease = Duration.ofMinutes(10);
    private Duration claimLease = Duration.ofMinutes(2);
    private final List<CommandGate> gates = new ArrayList<>();
    private Path directory = Path.of("");
    private Duration gateLimit = Duration.ofSeconds(45);

    private Builder(Supplier<Ralph> store) {
      this.store = store;
    }

    /**
     * Serves one session, so that calls need not name it.
     *
     * @throws RalphException INVALID if it can't be a session's name
     */
    public Builder session(String name) {
      this.session = Topic.checkSegment("a session's name", name);
      return this;
    }

    /**
     * Says which iteration the agent works in, for what it adds; if not set, or 0, the one that the
     * log says is running.
     */
    public Builder iteration(int iteration) {
      this.iteration = iteration;
      return this;
    }

    /**
     * Says that a loop has started the agent, so that its work ends with the iteration, also where
     * its server goes on: what it has not finished then is given back, and what it was shown comes
     * again if the iteration fails.
     */
    public Builder inLoop() {
      this.inLoop = true;
      return this;
    }

    /**
     * Sets for how long a message that the agent was shown is kept from other agents while nobody
     * knows whether it has seen it; 10 minutes if not set, 1 ms to 30 days.
     *
     * @throws RalphException INVALID if it is not that
     */
    public Builder messageLease(Duration lease) {
      this.lease = checked(lease);
      return this;
    }

    /**
     * Sets for how long a task stays claimed once the agent is gone; 2 minutes if not set, 1 ms to
     * 30 days. It is renewed while the agent is there.
     *
     * @throws RalphException INVALID if it is not that
     */
    public Builder claimLease(Duration lease) {
      this.claimLease = checked(lease);
      return this;
    }

    private static Duration checked(Duration lease) {
      if (lease.toMillis() < 1 || lease.compareTo(LONGEST_LEASE) > 0) {
        throw RalphException.invalid(
            "a lease must be 1 ms to " + LONGEST_LEASE.toDays() + " days, not " + lease);
      }
      return lease;
    }

    /**
     * Adds a command that must succeed before the agent's word that all is done is taken. It runs
     * when the agent says so, and the reply holds what it printed if it fails. A loop runs its own
     * gates besides.
     */
    public Builder gate(CommandGate gate) {
      this.gates.add(gate);
      return this;
    }

    /** Sets the folder that gates work in; the present one if not set. */
    public Builder directory(Path directory) {
      this.directory = directory;
      return this;
    }

    /**
     * Sets how long all gates may take together before they are left to the loop; 45 seconds if not
     * set, as clients give up a call after a minute.
     */
    public Builder gateLimit(Duration limit) {
      this.gateLimit = limit;
      return this;
    }

    /**
     * Sets what to do, once and briefly, when the client has connected: has said so, or asks for
     * tools. It runs in the thread that reads the client's messages.
     */
    public Builder onConnected(Runnable action) {
      this.onConnected = action;
      return this;
    }

    /** Makes the server, which does nothing before it serves. */
    public SessionServer build() {
      return new SessionServer(this);
    }
  }
}

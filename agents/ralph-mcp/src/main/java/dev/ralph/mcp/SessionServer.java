package dev.ralph.mcp;

import dev.ralph.Engine;
import dev.ralph.HostTools;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.ToolSettings;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server that provides sessions to one agent as tools, over two streams or a custom
 * transport.
 *
 * <p>The result of the agent's next tool call contains messages sent to the session meanwhile; see
 * {@link dev.ralph.tool.AgentTools}. The agent owns the claimed tasks until the server ends. The
 * server then releases the unfinished tasks.
 *
 * <pre>{@code
 * try (Ralph ralph = Ralph.open(path);
 *     SessionServer server = SessionServer.over(() -> ralph).session("auth").build()) {
 *   server.serve(System.in, System.out);
 * }
 * }</pre>
 *
 * <p>The server opens the store in the background on first use, to respond at once. The server
 * supports the protocol versions from 2024-11-05 to 2026-07-28. A server serves a single agent:
 * once over streams, or with the messages that a custom transport receives.
 */
public final class SessionServer implements AutoCloseable {

  private static final Duration GRACE = Duration.ofSeconds(2);

  private final Supplier<Ralph> store;
  private final @Nullable String session;
  private final ServedTools tools;
  private final RpcDialogue dialogue;
  private final ReentrantLock opening = new ReentrantLock();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ReentrantLock closing = new ReentrantLock();

  /** The store, or null until it is opened. */
  private volatile @Nullable Ralph ralph;

  /** The connection, or null until {@link #serve}. */
  private @Nullable Connection connection;

  private boolean closed;

  private SessionServer(Builder builder) {
    this.store = builder.store;
    this.session = builder.session;
    this.tools =
        new ServedTools(
            session,
            this::opened,
            builder.engine == null ? Engine.installed() : builder.engine,
            builder.settings,
            builder.others);
    this.dialogue = new RpcDialogue(tools, instructions(), builder.onConnected);
  }

  /**
   * Returns a builder of a server.
   *
   * @param store opens the store, or returns an open store. Called once on a thread of the server,
   *     and again after a failure. The server does not close the store
   */
  public static Builder over(Supplier<Ralph> store) {
    return new Builder(store);
  }

  /**
   * Serves until the input ends or the server is closed. After the end of the input, running calls
   * have two seconds to finish and are answered.
   *
   * @param in the client's messages, one per line; not closed
   * @param out receives the replies and must receive nothing else; not closed
   * @throws RalphException INVALID if the server has served before
   */
  public void serve(InputStream in, OutputStream out) {
    Connection served = new Connection(in, out, dialogue);
    closing.lock();
    try {
      if (connection != null || closed) {
        throw RalphException.invalid("an MCP server serves only once; create a new server");
      }
      connection = served;
    } finally {
      closing.unlock();
    }
    start("ralph-mcp-open", this::warmUp);
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

  /**
   * Receives a message of a custom transport. Returns after a call in the message has begun; the
   * reply may follow later. Calls that change state run serially, in the order of their messages.
   * Requests of revision 2026-07-28 are stateless; other requests must follow {@code initialize},
   * as on streams. Safe for use by many threads.
   *
   * @param replies receives the reply. Its {@link Replies#end} is called exactly once, also for a
   *     message without a reply
   */
  public void receive(Meta message, Replies replies) {
    dialogue.receive(message, null, replies);
  }

  /** Cancels all calls that would reply to a disconnected client. */
  public void cancel(Replies replies) {
    dialogue.cancel(replies);
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private String instructions() {
    return "Tasks, notes and the operator's messages of "
        + (session == null ? "a session" : "session " + session)
        + ", kept for its next agent. Take tasks with task_next; the operator's messages come"
        + " with tool results."
        + tools.instructions();
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

  /** Reads the data that the first call needs. */
  private void warmUp() {
    try {
      Ralph open = opened();
      if (session != null) {
        Session known = open.session(session);
        known.inbox().unread();
        known.tasks().list();
      }
    } catch (RuntimeException e) {
      log().log(Level.DEBUG, "cannot read the store yet; the first call reports the reason", e);
    }
  }

  /**
   * Stops serving, releases the tasks that the agent has claimed, and releases messages that the
   * agent may not have seen. Idempotent. An exception of the embedder's tools is thrown after
   * everything is closed.
   */
  @Override
  public void close() {
    closing.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      if (connection == null) {
        dialogue.drain(GRACE);
      } else {
        connection.drain(GRACE);
      }
      tools.close();
    } finally {
      ended.countDown();
      closing.unlock();
    }
  }

  private static System.Logger log() {
    return System.getLogger(SessionServer.class.getName());
  }

  /** Builds a server. Not thread-safe. */
  public static final class Builder {
    private final Supplier<Ralph> store;
    private @Nullable String session;
    private ToolSettings settings = ToolSettings.STANDARD;
    private List<HostTools> others = List.of();
    private Runnable onConnected = () -> {};
    private @Nullable Engine engine;

    private Builder(Supplier<Ralph> store) {
      this.store = store;
    }

    /**
     * Serves a single session. Calls need not name the session.
     *
     * @throws RalphException INVALID if the name is no valid session name
     */
    public Builder session(String name) {
      this.session = Topic.checkSegment("a session's name", name);
      return this;
    }

    /** Sets the engine that provides the tools. The default is {@link Engine#installed()}. */
    public Builder engine(Engine engine) {
      this.engine = engine;
      return this;
    }

    /** Sets the settings of the tools. The default is {@link ToolSettings#STANDARD}. */
    public Builder tools(ToolSettings settings) {
      this.settings = settings;
      return this;
    }

    /** Adds tools of the embedder, closed with the server. */
    public Builder more(HostTools... others) {
      this.others = List.of(others);
      return this;
    }

    /**
     * Sets an action that runs once when the client has connected and requests the tools. The
     * action must be short, because it runs on the thread that reads the client's messages.
     */
    public Builder onConnected(Runnable action) {
      this.onConnected = action;
      return this;
    }

    /** Builds the server. Starts no thread. */
    public SessionServer build() {
      return new SessionServer(this);
    }
  }

  /**
   * Receives the replies to one message, in a custom transport. Called by one thread at a time
   * while a lock of the connection is held. An implementation must not wait for another message.
   */
  public interface Replies {

    /**
     * Sends a message before the reply, such as the progress of a call.
     *
     * @param message a JSON object without line breaks
     * @return false if the client has disconnected
     */
    default boolean sendBeforeReply(String message) {
      return send(message);
    }

    /**
     * Sends the reply.
     *
     * @param message a JSON object without line breaks, or an array of objects if an array was
     *     received
     * @return false if the client has disconnected
     */
    boolean send(String message);

    /**
     * Sends an error as the reply.
     *
     * @param code the error code of JSON-RPC, for transports with a separate status
     * @return false if the client has disconnected
     */
    default boolean refuse(int code, String message) {
      return send(message);
    }

    /** Called after the last message, also if no message was sent. */
    default void end() {}
  }
}

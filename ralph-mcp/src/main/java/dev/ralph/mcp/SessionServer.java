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
 * Serves sessions to one agent as the tools of an MCP server, over two streams or a transport of
 * the host's own.
 *
 * <p>What is sent to the session while the agent works is added to the reply of whatever tool it
 * calls next; see {@link dev.ralph.tool.AgentTools}. Tasks that the agent claims are its own until
 * it has ended; then those it has not finished are given back.
 *
 * <pre>{@code
 * try (Ralph ralph = Ralph.open(path);
 *     SessionServer server = SessionServer.over(() -> ralph).session("auth").build()) {
 *   server.serve(System.in, System.out);
 * }
 * }</pre>
 *
 * <p>It opens the store when it is first needed, in the background, so that it answers at once. It
 * takes protocol versions from 2024-11-05 to 2026-07-28. One server serves one agent: over streams,
 * once, or by the messages that a transport of the host's own receives.
 */
public final class SessionServer implements AutoCloseable {

  private static final Duration GRACE = Duration.ofSeconds(2);

  private final Supplier<Ralph> store;
  private final @Nullable String session;
  private final ServedTools tools;
  private final Dialogue dialogue;
  private final ReentrantLock opening = new ReentrantLock();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ReentrantLock closing = new ReentrantLock();

  /** Null until it is opened. */
  private volatile @Nullable Ralph ralph;

  /** Null until it serves. */
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
    this.dialogue = new Dialogue(tools, instructions(), builder.onConnected);
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
   * Serves until the input ends or the server is closed. Calls under way at the end of the input
   * are answered, unless they take longer than two seconds.
   *
   * @param in the client's messages, a line each; not closed
   * @param out where the replies go; nothing else may. Not closed
   * @throws RalphException INVALID if the server has served before
   */
  public void serve(InputStream in, OutputStream out) {
    Connection served = new Connection(in, out, dialogue);
    closing.lock();
    try {
      if (connection != null || closed) {
        throw RalphException.invalid("an MCP server serves once; make another one");
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
   * Takes a message that a transport of the host's own has received. Returns when a call in it has
   * begun; its reply may come later. Calls that change something are made one after the other, in
   * the order of these. A request of revision 2026-07-28 speaks for itself; others come after one
   * to initialize, as on streams. Safe for use by many threads.
   *
   * @param replies where its answer goes; told of the end exactly once, also of a message that
   *     wants no answer
   */
  public void receive(Meta message, Replies replies) {
    dialogue.receive(message, null, replies);
  }

  /** Ends the calls whose replies would go there, because their client is gone. */
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
        + ", kept for the next one who works on it. Take tasks with task_next; the operator's"
        + " messages come with tool results."
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
   * messages that it may not have seen. Closing again does nothing. If tools of the host's own fail
   * to close, that is thrown when all else is done.
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

  /** Sets up a server. For one thread. */
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
     * Serves one session, so that calls need not name it.
     *
     * @throws RalphException INVALID if it can't be a session's name
     */
    public Builder session(String name) {
      this.session = Topic.checkSegment("a session's name", name);
      return this;
    }

    /** Gives the engine that knows the tools; {@link Engine#installed()} if not set. */
    public Builder engine(Engine engine) {
      this.engine = engine;
      return this;
    }

    /** Sets how the tools behave; {@link ToolSettings#STANDARD} if not set. */
    public Builder tools(ToolSettings settings) {
      this.settings = settings;
      return this;
    }

    /** Serves tools of the host's own as well; they are closed with the server. */
    public Builder more(HostTools... others) {
      this.others = List.of(others);
      return this;
    }

    /**
     * Sets what to do, once and briefly, when the client has connected and asks for the tools. It
     * runs in the thread that reads the client's messages.
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

  /**
   * Takes the replies to one message, in a transport of the host's own. Called by one thread at a
   * time, with a lock of the connection held: it must not wait for another message.
   */
  public interface Replies {

    /**
     * Sends the client something before the reply: how far a call is.
     *
     * @param message one JSON object without line breaks
     * @return false if the client is gone
     */
    default boolean tell(String message) {
      return send(message);
    }

    /**
     * Sends the reply.
     *
     * @param message one JSON object without line breaks; an array of them if an array was received
     * @return false if the client is gone
     */
    boolean send(String message);

    /**
     * Sends a reply that refuses a request.
     *
     * @param code that of JSON-RPC, for transports that have a status of their own
     * @return false if the client is gone
     */
    default boolean refuse(int code, String message) {
      return send(message);
    }

    /** Says that nothing more comes, maybe after nothing at all. */
    default void end() {}
  }
}

package dev.ralph.web.internal.mcp;

import dev.ralph.HostTools;
import dev.ralph.Ralph;
import dev.ralph.ToolSettings;
import dev.ralph.mcp.SessionServer;
import dev.ralph.web.internal.access.AgentPass;
import dev.ralph.web.internal.access.Token;
import dev.ralph.web.internal.http.EventStream;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The connected agents, each with separate claims and messages. Protocol revisions with sessions
 * have one agent per protocol session; other revisions have one agent per token. An agent counts as
 * gone after its stream has ended or after a long silence. If too many agents are connected, the
 * agent with the longest silence is removed. Safe for use by many threads.
 */
final class ConnectedAgents implements AutoCloseable {

  /** The longest silence of an agent, which makes no calls during a long build. */
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(30);

  /** The longest silence of an agent after its stream has ended. */
  private static final Duration SILENCE_AFTER_STREAM = Duration.ofMinutes(1);

  private static final int MOST = 256;

  /** An agent with the server that executes its calls. */
  static final class Agent {

    private final SessionServer server;
    private final AgentPass pass;
    private final AtomicInteger streams = new AtomicInteger();
    private volatile boolean hadStream;
    private volatile long heard = System.nanoTime();

    private Agent(SessionServer server, AgentPass pass) {
      this.server = server;
      this.pass = pass;
    }

    SessionServer server() {
      return server;
    }

    /** Keeps the agent connected while a stream is open. */
    void hasStream(EventStream stream) {
      hadStream = true;
      streams.incrementAndGet();
      stream.onClosed(
          () -> {
            heard = System.nanoTime();
            streams.decrementAndGet();
          });
    }

    private boolean isGone(long now) {
      Duration limit = hadStream ? SILENCE_AFTER_STREAM : LONGEST_SILENCE;
      return streams.get() == 0 && now - heard > limit.toNanos();
    }
  }

  private final Ralph ralph;
  private final HostTools[] more;
  private final Map<String, Agent> agents = new ConcurrentHashMap<>();
  private final ScheduledExecutorService sweeper;
  private final ExecutorService background = Executors.newCachedThreadPool(ConnectedAgents::thread);

  /**
   * Creates an object without agents.
   *
   * @param more tools in addition to those of sessions; closed with each agent
   */
  ConnectedAgents(Ralph ralph, HostTools... more) {
    this.ralph = ralph;
    this.more = more.clone();
    this.sweeper = Executors.newSingleThreadScheduledExecutor(ConnectedAgents::thread);
    everySecond(this::sweep);
  }

  /** Runs short work every second until this object is closed. */
  void everySecond(Runnable work) {
    var unused = sweeper.scheduleWithFixedDelay(work, 1, 1, TimeUnit.SECONDS);
  }

  /** Runs work once on a separate thread. */
  void background(Runnable work) {
    background.execute(work);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "ralph-web-agents");
    thread.setDaemon(true);
    return thread;
  }

  /** Begins a protocol session, and returns its unguessable id. */
  String begin(AgentPass pass) {
    String id = Token.random();
    // Agents with the same token have separate owners, because the token's name only identifies its
    // holder.
    add(id, pass, pass.name() + "-" + Token.hash(id).substring(0, 8));
    return id;
  }

  /** Returns the agent of a protocol session, or null if the token has no such session. */
  @Nullable Agent inSession(String id, AgentPass pass) {
    Agent agent = agents.get(id);
    return agent == null || !agent.pass.equals(pass) ? null : recordCall(agent);
  }

  /** Returns the agent of a token, for protocol revisions without sessions. */
  Agent of(AgentPass pass) {
    String key = "/" + pass.name() + "/" + pass.session(); // no id contains a slash
    Agent agent = agents.get(key);
    return recordCall(agent == null ? add(key, pass, pass.name()) : agent);
  }

  private static Agent recordCall(Agent agent) {
    agent.heard = System.nanoTime();
    return agent;
  }

  private Agent add(String key, AgentPass pass, String owner) {
    while (agents.size() >= MOST) {
      agents.entrySet().stream()
          .min(Comparator.comparingLong(each -> each.getValue().heard))
          .ifPresent(each -> end(each.getKey()));
    }
    return agents.computeIfAbsent(
        key,
        missing -> {
          SessionServer.Builder builder =
              SessionServer.over(() -> ralph).tools(ToolSettings.STANDARD.owner(owner)).more(more);
          if (pass.session() != null) {
            builder.session(pass.session());
          }
          return new Agent(builder.build(), pass);
        });
  }

  /** Ends a protocol session, and releases the leases of its agent. */
  void end(String id) {
    Agent agent = agents.remove(id);
    if (agent != null) {
      background.execute(agent.server()::close);
    }
  }

  private void sweep() {
    long now = System.nanoTime();
    agents.forEach(
        (key, agent) -> {
          if (agent.isGone(now)) {
            end(key);
          }
        });
  }

  @Override
  public void close() {
    sweeper.shutdownNow();
    agents.keySet().forEach(this::end);
    background.shutdown();
    try {
      boolean unused = background.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

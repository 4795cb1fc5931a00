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
 * The agents that are at work, each with its own claims and its own messages: one for each session
 * of the protocol, or one for each token where the protocol has none. An agent is taken to be gone
 * when its stream has ended or it has called nothing for long, and the one that has been silent
 * longest when there are too many. Safe for use by many threads.
 */
final class Agents implements AutoCloseable {

  /** A build may take long, and the agent calls nothing meanwhile. */
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(30);

  /** For an agent that had a stream open, which its end has closed. */
  private static final Duration SILENCE_AFTER_STREAM = Duration.ofMinutes(1);

  private static final int MOST = 256;

  /** An agent. What it calls goes to its server. */
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

    /** The agent is there for as long as a stream is open. */
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
  private final ExecutorService background = Executors.newCachedThreadPool(Agents::thread);

  /**
   * @param more tools beside those of sessions; closed with each agent
   */
  Agents(Ralph ralph, HostTools... more) {
    this.ralph = ralph;
    this.more = more.clone();
    this.sweeper = Executors.newSingleThreadScheduledExecutor(Agents::thread);
    everySecond(this::sweep);
  }

  /** Does something short again and again until this is closed. */
  void everySecond(Runnable work) {
    var unused = sweeper.scheduleWithFixedDelay(work, 1, 1, TimeUnit.SECONDS);
  }

  /** Does something once, in a thread of its own. */
  void background(Runnable work) {
    background.execute(work);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "ralph-web-agents");
    thread.setDaemon(true);
    return thread;
  }

  /** Begins a session of the protocol, and returns its id, which nobody can guess. */
  String begin(AgentPass pass) {
    String id = Token.random();
    // An agent of its own, also where several have one token: the name only tells whose it is.
    add(id, pass, pass.name() + "-" + Token.hash(id).substring(0, 8));
    return id;
  }

  /** Returns the agent of a session of the protocol, or null if there is none for that token. */
  @Nullable Agent inSession(String id, AgentPass pass) {
    Agent agent = agents.get(id);
    return agent == null || !agent.pass.equals(pass) ? null : heard(agent);
  }

  /** Returns the agent that has a token, where the protocol has no sessions. */
  Agent of(AgentPass pass) {
    String key = "/" + pass.name() + "/" + pass.session(); // no id has a slash
    Agent agent = agents.get(key);
    return heard(agent == null ? add(key, pass, pass.name()) : agent);
  }

  private static Agent heard(Agent agent) {
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

  /** Ends a session of the protocol: what its agent holds is given back. */
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

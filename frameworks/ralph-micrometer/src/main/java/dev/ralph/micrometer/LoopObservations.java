package dev.ralph.micrometer;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.LoopEvent;
import dev.ralph.Message;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.spi.FrameStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Observes the loops of one store: loop, iteration, agent, gate and tool, each a child of the
 * enclosing one, on any thread. The parent of a loop is the observation that is current in the
 * thread that starts the loop. Without a current observation, the loop continues the trace that the
 * newest unread message was appended in; if the message has no trace, that of the next task. An
 * iteration does the same if its message or task has another trace than the loop.
 *
 * <pre>{@code
 * LoopObservations seen = new LoopObservations(observations, meters);
 * session.loop(seen.observed("writer", agent)).onEvent(seen).run();
 * }</pre>
 *
 * <p>The observations are {@code ralph.loop}, {@code ralph.iteration}, {@code ralph.agent}, {@code
 * ralph.gate} and {@code ralph.tool}. Attributes of models are named as in version 1.41.0 of
 * OpenTelemetry's semantic conventions. The counters {@code ralph.tokens}, by {@code type}, and
 * {@code ralph.cost}, in US dollars, are incremented at the end of each iteration.
 *
 * <p>Thread-safe.
 */
public final class LoopObservations implements Consumer<LoopEvent> {

  private static final int MAX_TOOLS = 100;

  private final ObservationRegistry observations;
  private final @Nullable MeterRegistry meters;
  private final @Nullable Ralph ralph;
  private final Map<String, Running> running = new ConcurrentHashMap<>();
  private final Set<String> tools = ConcurrentHashMap.newKeySet();

  /** The observations of a session's running loop. */
  private static final class Running {
    final Observation loop;

    /** The trace id of the loop; empty if no message or task had a trace, null if not known yet. */
    volatile @Nullable String trace;

    volatile boolean isCausedByAnother;
    volatile @Nullable Observation iteration;
    volatile @Nullable Observation gate;

    Running(Observation loop, @Nullable String trace) {
      this.loop = loop;
      this.trace = trace;
    }

    /** Returns whether the given trace is known and differs from the loop's trace. */
    boolean isOfAnother(@Nullable String cause) {
      String own = trace;
      return cause != null && own != null && !own.equals(AgentContext.traceId(cause));
    }

    void stop() {
      stop(gate);
      stop(iteration);
      loop.stop();
    }

    private static void stop(@Nullable Observation inner) {
      if (inner != null) {
        inner.stop();
      }
    }
  }

  /**
   * Creates an observer.
   *
   * @param observations the registry of observations
   * @param meters the registry of the counters for usage and cost, or null for no counters
   */
  public LoopObservations(ObservationRegistry observations, @Nullable MeterRegistry meters) {
    this(observations, meters, null);
  }

  /**
   * Creates an observer that continues the traces that other processes wrote into frames.
   *
   * @param observations the registry of observations
   * @param meters the registry of the counters for usage and cost, or null for no counters
   * @param ralph the store of the loops, or null to start a new trace with each loop
   */
  public LoopObservations(
      ObservationRegistry observations, @Nullable MeterRegistry meters, @Nullable Ralph ralph) {
    this.observations = Objects.requireNonNull(observations, "observations");
    this.meters = meters;
    this.ralph = ralph;
  }

  /**
   * Returns an agent whose runs and tool calls are observed. The agent's processes find the trace
   * in the environment variables {@code TRACEPARENT} and {@code TRACESTATE}.
   *
   * @param name the name of the agent in metrics; few different names keep the cardinality low
   * @param agent the agent to observe
   */
  public Agent observed(String name, Agent agent) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(agent, "agent");
    return new Agent() {
      @Override
      public AgentResult run(Turn turn) throws Exception {
        AgentContext context = new AgentContext();
        Observation observation =
            Observation.createNotStarted("ralph.agent", () -> context, observations)
                .contextualName("invoke_agent " + name)
                .lowCardinalityKeyValue("gen_ai.operation.name", "invoke_agent")
                .lowCardinalityKeyValue("gen_ai.agent.name", name)
                .highCardinalityKeyValue("gen_ai.conversation.id", turn.session().name());
        start(observation, around(turn.session().name()));
        learnTrace(turn.session().name(), context.trace());
        try {
          return observation.scopedChecked(
              () -> {
                ObservedTurn observed =
                    new ObservedTurn(turn, observations, context, LoopObservations.this::toolName);
                try {
                  return end(agent.run(observed), context);
                } finally {
                  observed.end();
                }
              });
        } finally {
          observation.stop();
        }
      }

      @Override
      public boolean needsTools() {
        return agent.needsTools();
      }

      @Override
      public void requireReady(Path directory) {
        agent.requireReady(directory);
      }

      @Override
      public void close() {
        agent.close();
      }
    };
  }

  /** Records the loop's trace id, which is known only after propagation to the agent. */
  private void learnTrace(String session, @Nullable String traceparent) {
    Running loop = running.get(session);
    if (loop != null && traceparent != null && !loop.isCausedByAnother) {
      loop.trace = AgentContext.traceId(traceparent);
    }
  }

  /**
   * Returns the tool name for metrics; limits the number of names, because a model may invent any.
   */
  private String toolName(String name) {
    return tools.contains(name) || (tools.size() < MAX_TOOLS && tools.add(name)) ? name : "unknown";
  }

  private static AgentResult end(AgentResult result, AgentContext context) {
    context.end(result);
    return result;
  }

  /**
   * Starts an observation within a parent. The parent is also made current, because tracers use the
   * current observation even if another parent is set.
   */
  static Observation start(Observation observation, @Nullable Observation parent) {
    observation.parentObservation(parent);
    if (parent == null) {
      return observation.start();
    }
    Supplier<Observation> within = observation::start;
    return parent.scoped(within);
  }

  private @Nullable Observation around(String session) {
    Running loop = running.get(session);
    if (loop == null) {
      return observations.getCurrentObservation();
    }
    Observation iteration = loop.iteration;
    return iteration == null ? loop.loop : iteration;
  }

  /**
   * Returns a store that writes the trace of the appending agent into the metadata member {@code
   * traceparent} of frames.
   */
  public FrameStore traced(FrameStore store) {
    return traced(store, () -> AgentContext.trace(observations.getCurrentObservation()));
  }

  /**
   * Returns a store that writes a trace into the metadata member {@code traceparent} of frames.
   *
   * @param store the store to wrap
   * @param trace returns the {@code traceparent} value of the appending thread, or null for none;
   *     called in this thread
   */
  public static FrameStore traced(FrameStore store, Supplier<@Nullable String> trace) {
    return new TracedStore(store, trace);
  }

  /** Observes an event of a loop; register this object as the loop's listener. */
  @Override
  public void accept(LoopEvent event) {
    if (event.type() == LoopEvent.Type.LOOP_STARTED) {
      Observation current = observations.getCurrentObservation();
      String cause = cause(event.session());
      Observation loop =
          start(named("ralph.loop", event.session(), current == null ? cause : null), current);
      String own = cause == null ? "" : AgentContext.traceId(cause);
      Running abandoned =
          running.put(event.session(), new Running(loop, current == null ? own : null));
      if (abandoned != null) {
        abandoned.stop();
      }
      return;
    }
    Running loop = running.get(event.session());
    if (loop == null) {
      return;
    }
    if (event.type() == LoopEvent.Type.ITERATION_STARTED) {
      String cause = cause(event.session());
      boolean isOfAnother = loop.isOfAnother(cause);
      loop.isCausedByAnother = isOfAnother;
      loop.iteration =
          start(
              named("ralph.iteration", event.session(), isOfAnother ? cause : null)
                  .highCardinalityKeyValue("ralph.iteration", String.valueOf(event.iteration())),
              isOfAnother ? null : loop.loop);
    } else if (event instanceof LoopEvent.IterationEnded ended) {
      count(ended.usage());
      stop(loop.iteration, "ralph.status", ended.status().word());
      loop.iteration = null;
    } else if (event instanceof LoopEvent.GateStarted started) {
      loop.gate =
          start(
              named("ralph.gate", event.session(), null)
                  .contextualName("gate " + started.gate().name())
                  .lowCardinalityKeyValue("ralph.gate", started.gate().name()),
              loop.loop);
    } else if (event instanceof LoopEvent.GateEnded ended) {
      stop(loop.gate, "ralph.passed", String.valueOf(ended.verdict().isPassed()));
      loop.gate = null;
    } else if (event instanceof LoopEvent.LoopEnded ended) {
      loop.loop.lowCardinalityKeyValue("ralph.reason", ended.result().reason().word());
      running.remove(event.session());
      loop.stop();
    }
  }

  /** Returns the trace of the newest unread message or of the next task, or null. */
  private @Nullable String cause(String name) {
    if (ralph == null || observations.isNoop()) {
      return null;
    }
    Session session = ralph.session(name);
    List<Message> unread = session.inbox().unread();
    String messageTrace = unread.isEmpty() ? null : trace(unread.get(unread.size() - 1).id());
    List<Task> ready = session.tasks().ready();
    return messageTrace == null && !ready.isEmpty() ? trace(ready.get(0).id()) : messageTrace;
  }

  private @Nullable String trace(String frame) {
    return Objects.requireNonNull(ralph)
        .log()
        .get(frame)
        .map(each -> each.meta().string(AgentContext.TRACE))
        .orElse(null);
  }

  /**
   * Creates an observation.
   *
   * @param cause the trace that the observation continues, or null
   */
  private Observation named(String name, String session, @Nullable String cause) {
    return Observation.createNotStarted(
            name, () -> cause == null ? new Observation.Context() : caused(cause), observations)
        .contextualName(name.substring("ralph.".length()))
        .highCardinalityKeyValue("gen_ai.conversation.id", session);
  }

  private static Observation.Context caused(String trace) {
    ReceiverContext<Map<String, String>> context = new ReceiverContext<>(Map::get);
    context.setCarrier(Map.of(AgentContext.TRACE, trace));
    return context;
  }

  private static void stop(@Nullable Observation observation, String key, String value) {
    if (observation != null) {
      observation.lowCardinalityKeyValue(key, value).stop();
    }
  }

  private void count(Usage usage) {
    if (meters == null) {
      return;
    }
    meters.counter("ralph.tokens", "type", "input").increment(usage.inputTokens());
    meters.counter("ralph.tokens", "type", "cached").increment(usage.cachedTokens());
    meters.counter("ralph.tokens", "type", "output").increment(usage.outputTokens());
    BigDecimal cost = usage.costUsd();
    meters.counter("ralph.cost").increment(cost == null ? 0 : cost.doubleValue());
  }

  /** Returns the lower-case name of an enum constant. */
  static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}

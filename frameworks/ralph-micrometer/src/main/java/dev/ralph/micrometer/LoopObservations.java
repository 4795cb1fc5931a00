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
 * Observes the loops of one store: loop, iteration, agent, gate and tool, each the child of the one
 * around it, on whatever threads they are. A loop is a child of what is observed in the thread that
 * begins it. Where nothing is, it is a child of what appended the newest unread message or, if that
 * names no trace, the task that is next; and so is an iteration that another one has caused since.
 *
 * <pre>{@code
 * LoopObservations seen = new LoopObservations(observations, meters);
 * session.loop(seen.observed("writer", agent)).onEvent(seen).run();
 * }</pre>
 *
 * <p>The observations are {@code ralph.loop}, {@code ralph.iteration}, {@code ralph.agent}, {@code
 * ralph.gate} and {@code ralph.tool}. Attributes of models are named as in version 1.41.0 of
 * OpenTelemetry's semantic conventions. The counters {@code ralph.tokens}, by {@code type}, and
 * {@code ralph.cost}, in US dollars, grow at the end of each iteration.
 *
 * <p>Safe for use by many threads.
 */
public final class LoopObservations implements Consumer<LoopEvent> {

  private static final int MOST_TOOLS = 100;

  private final ObservationRegistry observations;
  private final @Nullable MeterRegistry meters;
  private final @Nullable Ralph ralph;
  private final Map<String, Running> running = new ConcurrentHashMap<>();
  private final Set<String> tools = ConcurrentHashMap.newKeySet();

  /** What is observed of the loop on a session. */
  private static final class Running {
    final Observation loop;

    /** The id of its trace; empty while it has caused none, null where it is not known yet. */
    volatile @Nullable String trace;

    volatile boolean isCausedByAnother;
    volatile @Nullable Observation iteration;
    volatile @Nullable Observation gate;

    Running(Observation loop, @Nullable String trace) {
      this.loop = loop;
      this.trace = trace;
    }

    /** Returns whether that trace is another one than the loop's. */
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
   * Makes observations.
   *
   * @param meters where usage and cost are counted, or null for nowhere
   */
  public LoopObservations(ObservationRegistry observations, @Nullable MeterRegistry meters) {
    this(observations, meters, null);
  }

  /**
   * Makes observations that go on with the traces that other processes wrote into their frames.
   *
   * @param meters where usage and cost are counted, or null for nowhere
   * @param ralph where the loops are, or null to begin a trace with each loop
   */
  public LoopObservations(
      ObservationRegistry observations, @Nullable MeterRegistry meters, @Nullable Ralph ralph) {
    this.observations = Objects.requireNonNull(observations, "observations");
    this.meters = meters;
    this.ralph = ralph;
  }

  /**
   * Returns an agent whose runs are observed, and the tools that it opens. Its processes find the
   * trace in {@code TRACEPARENT} and {@code TRACESTATE} of their environment.
   *
   * @param name what the agent is called: one of few names
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

  /** Takes note of the loop's trace, which only those know that are told to go on with it. */
  private void learnTrace(String session, @Nullable String told) {
    Running loop = running.get(session);
    if (loop != null && told != null && !loop.isCausedByAnother) {
      loop.trace = AgentContext.traceId(told);
    }
  }

  /** Returns the name of a client's tool; a model may make up any number of them. */
  private String toolName(String told) {
    return tools.contains(told) || (tools.size() < MOST_TOOLS && tools.add(told))
        ? told
        : "unknown";
  }

  private static AgentResult end(AgentResult result, AgentContext context) {
    context.end(result);
    return result;
  }

  /**
   * Starts an observation within another one. A tracer takes what is in scope for the parent, also
   * where another one is named.
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
   * Returns a store in whose frames stands the trace of the agent that appends them: in the member
   * {@code traceparent} of their meta data.
   */
  public FrameStore traced(FrameStore store) {
    return traced(store, () -> AgentContext.trace(observations.getCurrentObservation()));
  }

  /**
   * Returns a store in whose frames stands a trace, in the member {@code traceparent} of their meta
   * data.
   *
   * @param trace returns that of the one who appends, as the header of that name has it, or null;
   *     asked in the thread that appends
   */
  public static FrameStore traced(FrameStore store, Supplier<@Nullable String> trace) {
    return new TracedStore(store, trace);
  }

  /** Takes note of what a loop does: this is a listener. */
  @Override
  public void accept(LoopEvent event) {
    if (event.type() == LoopEvent.Type.LOOP_STARTED) {
      Observation current = observations.getCurrentObservation();
      String cause = cause(event.session());
      Observation loop =
          start(named("ralph.loop", event.session(), current == null ? cause : null), current);
      String own = cause == null ? "" : AgentContext.traceId(cause);
      Running killed =
          running.put(event.session(), new Running(loop, current == null ? own : null));
      if (killed != null) {
        killed.stop();
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

  /** Returns the trace of what there is to do, or null. */
  private @Nullable String cause(String name) {
    if (ralph == null || observations.isNoop()) {
      return null;
    }
    Session session = ralph.session(name);
    List<Message> unread = session.inbox().unread();
    String heard = unread.isEmpty() ? null : trace(unread.get(unread.size() - 1).id());
    List<Task> ready = session.tasks().ready();
    return heard == null && !ready.isEmpty() ? trace(ready.get(0).id()) : heard;
  }

  private @Nullable String trace(String frame) {
    return Objects.requireNonNull(ralph)
        .log()
        .get(frame)
        .map(each -> each.meta().string(AgentContext.TRACE))
        .orElse(null);
  }

  /**
   * Makes an observation.
   *
   * @param cause the trace that it goes on with, or null
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

  /** Returns the word of an outcome. */
  static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}

package dev.ralph.micrometer;

import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.log.Meta;
import dev.ralph.tool.AgentTools;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A turn with observed tool calls, whose processes receive the trace. */
final class ObservedTurn implements Turn {

  private final Turn turn;
  private final ObservationRegistry observations;
  private final AgentContext agent;
  private final UnaryOperator<String> names;
  private final @Nullable Observation parent;

  /** The running calls of the agent's client, by call id. */
  private final Map<String, Observation> called = new ConcurrentHashMap<>();

  /** Creates the turn in the agent's thread, where the agent's observation is current. */
  ObservedTurn(
      Turn turn,
      ObservationRegistry observations,
      AgentContext agent,
      UnaryOperator<String> names) {
    this.turn = turn;
    this.observations = observations;
    this.agent = agent;
    this.names = names;
    this.parent = observations.getCurrentObservation();
  }

  @Override
  public AgentTools openTools() {
    return new ObservedTools(turn.openTools());
  }

  @Override
  public Map<String, String> variables() {
    Map<String, String> variables = new TreeMap<>(turn.variables());
    variables.putAll(agent.variables());
    return variables;
  }

  @Override
  public Session session() {
    return turn.session();
  }

  @Override
  public int iteration() {
    return turn.iteration();
  }

  @Override
  public String prompt() {
    return turn.prompt();
  }

  @Override
  public Path directory() {
    return turn.directory();
  }

  @Override
  public @Nullable Instant deadline() {
    return turn.deadline();
  }

  @Override
  public Duration grace() {
    return turn.grace();
  }

  @Override
  public boolean cancelled() {
    return turn.cancelled();
  }

  @Override
  public String processMark() {
    return turn.processMark();
  }

  @Override
  public void output(String text) {
    turn.output(text);
  }

  @Override
  public @Nullable BigDecimal maxCost() {
    return turn.maxCost();
  }

  @Override
  public void usage(Usage soFar) {
    turn.usage(soFar);
  }

  /**
   * Records an entry; calls that a client makes itself, also over MCP, are observed by their
   * entries.
   */
  @Override
  public void record(RecordEntry entry) {
    turn.record(entry);
    String id = entry.string("id");
    String tool = entry.string("tool");
    if (entry.type() == RecordEntry.Type.TOOL_CALL && id != null && tool != null) {
      stop(called.put(id, LoopObservations.start(tool(names.apply(tool)), parent)), true);
    } else if (entry.type() == RecordEntry.Type.TOOL_RESULT && id != null) {
      stop(called.remove(id), Boolean.TRUE.equals(entry.data().value("failed")));
    }
  }

  /** Stops the observations of calls without a recorded result. */
  void end() {
    called.values().forEach(each -> stop(each, true));
    called.clear();
  }

  private static void stop(@Nullable Observation tool, boolean failed) {
    if (tool != null) {
      tool.lowCardinalityKeyValue("ralph.failed", String.valueOf(failed)).stop();
    }
  }

  private Observation tool(String name) {
    return Observation.createNotStarted("ralph.tool", observations)
        .contextualName("execute_tool " + name)
        .lowCardinalityKeyValue("gen_ai.operation.name", "execute_tool")
        .lowCardinalityKeyValue("gen_ai.tool.name", name);
  }

  @Override
  public void notice(String text) {
    turn.notice(text);
  }

  private final class ObservedTools implements AgentTools {

    private final AgentTools tools;

    ObservedTools(AgentTools tools) {
      this.tools = tools;
    }

    @Override
    public List<AgentTools.Definition> definitions() {
      return tools.definitions();
    }

    @Override
    public Call begin(String name, Meta arguments) {
      Call call = tools.begin(name, arguments);
      return new Call() {
        @Override
        public AgentTools.Result run(Consumer<String> progress) {
          Observation observation = observation(name);
          LoopObservations.start(observation, parent);
          try {
            AgentTools.Result result = observation.scoped(() -> call.run(progress));
            observation.lowCardinalityKeyValue("ralph.failed", String.valueOf(result.isError()));
            return result;
          } finally {
            observation.stop();
          }
        }

        @Override
        public void answered() {
          call.answered();
        }
      };
    }

    /** Creates the observation of a tool call; only existing tool names become metric tags. */
    private Observation observation(String asked) {
      boolean isKnown = definitions().stream().anyMatch(tool -> tool.name().equals(asked));
      return tool(isKnown ? asked : "unknown");
    }

    @Override
    public Call beginMessages() {
      return tools.beginMessages();
    }

    @Override
    public void close() {
      tools.close();
    }
  }
}

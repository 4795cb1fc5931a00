package dev.ralph.micrometer;

import dev.ralph.AgentResult;
import dev.ralph.Usage;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.ObservationView;
import io.micrometer.observation.transport.SenderContext;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The run of an agent, which takes the trace along as a request to another service does. */
final class AgentContext extends SenderContext<Map<String, String>> {

  static final String TRACE = "traceparent";

  private final Map<String, String> told;

  AgentContext() {
    this(new ConcurrentHashMap<>());
  }

  private AgentContext(Map<String, String> told) {
    super((carrier, key, value) -> told.put(key, value));
    this.told = told;
    setCarrier(told);
  }

  /** Returns the trace as processes are told of it. */
  Map<String, String> variables() {
    Map<String, String> variables = new TreeMap<>();
    told.forEach((key, value) -> variables.put(key.toUpperCase(Locale.ROOT), value));
    variables.keySet().retainAll(Set.of("TRACEPARENT", "TRACESTATE"));
    return variables;
  }

  /** Returns the trace as frames name it, or null. */
  @Nullable String trace() {
    return told.get(TRACE);
  }

  /** Returns the id of the trace that a {@code traceparent} names. */
  static String traceId(String traceparent) {
    String[] parts = traceparent.split("-");
    return parts.length > 1 ? parts[1] : traceparent;
  }

  void end(AgentResult result) {
    Usage used = result.usage();
    addLowCardinalityKeyValue(
        KeyValue.of("ralph.outcome", LoopObservations.word(result.outcome())));
    if (used.totalTokens() > 0) {
      add("gen_ai.usage.input_tokens", used.inputTokens() + used.cachedTokens());
      add("gen_ai.usage.cache_read.input_tokens", used.cachedTokens());
      add("gen_ai.usage.output_tokens", used.outputTokens());
    }
  }

  private void add(String key, long value) {
    addHighCardinalityKeyValue(KeyValue.of(key, String.valueOf(value)));
  }

  /** Returns the trace of the agent's run that an observation is within, or null. */
  static @Nullable String trace(@Nullable ObservationView observation) {
    ObservationView each = observation;
    while (each != null) {
      if (each.getContextView() instanceof AgentContext agent) {
        return agent.trace();
      }
      each = each.getContextView().getParentObservation();
    }
    return null;
  }
}

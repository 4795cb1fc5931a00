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

/**
 * The observation context of an agent's run. The trace is propagated to the agent's processes like
 * to another service.
 */
final class AgentContext extends SenderContext<Map<String, String>> {

  static final String TRACE = "traceparent";

  private final Map<String, String> headers;

  AgentContext() {
    this(new ConcurrentHashMap<>());
  }

  private AgentContext(Map<String, String> headers) {
    super((carrier, key, value) -> headers.put(key, value));
    this.headers = headers;
    setCarrier(headers);
  }

  /** Returns the environment variables that carry the trace. */
  Map<String, String> variables() {
    Map<String, String> variables = new TreeMap<>();
    headers.forEach((key, value) -> variables.put(key.toUpperCase(Locale.ROOT), value));
    variables.keySet().retainAll(Set.of("TRACEPARENT", "TRACESTATE"));
    return variables;
  }

  /** Returns the value of the {@code traceparent} header, or null without tracing. */
  @Nullable String trace() {
    return headers.get(TRACE);
  }

  /** Returns the trace id in a {@code traceparent} value. */
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

  /** Returns the trace of the agent's run that encloses an observation, or null. */
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

package dev.ralph.micrometer;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import dev.ralph.test.ScriptedAgent;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.example.ObservedLoop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MicrometerTest {

  private static final String FIRST = "00-" + "a".repeat(32) + "-" + "1".repeat(16) + "-01";
  private static final String SECOND = "00-" + "b".repeat(32) + "-" + "2".repeat(16) + "-01";

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final ObservationRegistry observations = ObservationRegistry.create();
  private final Map<String, String> variables = new ConcurrentHashMap<>();

  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final SdkTracerProvider provider =
      SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(spans)).build();

  @BeforeEach
  void trace() {
    Tracer otel = provider.get("test");
    OtelTracer tracer = new OtelTracer(otel, new OtelCurrentTraceContext(), event -> {});
    OtelPropagator propagator =
        new OtelPropagator(
            ContextPropagators.create(W3CTraceContextPropagator.getInstance()), otel);
    observations
        .observationConfig()
        .observationHandler(new DefaultMeterObservationHandler(meters))
        .observationHandler(
            new ObservationHandler.FirstMatchingCompositeObservationHandler(
                new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
                new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                new DefaultTracingObservationHandler(tracer)));
  }

  @AfterEach
  void close() {
    provider.close();
  }

  @Test
  void exampleLoop_isSingleTraceWithMeters() {
    LoopResult result =
        Observation.createNotStarted("request", observations)
            .observe(() -> ObservedLoop.run(observations, meters, variables));

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertTraced(
        spans.getFinishedSpanItems().stream().collect(toMap(SpanData::getName, span -> span)));
    assertThat(meters.get("ralph.tokens").tag("type", "input").counter().count()).isEqualTo(10);
    assertThat(meters.get("ralph.tokens").tag("type", "cached").counter().count()).isEqualTo(90);
    assertThat(meters.get("ralph.tokens").tag("type", "output").counter().count()).isEqualTo(2);
    assertThat(meters.get("ralph.cost").counter().count()).isEqualTo(0.5);
    for (String timer : new String[] {"loop", "iteration", "agent", "gate", "tool"}) {
      assertThat(meters.get("ralph." + timer).timer().count()).as(timer).isEqualTo(1);
    }
  }

  private void assertTraced(Map<String, SpanData> byName) {
    assertThat(byName.keySet())
        .containsExactlyInAnyOrder(
            "request",
            "loop",
            "iteration",
            "invoke_agent writer",
            "execute_tool task_status",
            "gate checked");
    assertChild(byName, "request", "loop");
    assertChild(byName, "loop", "iteration");
    assertChild(byName, "iteration", "invoke_agent writer");
    assertChild(byName, "invoke_agent writer", "execute_tool task_status");
    assertChild(byName, "loop", "gate checked");

    SpanData agent = byName.get("invoke_agent writer");
    assertThat(attribute(agent, "gen_ai.operation.name")).isEqualTo("invoke_agent");
    assertThat(attribute(agent, "gen_ai.agent.name")).isEqualTo("writer");
    assertThat(attribute(agent, "gen_ai.conversation.id")).isEqualTo("work");
    assertThat(attribute(agent, "gen_ai.usage.input_tokens")).isEqualTo("100");
    assertThat(attribute(agent, "gen_ai.usage.cache_read.input_tokens")).isEqualTo("90");
    assertThat(attribute(agent, "gen_ai.usage.output_tokens")).isEqualTo("2");
    assertThat(attribute(byName.get("execute_tool task_status"), "gen_ai.tool.name"))
        .isEqualTo("task_status");
    assertThat(attribute(byName.get("iteration"), "ralph.status")).isEqualTo("success");
    assertThat(attribute(byName.get("loop"), "ralph.reason")).isEqualTo("completed");
    assertThat(attribute(byName.get("gate checked"), "ralph.passed")).isEqualTo("true");

    String flags = agent.getSpanContext().getTraceFlags().asHex();
    String trace = String.join("-", "00", agent.getTraceId(), agent.getSpanId(), flags);
    assertThat(variables).containsEntry("TRACEPARENT", trace).containsEntry("frame", trace);
    assertThat(variables).containsEntry("RALPH_SESSION", "work");
  }

  private static void assertChild(Map<String, SpanData> spans, String parent, String child) {
    assertThat(spans.get(child).getParentSpanId())
        .as("parent of %s", child)
        .isEqualTo(spans.get(parent).getSpanId());
  }

  private static String attribute(SpanData span, String key) {
    return span.getAttributes().get(AttributeKey.stringKey(key));
  }

  @Test
  void withoutTracing_framesHaveNoTrace() {
    LoopResult result = ObservedLoop.run(ObservationRegistry.NOOP, meters, variables);

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(variables).doesNotContainKey("TRACEPARENT").containsEntry("frame", "null");
  }

  @Test
  void messageTrace_isContinuedByTheLoop() {
    AtomicReference<String> trace = new AtomicReference<>(FIRST);
    FrameStore store = new MemoryStoreProvider().open(StoreConfig.in(null));
    try (Ralph ralph = Ralph.over(LoopObservations.traced(store, trace::get))) {
      LoopObservations seen = new LoopObservations(observations, null, ralph);
      Session session = ralph.session("work");
      session.inbox().send("Do it");
      ScriptedAgent agent =
          ScriptedAgent.of(
              turn -> {
                turn.record(RecordEntry.toolCall("1", "mcp__x__y", "{}"));
                turn.record(RecordEntry.toolResult("1", true, "no"));
                turn.record(RecordEntry.toolCall("2", "unended", "{}"));
                trace.set(SECOND);
                turn.session().inbox().send("And now that");
              },
              turn -> {});
      session.loop(seen.observed("writer", agent)).maxIterations(2).onEvent(seen).run();
    }

    List<String> told = new ArrayList<>();
    Map<String, String> names = new HashMap<>();
    spans.getFinishedSpanItems().forEach(span -> names.put(span.getSpanId(), span.getName()));
    for (SpanData span : spans.getFinishedSpanItems()) {
      String parent = names.getOrDefault(span.getParentSpanId(), span.getParentSpanId());
      told.add(span.getTraceId().charAt(0) + " " + span.getName() + " in " + parent);
    }
    assertThat(told)
        .containsExactlyInAnyOrder(
            "a loop in 1111111111111111",
            "a iteration in loop",
            "a invoke_agent writer in iteration",
            "a execute_tool mcp__x__y in invoke_agent writer",
            "a execute_tool unended in invoke_agent writer",
            "b iteration in 2222222222222222",
            "b invoke_agent writer in iteration");
    assertThat(meters.get("ralph.tool").tag("ralph.failed", "true").timers()).hasSize(2);
  }
}

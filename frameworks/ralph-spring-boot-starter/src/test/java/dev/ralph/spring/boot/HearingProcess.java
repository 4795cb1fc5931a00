package dev.ralph.spring.boot;

import dev.ralph.AgentResult;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.micrometer.LoopObservations;
import dev.ralph.tool.AgentTools;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Path;

/** A process without Spring whose agent receives the message of another process. */
final class HearingProcess {

  private HearingProcess() {}

  /** Runs one iteration. The arguments are the store and the file for spans. */
  public static void main(String[] arguments) {
    SpanFile file = new SpanFile(Path.of(arguments[1]), "agent");
    try (SdkTracerProvider provider =
            SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(file)).build();
        Ralph ralph = Ralph.openExisting(Path.of(arguments[0]))) {
      LoopObservations seen = new LoopObservations(observations(provider.get("test")), null, ralph);
      Session session = ralph.session("work");
      session
          .loop(seen.observed("hearer", HearingProcess::work))
          .maxIterations(1)
          .onEvent(seen)
          .run();
    }
  }

  private static ObservationRegistry observations(Tracer otel) {
    OtelTracer tracer = new OtelTracer(otel, new OtelCurrentTraceContext(), event -> {});
    OtelPropagator propagator =
        new OtelPropagator(
            ContextPropagators.create(W3CTraceContextPropagator.getInstance()), otel);
    ObservationRegistry observations = ObservationRegistry.create();
    observations
        .observationConfig()
        .observationHandler(
            new ObservationHandler.FirstMatchingCompositeObservationHandler(
                new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
                new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                new DefaultTracingObservationHandler(tracer)));
    return observations;
  }

  /** Calls a tool in this process, and records a call as an MCP client does. */
  private static AgentResult work(Turn turn) {
    try (AgentTools tools = turn.openTools()) {
      tools.call("task_add", "{\"content\":\"Do it\"}");
    }
    turn.record(RecordEntry.toolCall("1", "mcp__ralph__task_status", "{}"));
    turn.session().tasks().complete("t1");
    turn.record(RecordEntry.toolResult("1", false, "t1 is completed"));
    return AgentResult.success();
  }
}

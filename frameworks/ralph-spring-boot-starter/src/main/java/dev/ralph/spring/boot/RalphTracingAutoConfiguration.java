package dev.ralph.spring.boot;

import dev.ralph.micrometer.LoopObservations;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Writes the current trace into appended frames if the application uses tracing. */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
      "org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration",
      "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration"
    })
@ConditionalOnClass({Tracer.class, LoopObservations.class})
public class RalphTracingAutoConfiguration {

  @Bean
  @ConditionalOnBean({Tracer.class, Propagator.class})
  StoreCustomizer tracedStore(Tracer tracer, Propagator propagator) {
    return store -> LoopObservations.traced(store, () -> current(tracer, propagator));
  }

  private static @Nullable String current(Tracer tracer, Propagator propagator) {
    TraceContext context = tracer.currentTraceContext().context();
    if (context == null) {
      return null;
    }
    Map<String, String> headers = new HashMap<>();
    propagator.inject(context, headers, (carrier, key, value) -> headers.put(key, value));
    return headers.get("traceparent");
  }
}

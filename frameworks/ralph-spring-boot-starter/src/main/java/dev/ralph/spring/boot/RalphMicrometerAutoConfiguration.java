package dev.ralph.spring.boot;

import dev.ralph.Agent;
import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.micrometer.LoopObservations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Observes all loops if the application has an observation registry. */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass({ObservationRegistry.class, MeterRegistry.class})
@ConditionalOnBean(ObservationRegistry.class)
public class RalphMicrometerAutoConfiguration {

  /** Creates the observer unless the application defines one. */
  @Bean
  @ConditionalOnMissingBean
  LoopObservations loopObservations(
      ObservationRegistry observations, ObjectProvider<MeterRegistry> meters, Ralph ralph) {
    return new LoopObservations(observations, meters.getIfAvailable(), ralph);
  }

  @Bean
  LoopCustomizer observedLoops(LoopObservations seen) {
    return new LoopCustomizer() {
      @Override
      public void customize(String session, Loop.Builder loop) {
        loop.onEvent(seen);
      }

      @Override
      public Agent agent(Agent agent) {
        String name = agent.getClass().getSimpleName();
        // generated class names of lambdas differ between runs
        return seen.observed(name.isEmpty() || name.contains("$") ? "agent" : name, agent);
      }
    };
  }
}

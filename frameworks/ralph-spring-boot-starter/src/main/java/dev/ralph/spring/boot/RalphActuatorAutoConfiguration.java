package dev.ralph.spring.boot;

import dev.ralph.Ralph;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Adds health and the endpoint {@code ralph} to applications with an actuator. */
@AutoConfiguration(after = RalphAutoConfiguration.class)
@ConditionalOnBean(RalphLoops.class)
public class RalphActuatorAutoConfiguration {

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(HealthIndicator.class)
  static class OfHealth {

    @Bean
    RalphHealthIndicator ralphHealthIndicator(Ralph ralph, RalphLoops loops) {
      return new RalphHealthIndicator(ralph, loops);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Endpoint.class)
  static class OfEndpoint {

    @Bean
    RalphEndpoint ralphEndpoint(Ralph ralph, RalphLoops loops) {
      return new RalphEndpoint(ralph, loops);
    }
  }
}

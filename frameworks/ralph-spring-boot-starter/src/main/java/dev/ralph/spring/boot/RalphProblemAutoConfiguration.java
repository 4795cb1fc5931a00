package dev.ralph.spring.boot;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.HandlerExceptionResolver;

/**
 * Answers failures of Ralph in the application's controllers with problem details. Handlers of the
 * application have precedence.
 */
@AutoConfiguration
@ConditionalOnClass(HandlerExceptionResolver.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
public class RalphProblemAutoConfiguration {

  @Bean
  HandlerExceptionResolver ralphProblems() {
    return new ProblemResolver();
  }
}

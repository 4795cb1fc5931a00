package dev.ralph.cli.loop;

import dev.ralph.Loop;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.UsageException;
import dev.ralph.log.RalphException;
import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The limits of a loop and of an iteration. */
public record LoopLimits(
    int iterations,
    int maxFailures,
    int maxIdle,
    int maxAttempts,
    @Nullable Duration timeout,
    @Nullable Duration timeLimit,
    @Nullable BigDecimal maxCost,
    @Nullable Long maxTokens,
    @Nullable BigDecimal iterationMaxCost,
    @Nullable Long iterationMaxTokens) {

  private static final int ITERATIONS = 50;
  private static final int FAILURES = 3;
  private static final int IDLE = 5;
  private static final int ATTEMPTS = 5;

  static CommandSyntax addTo(CommandSyntax syntax) {
    return syntax
        .value("i", "iterations", "N", "limit of iterations (default: 50; 0: no limit)")
        .value("timeout", "TIME", "time limit of an iteration, such as 30s, 10m or 2h")
        .value("time-limit", "TIME", "time limit of the loop")
        .value("max-cost", "USD", "cost limit of the loop, such as 5 or 0.50")
        .value("max-tokens", "N", "token limit of the loop")
        .value("iteration-max-cost", "USD", "cost limit of an iteration")
        .value("iteration-max-tokens", "N", "token limit of an iteration")
        .value("max-failures", "N", "end after N failed iterations in a row (default: 3)")
        .value(
            "max-idle",
            "N",
            "end after N iterations in a row without changes (default: 5; 0: never)")
        .value(
            "max-attempts",
            "N",
            "with several agents: block a task after N attempts (default: 5; 0: never)");
  }

  /**
   * Reads the limits of a call.
   *
   * @throws UsageException if a value is invalid
   */
  static LoopLimits of(Arguments arguments) {
    return new LoopLimits(
        arguments.number("iterations", ITERATIONS, 0, Integer.MAX_VALUE),
        arguments.number("max-failures", FAILURES, 1, Integer.MAX_VALUE),
        arguments.number("max-idle", IDLE, 0, Integer.MAX_VALUE),
        arguments.number("max-attempts", ATTEMPTS, 0, Integer.MAX_VALUE),
        arguments.duration("timeout"),
        arguments.duration("time-limit"),
        cost(arguments, "max-cost"),
        tokens(arguments, "max-tokens"),
        cost(arguments, "iteration-max-cost"),
        tokens(arguments, "iteration-max-tokens"));
  }

  public static @Nullable BigDecimal cost(Arguments arguments, String name) {
    String value = arguments.text(name);
    if (value == null) {
      return null;
    }
    if (value.matches("\\$?[0-9]{1,12}(\\.[0-9]{1,12})?")) {
      BigDecimal usd = new BigDecimal(value.startsWith("$") ? value.substring(1) : value);
      if (usd.signum() > 0) {
        return usd;
      }
    }
    throw new UsageException(
        arguments.written(name, 0)
            + " must be an amount of US dollars such as 5 or 0.50, not "
            + RalphException.quote(value));
  }

  public static @Nullable Long tokens(Arguments arguments, String name) {
    String value = arguments.text(name);
    if (value == null) {
      return null;
    }
    if (value.matches("0*[1-9][0-9]{0,17}")) {
      return Long.valueOf(value);
    }
    throw new UsageException(
        arguments.written(name, 0)
            + " must be a number of tokens such as 2000000, not "
            + RalphException.quote(value));
  }

  /** Adds the limits of an iteration. */
  void addTo(Loop.RoleBuilder role) {
    if (timeout != null) {
      role.iterationTimeLimit(timeout);
    }
    if (iterationMaxCost != null) {
      role.iterationMaxCost(iterationMaxCost);
    }
    if (iterationMaxTokens != null) {
      role.iterationMaxTokens(iterationMaxTokens);
    }
  }

  Loop.Builder addTo(Loop.Builder builder) {
    builder
        .maxIterations(iterations)
        .maxFailures(maxFailures)
        .maxIdle(maxIdle)
        .maxAttempts(maxAttempts);
    if (timeout != null) {
      builder.iterationTimeLimit(timeout);
    }
    if (timeLimit != null) {
      builder.timeLimit(timeLimit);
    }
    if (maxCost != null) {
      builder.maxCost(maxCost);
    }
    if (maxTokens != null) {
      builder.maxTokens(maxTokens);
    }
    if (iterationMaxCost != null) {
      builder.iterationMaxCost(iterationMaxCost);
    }
    if (iterationMaxTokens != null) {
      builder.iterationMaxTokens(iterationMaxTokens);
    }
    return builder;
  }
}

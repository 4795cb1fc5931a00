package dev.ralph.agents;

import dev.ralph.Usage;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Token counts by price, without overlap. Negative numbers count as 0.
 *
 * @param input tokens read without a cache
 * @param cached tokens read from a cache
 * @param toCache tokens read and written to a cache
 * @param output tokens written by the model
 */
record Tokens(long input, long cached, long toCache, long output) {

  static final Tokens NONE = new Tokens(0, 0, 0, 0);

  Tokens {
    input = Math.max(0, input);
    cached = Math.max(0, cached);
    toCache = Math.max(0, toCache);
    output = Math.max(0, output);
  }

  Tokens plus(Tokens other) {
    return new Tokens(
        sum(input, other.input),
        sum(cached, other.cached),
        sum(toCache, other.toCache),
        sum(output, other.output));
  }

  /** Returns the difference to an earlier count. */
  Tokens minus(Tokens other) {
    return new Tokens(
        input - other.input, cached - other.cached, toCache - other.toCache, output - other.output);
  }

  private static long sum(long one, long other) {
    long sum = one + other;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** Returns the maximum of each count, because counts only grow while an answer is incomplete. */
  Tokens orMore(Tokens other) {
    return new Tokens(
        Math.max(input, other.input),
        Math.max(cached, other.cached),
        Math.max(toCache, other.toCache),
        Math.max(output, other.output));
  }

  /** Returns a usage with these tokens and a cost, which is null if unknown. */
  Usage usage(@Nullable BigDecimal cost) {
    return Usage.of(sum(input, toCache), output, cost).withCachedTokens(cached);
  }

  /**
   * Returns a usage with these tokens and their cost by prices. The cost is an estimate, or null if
   * the model's price is unknown.
   */
  Usage usage(Prices prices, @Nullable String model) {
    Usage usage = usage(prices.cost(model, this));
    return usage.costUsd() == null ? usage : usage.asEstimate();
  }
}

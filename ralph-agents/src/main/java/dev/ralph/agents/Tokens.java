package dev.ralph.agents;

import dev.ralph.Usage;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Tokens as they are priced, none of them counted twice. Negative numbers count as 0.
 *
 * @param input read, neither from a cache nor into one
 * @param cached read from a cache
 * @param toCache read, and written to a cache
 * @param output written by the model
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

  /** Returns what these are more than others, which they have grown from. */
  Tokens minus(Tokens other) {
    return new Tokens(
        input - other.input, cached - other.cached, toCache - other.toCache, output - other.output);
  }

  private static long sum(long one, long other) {
    long sum = one + other;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** Returns of each kind the greater number: counts only grow while an answer comes in. */
  Tokens orMore(Tokens other) {
    return new Tokens(
        Math.max(input, other.input),
        Math.max(cached, other.cached),
        Math.max(toCache, other.toCache),
        Math.max(output, other.output));
  }

  /** Returns them as a usage of that cost; null where it is not known. */
  Usage usage(@Nullable BigDecimal cost) {
    return Usage.of(sum(input, toCache), output, cost).withCachedTokens(cached);
  }

  /** Returns them as a usage that is valued by prices: an estimate, where the price is known. */
  Usage usage(Prices prices, @Nullable String model) {
    Usage usage = usage(prices.cost(model, this));
    return usage.costUsd() == null ? usage : usage.asEstimate();
  }
}

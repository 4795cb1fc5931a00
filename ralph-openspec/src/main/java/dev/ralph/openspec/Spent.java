package dev.ralph.openspec;

import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the loops of a change have used of its limits together. For one thread. */
final class Spent {

  /**
   * The limits of all stories together.
   *
   * @param iterations 0 for no limit
   * @param time null for no limit, as the others
   */
  record Limits(
      int iterations, @Nullable Duration time, @Nullable BigDecimal cost, @Nullable Long tokens) {}

  private final Limits limits;
  private long begun;
  private boolean hasBegun;
  private int iterations;
  private Usage usage = Usage.NONE;

  Spent(Limits limits) {
    this.limits = limits;
  }

  int iterations() {
    return iterations;
  }

  Usage usage() {
    return usage;
  }

  /** Begins to count the time, unless that was done. */
  void begin() {
    if (!hasBegun) {
      hasBegun = true;
      begun = System.nanoTime();
    }
  }

  /** Takes note of a loop that has ended. */
  void add(LoopResult ended) {
    iterations += ended.iterations();
    usage = usage.plus(ended.usage());
  }

  /** Returns the limit that is used up, or null. */
  @Nullable StopReason reached() {
    Duration time = time();
    BigDecimal cost = cost();
    if (time != null && (time.isZero() || time.isNegative())) {
      return StopReason.TIME_LIMIT;
    }
    if (cost != null && cost.signum() <= 0 || limits.tokens() != null && tokens() <= 0) {
      return StopReason.BUDGET;
    }
    return limits.iterations() > 0 && iterations >= limits.iterations()
        ? StopReason.MAX_ITERATIONS
        : null;
  }

  /** Gives the next loop what is left. */
  void addTo(Loop.Builder loop) {
    loop.maxIterations(limits.iterations() == 0 ? 0 : limits.iterations() - iterations);
    Duration time = time();
    if (time != null) {
      loop.timeLimit(time);
    }
    BigDecimal cost = cost();
    if (cost != null) {
      loop.maxCost(cost);
    }
    if (limits.tokens() != null) {
      loop.maxTokens(tokens());
    }
  }

  /** Returns the time that is left, or null. */
  private @Nullable Duration time() {
    Duration limit = limits.time();
    return limit == null || !hasBegun ? limit : limit.minusNanos(System.nanoTime() - begun);
  }

  private @Nullable BigDecimal cost() {
    BigDecimal used = usage.costUsd();
    BigDecimal limit = limits.cost();
    return limit == null || used == null ? limit : limit.subtract(used);
  }

  private long tokens() {
    return limits.tokens() == null ? 0 : limits.tokens() - usage.totalTokens();
  }
}

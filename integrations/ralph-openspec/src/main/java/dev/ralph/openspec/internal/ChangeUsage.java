package dev.ralph.openspec.internal;

import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.Usage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The total usage of a change's loops, and their common limits. Not thread-safe. */
final class ChangeUsage {

  /**
   * The limits of all stories together, except the limits of cost and tokens: the loop of each
   * story gets these unchanged, and counts the usage from the log.
   *
   * @param iterations the number of iterations, or 0 for no limit
   * @param time the time, or null for no limit
   */
  record Limits(int iterations, @Nullable Duration time) {}

  private final Limits limits;
  private long begun;
  private boolean hasBegun;
  private int iterations;
  private Usage usage = Usage.NONE;

  ChangeUsage(Limits limits) {
    this.limits = limits;
  }

  int iterations() {
    return iterations;
  }

  Usage usage() {
    return usage;
  }

  /** Starts the clock, unless it is running. */
  void begin() {
    if (!hasBegun) {
      hasBegun = true;
      begun = System.nanoTime();
    }
  }

  /** Adds the usage of a loop that has ended. */
  void add(LoopResult ended) {
    iterations += ended.iterations();
    usage = usage.plus(ended.usage());
  }

  /** Returns the limit that is reached, or null. */
  @Nullable StopReason reached() {
    Duration time = time();
    if (time != null && (time.isZero() || time.isNegative())) {
      return StopReason.TIME_LIMIT;
    }
    return limits.iterations() > 0 && iterations >= limits.iterations()
        ? StopReason.MAX_ITERATIONS
        : null;
  }

  /** Sets the rest of the limits for the next loop. */
  void addTo(Loop.Builder loop) {
    loop.maxIterations(limits.iterations() == 0 ? 0 : limits.iterations() - iterations);
    Duration time = time();
    if (time != null) {
      loop.timeLimit(time);
    }
  }

  /** Returns the remaining time, or null for no limit. */
  private @Nullable Duration time() {
    Duration limit = limits.time();
    return limit == null || !hasBegun ? limit : limit.minusNanos(System.nanoTime() - begun);
  }
}

package dev.ralph.openspec;

import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.Usage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the loops of a change have used together. For one thread. */
final class Spent {

  /**
   * The limits of all stories together, besides those of what is used: these every story's loop
   * knows whole, and counts from the log.
   *
   * @param iterations 0 for no limit
   * @param time null for no limit
   */
  record Limits(int iterations, @Nullable Duration time) {}

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
    if (time != null && (time.isZero() || time.isNegative())) {
      return StopReason.TIME_LIMIT;
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
  }

  /** Returns the time that is left, or null. */
  private @Nullable Duration time() {
    Duration limit = limits.time();
    return limit == null || !hasBegun ? limit : limit.minusNanos(System.nanoTime() - begun);
  }
}

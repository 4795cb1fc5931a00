package dev.ralph.core.internal.loop.agent;

import dev.ralph.Usage;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.core.internal.loop.run.LoopClock;
import dev.ralph.core.internal.loop.run.TimeBox;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Logs the usage of a running iteration from time to time, to preserve the figures across a crash.
 * For the thread that waits for the agent.
 */
final class UsageLog {

  private static final System.Logger LOG = System.getLogger(UsageLog.class.getPackageName());

  /** The interval of writes, which bounds the usage lost in a crash. */
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private final LedgerIterationLog iterations;
  private final int iteration;
  private final Supplier<Usage> used;
  private Usage kept = Usage.NONE;
  private final LoopClock time;
  private TimeBox notBefore;

  UsageLog(LedgerIterationLog iterations, int iteration, Supplier<Usage> used, LoopClock time) {
    this.iterations = iterations;
    this.iteration = iteration;
    this.used = used;
    this.time = time;
    this.notBefore = time.box(Duration.ZERO);
  }

  /** Writes the usage, unless it is unchanged or was written a moment ago. */
  void keep() {
    Usage now = used.get();
    if (now.equals(kept) || !notBefore.isUp()) {
      return;
    }
    notBefore = time.box(INTERVAL);
    try {
      iterations.used(iteration, now);
      kept = now;
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "can't append the usage now", e);
    }
  }
}

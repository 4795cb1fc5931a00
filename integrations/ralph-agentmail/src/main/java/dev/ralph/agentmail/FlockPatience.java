package dev.ralph.agentmail;

import dev.ralph.log.LockedException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Kills a child process that waits for a lock in vain: the holder is stopped or keeps the lock too
 * long. The wait continues while the lock changes hands, however busy the machine is.
 */
final class FlockPatience implements AutoCloseable {

  /** The interval between checks of the lock's owner. */
  private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The maximum time for which a holder may keep the lock. */
  private static final long LONGEST_HOLD_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The maximum wait for a holder whose state is not visible. */
  private static final long UNSEEN_NANOS = 2 * CHECK_NANOS;

  private final Process child;
  private final Path file;
  private final Thread watch;
  private volatile @Nullable LockedException refusal;

  /** Starts the checks. */
  FlockPatience(Process child, Path file) {
    this.child = child;
    this.file = file;
    this.watch = new Thread(this::watch, "ralph-agentmail-lock");
    watch.setDaemon(true);
    watch.start();
  }

  private void watch() {
    try {
      long taker = 0;
      long since = System.nanoTime();
      while (!child.waitFor(CHECK_NANOS, TimeUnit.NANOSECONDS)) {
        FlockOwner owner = FlockOwner.of(file);
        long now = System.nanoTime();
        since = owner.taker() == taker ? since : now;
        taker = owner.taker();
        if (owner.isStopped() || now - since >= (taker == 0 ? UNSEEN_NANOS : LONGEST_HOLD_NANOS)) {
          refusal = owner.lockedOut();
          child.destroyForcibly();
          return;
        }
      }
    } catch (InterruptedException answered) {
      // the child has ended
    }
  }

  /** Returns the reason why the child was killed, or null. */
  @Nullable LockedException refusal() {
    return refusal;
  }

  /** Stops the checks, after the child has answered. */
  @Override
  public void close() {
    watch.interrupt();
  }
}

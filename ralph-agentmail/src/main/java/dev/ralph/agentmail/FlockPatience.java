package dev.ralph.agentmail;

import dev.ralph.log.LockedException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a child process that waits for a lock once that is in vain: its holder is stopped, or does
 * not let go. While the lock goes from hand to hand nobody is refused, however busy the machine is.
 */
final class FlockPatience implements AutoCloseable {

  /** How often it is looked who has the lock. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** How long one holder may keep the lock. */
  private static final long LONGEST_HOLD_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long to wait for a holder that can't be asked whether it is stopped. */
  private static final long UNSEEN_NANOS = 2 * LOOK_NANOS;

  private final Process child;
  private final Path file;
  private final Thread watch;
  private volatile @Nullable LockedException refusal;

  /** Begins to look. */
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
      while (!child.waitFor(LOOK_NANOS, TimeUnit.NANOSECONDS)) {
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
      // Then this thread is done.
    }
  }

  /** Returns what to throw if the child was ended here, or null. */
  @Nullable LockedException refusal() {
    return refusal;
  }

  /** The child has answered. */
  @Override
  public void close() {
    watch.interrupt();
  }
}

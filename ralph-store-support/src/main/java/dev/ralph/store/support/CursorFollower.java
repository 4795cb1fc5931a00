package dev.ralph.store.support;

import dev.ralph.RalphException;
import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cursor that waits at the end of the log. */
final class CursorFollower implements Follower {

  private final FrameCursor cursor;
  private final AppendSignal signal;
  private final LogWitness witness;
  private final Runnable onClose;
  private volatile boolean woken;
  private volatile boolean closed;

  CursorFollower(FrameCursor cursor, AppendSignal signal, LogWitness witness, Runnable onClose) {
    this.cursor = cursor;
    this.signal = signal;
    this.witness = witness;
    this.onClose = onClose;
  }

  @Override
  public @Nullable Frame poll(Duration timeout) throws InterruptedException {
    Frame frame = take();
    if (frame != null || timeout.isNegative() || timeout.isZero()) {
      return frame;
    }
    long deadline = System.nanoTime() + saturatedNanos(timeout);
    while (true) {
      long seen = signal.register();
      try {
        frame = take();
        long left = deadline - System.nanoTime();
        if (frame != null || left <= 0 || consumeWakeup()) {
          return frame;
        }
        signal.await(seen, Math.min(left, AppendSignal.SWEEP_NANOS));
      } finally {
        signal.unregister();
      }
    }
  }

  private static long saturatedNanos(Duration timeout) {
    return timeout.compareTo(Duration.ofDays(365)) > 0
        ? Duration.ofDays(365).toNanos()
        : timeout.toNanos();
  }

  private @Nullable Frame take() {
    if (closed) {
      throw RalphException.closed("the follower");
    }
    Frame frame = cursor.next();
    if (frame == null) {
      witness.requireUnchanged(); // nothing ever comes to a log that is not there any more
    }
    return frame;
  }

  private boolean consumeWakeup() {
    if (!woken) {
      return false;
    }
    woken = false;
    return true;
  }

  @Override
  public void wakeup() {
    woken = true;
    signal.signalAll();
  }

  @Override
  public Position position() {
    return cursor.position();
  }

  @Override
  public List<Damage> damage() {
    return cursor.damage();
  }

  @Override
  public void close() {
    closed = true;
    cursor.close();
    signal.signalAll();
    onClose.run();
  }
}

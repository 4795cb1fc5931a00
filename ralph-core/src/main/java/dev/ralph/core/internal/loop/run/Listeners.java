package dev.ralph.core.internal.loop.run;

import dev.ralph.LoopEvent;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Notifies the listeners, one event at a time. If a listener does not return, events are dropped,
 * because a loop must end in time. An exception of a listener is logged. An error ends the loop,
 * and is thrown by the thread that steps.
 */
public final class Listeners {

  private static final System.Logger LOG = System.getLogger(Listeners.class.getPackageName());

  private final List<Consumer<LoopEvent>> listeners;
  private final Clock clock;
  private final Duration patience;
  private final Cancellation cancellation;
  private final ReentrantLock lock = new ReentrantLock();

  /** The first error of a listener, until it is thrown. */
  private final AtomicReference<Error> error = new AtomicReference<>();

  /** Whether the last event was dropped after a wait; later events then do not wait. */
  private final AtomicBoolean hung = new AtomicBoolean();

  /**
   * @param patience the longest wait for the previous event
   * @param cancellation requested when a listener throws an error
   */
  Listeners(
      List<Consumer<LoopEvent>> listeners,
      Clock clock,
      Duration patience,
      Cancellation cancellation) {
    this.listeners = List.copyOf(listeners);
    this.clock = clock;
    this.patience = patience;
    this.cancellation = cancellation;
  }

  /**
   * Emits an event.
   *
   * @param event creates the event for its time
   */
  void emit(Function<Instant, LoopEvent> event) {
    if (!canLock()) {
      if (!hung.getAndSet(true)) {
        LOG.log(
            Level.WARNING,
            "a loop listener has not returned for "
                + patience.toSeconds()
                + " s; events are dropped until then");
      }
      return;
    }
    try {
      hung.set(false);
      LoopEvent told = event.apply(clock.instant());
      listeners.forEach(listener -> deliver(listener, told));
    } finally {
      lock.unlock();
    }
  }

  /** Acquires the lock regardless of interrupts, unless the wait is too long. */
  private boolean canLock() {
    TimeBox box = LoopClock.MACHINE.box(hung.get() ? Duration.ZERO : patience);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return lock.tryLock() || lock.tryLock(box.waitNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException keptForLater) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void deliver(Consumer<LoopEvent> listener, LoopEvent event) {
    try {
      listener.accept(event);
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "a loop listener failed at an event of type " + event.type(), e);
    } catch (Error e) {
      error.compareAndSet(null, e);
      cancellation.request("a loop listener failed: " + e);
    }
  }

  /** Throws the error of a listener, unless it was already thrown. */
  public void throwError() {
    Error thrown = error.getAndSet(null);
    if (thrown != null) {
      throw thrown;
    }
  }

  /** Returns whether the current thread is running a listener. */
  public boolean isDispatching() {
    return lock.isHeldByCurrentThread();
  }
}

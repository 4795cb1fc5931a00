package dev.ralph.core.internal.loop;

import dev.ralph.LoopEvent;
import dev.ralph.log.Meta;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Tells the listeners what happens, one event at a time, whatever they throw. An event that can't
 * be told for a listener does not return is dropped: a loop must end in its time all the same.
 */
final class Events {

  private static final System.Logger LOG = System.getLogger(Events.class.getPackageName());

  private final List<Consumer<LoopEvent>> listeners;
  private final Clock clock;
  private final Duration patience;
  private final ReentrantLock lock = new ReentrantLock();

  /** Whether the last event that had to wait was dropped; those that follow do not wait. */
  private volatile boolean hung;

  /**
   * @param patience how long an event waits for the one before it
   */
  Events(List<Consumer<LoopEvent>> listeners, Clock clock, Duration patience) {
    this.listeners = List.copyOf(listeners);
    this.clock = clock;
    this.patience = patience;
  }

  void emit(LoopEvent.Type type, int iteration, String message) {
    emit(type, iteration, message, Meta.empty());
  }

  void emit(LoopEvent.Type type, int iteration, String message, Meta data) {
    if (!canLock()) {
      if (!hung) {
        hung = true;
        LOG.log(
            Level.WARNING,
            "a listener of the loop has not returned for "
                + patience.toSeconds()
                + " s; events are dropped until it does");
      }
      return;
    }
    try {
      hung = false;
      LoopEvent event =
          LoopEvent.of(type, clock.instant(), iteration, Words.unicode(message), data);
      listeners.forEach(listener -> deliver(listener, event));
    } finally {
      lock.unlock();
    }
  }

  /** Takes the lock, interrupted or not, unless that takes too long. */
  private boolean canLock() {
    TimeBox box = TimeBox.of(hung ? Duration.ZERO : patience);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return lock.tryLock() || lock.tryLock(box.leftNanos(), TimeUnit.NANOSECONDS);
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

  private static void deliver(Consumer<LoopEvent> listener, LoopEvent event) {
    try {
      listener.accept(event);
    } catch (RuntimeException | Error e) {
      LOG.log(
          Level.WARNING, "a listener of the loop failed at an event of type " + event.type(), e);
    }
  }

  /** Returns whether the current thread is within a listener. */
  boolean isDispatching() {
    return lock.isHeldByCurrentThread();
  }
}

package dev.ralph.core.internal.loop;

import dev.ralph.LoopEvent;
import dev.ralph.Meta;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Tells the listeners what happens, one event at a time, whatever they throw. */
final class Events {

  private static final System.Logger LOG = System.getLogger(Events.class.getPackageName());

  private final List<Consumer<LoopEvent>> listeners;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();

  Events(List<Consumer<LoopEvent>> listeners, Clock clock) {
    this.listeners = List.copyOf(listeners);
    this.clock = clock;
  }

  void emit(LoopEvent.Type type, int iteration, String message) {
    emit(type, iteration, message, Meta.empty());
  }

  void emit(LoopEvent.Type type, int iteration, String message, Meta data) {
    lock.lock();
    try {
      LoopEvent event =
          LoopEvent.of(type, clock.instant(), iteration, Words.unicode(message), data);
      listeners.forEach(listener -> deliver(listener, event));
    } finally {
      lock.unlock();
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

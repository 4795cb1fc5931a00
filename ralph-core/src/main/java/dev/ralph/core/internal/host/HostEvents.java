package dev.ralph.core.internal.host;

import dev.ralph.LoopResult;
import dev.ralph.core.internal.host.SessionHost.Event;
import dev.ralph.core.internal.host.SessionHost.Happening;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Delivers a host's events to listeners, one at a time. Safe for use by many threads. */
final class HostEvents {

  private static final System.Logger LOG = System.getLogger(SessionHost.class.getPackageName());

  private final Clock clock;
  private final List<Consumer<Event>> listeners;

  /** Held during calls of listeners, without any other lock. */
  private final ReentrantLock telling = new ReentrantLock();

  HostEvents(Clock clock, List<Consumer<Event>> listeners) {
    this.clock = clock;
    this.listeners = List.copyOf(listeners);
  }

  void notice(@Nullable String session, String message) {
    emit(Happening.NOTICE, session, message, null);
  }

  void emit(Happening type, @Nullable String session, String message, @Nullable LoopResult result) {
    Event event = new Event(type, session, clock.instant(), message, result);
    telling.lock();
    try {
      for (Consumer<Event> listener : listeners) {
        try {
          listener.accept(event);
        } catch (RuntimeException e) {
          LOG.log(Level.WARNING, "a host listener failed", e);
        }
      }
    } finally {
      telling.unlock();
    }
  }

  /** Returns whether the current thread is in a call of a listener. */
  boolean isOwnThread() {
    return telling.isHeldByCurrentThread();
  }
}

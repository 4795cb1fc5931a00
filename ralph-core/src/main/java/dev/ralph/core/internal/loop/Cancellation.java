package dev.ralph.core.internal.loop;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether a loop is to end at once, and why. Requested from any thread, once; a thread that waits
 * in the loop is woken. Holds no lock while it wakes, so that a waker may take its own.
 */
final class Cancellation {

  private final AtomicReference<String> reason = new AtomicReference<>();
  private final Set<Thread> interrupted = ConcurrentHashMap.newKeySet();
  private final List<Runnable> wakers = new CopyOnWriteArrayList<>();

  /** Requests the end; a later request changes nothing. */
  void request(String why) {
    if (reason.compareAndSet(null, why)) {
      wakers.forEach(Runnable::run);
    }
  }

  /** Takes note that the current thread was interrupted, which requests the end of the loop. */
  void interrupted() {
    interrupted.add(Thread.currentThread());
    request("the thread that runs the loop was interrupted");
  }

  /**
   * Interrupts the current thread again if it told {@link #interrupted()} so since its last call.
   * What interrupted another thread, of a landing for example, stays with that one.
   */
  void restoreInterrupt() {
    if (interrupted.remove(Thread.currentThread())) {
      Thread.currentThread().interrupt();
    }
  }

  boolean isRequested() {
    return reason.get() != null;
  }

  /** Returns why, or null where nobody requested it. */
  @Nullable String reason() {
    return reason.get();
  }

  /**
   * Calls the waker on a request, at once if there was one already; it may be called twice.
   *
   * @param waker quick, and free to be called by any thread
   */
  void wake(Runnable waker) {
    wakers.add(waker);
    if (isRequested()) {
      waker.run();
    }
  }

  void forget(Runnable waker) {
    wakers.remove(waker);
  }
}

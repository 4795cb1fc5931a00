package dev.ralph.core.internal.loop.run;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A request to end a loop immediately, with its reason. Any thread may request it, once; threads
 * that wait in the loop are woken. Wakers run without a lock, so they may acquire their own.
 */
public final class Cancellation {

  private final AtomicReference<String> reason = new AtomicReference<>();
  private final Set<Thread> interrupted = ConcurrentHashMap.newKeySet();
  private final List<Runnable> wakers = new CopyOnWriteArrayList<>();

  /** Requests the end; later requests have no effect. */
  public void request(String why) {
    if (reason.compareAndSet(null, why)) {
      wakers.forEach(Runnable::run);
    }
  }

  /** Records an interrupt of the current thread, and requests the end of the loop. */
  public void interrupted() {
    interrupted.add(Thread.currentThread());
    request("the thread that runs the loop was interrupted");
  }

  /**
   * Interrupts the current thread again if the thread called {@link #interrupted()} since the last
   * call of this method. Interrupts of other threads, for example of the merge thread, are not
   * transferred.
   */
  public void restoreInterrupt() {
    if (interrupted.remove(Thread.currentThread())) {
      Thread.currentThread().interrupt();
    }
  }

  public boolean isRequested() {
    return reason.get() != null;
  }

  /** Returns the reason, or null without a request. */
  public @Nullable String reason() {
    return reason.get();
  }

  /**
   * Registers a waker for the request, and calls it immediately after a request. The waker may be
   * called twice.
   *
   * @param waker must be quick, and safe to call from any thread
   */
  public void wake(Runnable waker) {
    wakers.add(waker);
    if (isRequested()) {
      waker.run();
    }
  }

  public void forget(Runnable waker) {
    wakers.remove(waker);
  }
}

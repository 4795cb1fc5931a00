package dev.ralph.core.internal.loop.run;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The agents and gates of a run on other threads, and other work that was abandoned. After the end
 * of the run, the session stays held until this work has ended. Safe for use by many threads.
 */
public final class WorkScope {

  private final Set<CutOffWork<?>> running = ConcurrentHashMap.newKeySet();

  /** Adds an agent or a gate before its start, or work that has not ended in time. */
  public void add(CutOffWork<?> work) {
    running.add(work);
  }

  /** Removes an agent whose end is certain, or a gate that is no longer awaited. */
  public void remove(CutOffWork<?> work) {
    running.remove(work);
  }

  public boolean isEmpty() {
    return running.isEmpty();
  }

  /** Returns whether the current thread is the thread of an agent or a gate. */
  public boolean isCurrentThread() {
    return running.stream().anyMatch(CutOffWork::isCurrentThread);
  }

  /** Runs an action when all work has ended, or immediately if there is none. */
  public void whenEnded(Runnable next) {
    List<CutOffWork<?>> left = List.copyOf(running);
    AtomicInteger open = new AtomicInteger(left.size() + 1); // another thread may remove the last
    Runnable one =
        () -> {
          if (open.decrementAndGet() == 0) {
            next.run();
          }
        };
    left.forEach(work -> work.whenDone(one));
    one.run();
  }
}

package dev.ralph.core.internal.process;

/** Waits for threads that are ending. */
public final class ThreadEnd {

  private ThreadEnd() {}

  /** Waits until the thread has ended, regardless of interrupts; the interrupt status is kept. */
  public static void await(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException keptForLater) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

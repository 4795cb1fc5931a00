package dev.ralph.core.internal.process;

/** Waits for threads that are told to end. */
public final class ThreadEnd {

  private ThreadEnd() {}

  /** Waits until the thread has ended, interrupted or not; an interrupt is kept for later. */
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

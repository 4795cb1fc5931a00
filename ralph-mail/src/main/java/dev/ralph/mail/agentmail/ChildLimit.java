package dev.ralph.mail.agentmail;

import java.util.concurrent.TimeUnit;

/** Ends a child process that has not answered in time, so that reading from it ends. */
final class ChildLimit implements AutoCloseable {

  private final Thread watch;
  private volatile boolean isUp;

  /**
   * Begins to wait.
   *
   * @param deadline by {@link System#nanoTime()}
   */
  ChildLimit(Process child, long deadline) {
    watch = new Thread(() -> watch(child, deadline), "ralph-agentmail-limit");
    watch.setDaemon(true);
    watch.start();
  }

  private void watch(Process child, long deadline) {
    try {
      if (!child.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        isUp = true;
        child.destroyForcibly();
      }
    } catch (InterruptedException answered) {
      // Then this thread is done.
    }
  }

  /** Returns whether the child was ended here. */
  boolean isUp() {
    return isUp;
  }

  /** The child has answered. */
  @Override
  public void close() {
    watch.interrupt();
  }
}

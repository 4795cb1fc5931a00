package dev.ralph.cli.progress;

import dev.ralph.cli.terminal.ControllingTerminal;
import dev.ralph.core.internal.process.ThreadEnd;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/** Redraws the last line of a terminal every second and after each event, in its own thread. */
final class StatusLine implements Runnable, AutoCloseable {

  private final IntConsumer draw;
  private final Thread thread = new Thread(this, "ralph-status");
  private volatile boolean resized = true;
  private boolean woken;
  private boolean ended;

  /**
   * @param draw draws the line for a number of columns
   */
  StatusLine(IntConsumer draw) {
    this.draw = draw;
    ControllingTerminal.onResize(this::resized);
    thread.setDaemon(true);
    thread.start();
  }

  private void resized() {
    resized = true;
    wake();
  }

  /** Redraws the line soon. */
  synchronized void wake() {
    woken = true;
    notifyAll();
  }

  /** Waits for the next update; returns false after the end. */
  private synchronized boolean await() throws InterruptedException {
    if (!woken && !ended) {
      TimeUnit.SECONDS.timedWait(this, 1);
    }
    woken = false;
    return !ended;
  }

  @Override
  public void run() {
    int columns = 0;
    try {
      while (await()) {
        if (resized) {
          resized = false;
          columns = ControllingTerminal.size().columns();
        }
        draw.accept(columns);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops the updates, and waits for the last one. */
  @Override
  public void close() {
    synchronized (this) {
      ended = true;
      notifyAll();
    }
    ThreadEnd.await(thread);
  }
}

package dev.ralph.cli.web;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;

/** Runs an action each time a person presses Enter. */
final class EnterKey {

  private static final long POLL_MILLIS = 200;

  private EnterKey() {}

  /**
   * Runs the action at each line of the input, in this thread, until the thread is interrupted or
   * the input fails. Reads only what is there: a process in the background that waits for input of
   * its terminal is stopped.
   */
  static void listen(InputStream in, Runnable action) {
    try {
      while (true) {
        int available = in.available();
        if (available > 0) {
          byte[] unused = in.readNBytes(available);
          action.run();
        }
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      }
    } catch (IOException closed) {
      // No terminal any more.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

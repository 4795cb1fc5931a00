package dev.ralph.cli.web;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;

/** Runs an action each time a person presses Enter. */
final class EnterKey {

  private static final long POLL_MILLIS = 200;

  private EnterKey() {}

  /**
   * Runs the action for each line of the input in the calling thread, until the thread is
   * interrupted or reading fails. Reads only available bytes, because a background process would be
   * stopped when it waits for terminal input.
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
      // the terminal is gone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

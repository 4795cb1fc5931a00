package dev.ralph.cli.call;

import java.io.IOException;

/** The standard input of an invocation, which can be read once. Not thread-safe. */
final class StandardInput {

  private static final long HINT_AFTER_MILLIS = 2_000;

  private final Environment environment;
  private boolean wasRead;
  private boolean hadText;

  StandardInput(Environment environment) {
    this.environment = environment;
  }

  /**
   * Reads standard input.
   *
   * @throws UsageException if standard input was read before
   */
  String read() {
    if (wasRead) {
      throw new UsageException("standard input can be read only once; give '-' only once");
    }
    wasRead = true;
    String text = PipedText.read(environment.in());
    hadText = !text.isBlank();
    return text;
  }

  /**
   * Reads standard input that the caller did not mention. Prints a hint after two seconds, because
   * an open pipe looks like a hang.
   */
  String readUnasked() {
    Thread hint = hintAtWaiting();
    try {
      return read();
    } finally {
      hint.interrupt();
    }
  }

  private Thread hintAtWaiting() {
    Thread hint =
        new Thread(
            () -> {
              try {
                Thread.sleep(HINT_AFTER_MILLIS);
                environment.warn("reading standard input; close it, or redirect it from /dev/null");
              } catch (InterruptedException read) {
                Thread.currentThread().interrupt();
              }
            },
            "ralph-hint");
    hint.setDaemon(true);
    hint.start();
    return hint;
  }

  /** Returns whether standard input is unread and not a terminal. */
  boolean mayHoldText() {
    return !wasRead && !environment.isTypedIn();
  }

  /** Returns whether standard input has unread bytes; never waits. */
  boolean isUnread() {
    try {
      return mayHoldText() && environment.in().available() > 0;
    } catch (IOException unreadable) {
      return false;
    }
  }

  /** Returns whether a nonblank text was read. */
  boolean hadText() {
    return hadText;
  }
}

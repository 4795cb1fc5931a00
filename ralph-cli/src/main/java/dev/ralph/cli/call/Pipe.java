package dev.ralph.cli.call;

import java.io.IOException;

/** The standard input of one call, whose text can be had once. For one thread. */
final class Pipe {

  private static final long HINT_AFTER_MILLIS = 2_000;

  private final Environment environment;
  private boolean wasRead;
  private boolean hadText;

  Pipe(Environment environment) {
    this.environment = environment;
  }

  /**
   * Returns what is piped in.
   *
   * @throws UsageException if it was read before: there is only one
   */
  String read() {
    if (wasRead) {
      throw new UsageException("standard input can be read once; give '-' for one text only");
    }
    wasRead = true;
    String text = PipedText.read(environment.in());
    hadText = !text.isBlank();
    return text;
  }

  /** Reads what the caller did not say is there: a pipe that nobody closes looks like a hang. */
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
                environment.warn("reading standard input; end it, or redirect it from /dev/null");
              } catch (InterruptedException read) {
                Thread.currentThread().interrupt();
              }
            },
            "ralph-hint");
    hint.setDaemon(true);
    hint.start();
    return hint;
  }

  /** Returns whether a text may be there that nobody has asked for: no person would type it. */
  boolean mayHoldText() {
    return !wasRead && !environment.isTypedIn();
  }

  /** Returns whether something is there by now that nobody has read; never waits for it. */
  boolean isUnread() {
    try {
      return mayHoldText() && environment.in().available() > 0;
    } catch (IOException unreadable) {
      return false;
    }
  }

  /** Returns whether a text was read from it. */
  boolean hadText() {
    return hadText;
  }
}

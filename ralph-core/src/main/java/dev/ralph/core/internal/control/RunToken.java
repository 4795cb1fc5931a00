package dev.ralph.core.internal.control;

import java.util.UUID;

/**
 * The identity of a run, unique on all machines. The process holds the token while the loop, or an
 * agent that the loop could not stop, may still act.
 *
 * <p>Stored in the system properties, which two copies of this library in one program share. Safe
 * for use by many threads.
 */
public final class RunToken {

  private static final String PROPERTY = "dev.ralph.run.";

  private final String text;

  private RunToken(String text) {
    this.text = text;
  }

  /** Acquires a new token. */
  public static RunToken take() {
    String text = UUID.randomUUID().toString();
    System.setProperty(PROPERTY + text, "");
    return new RunToken(text);
  }

  /** Releases the token at the end of the run. */
  public void release() {
    System.getProperties().remove(PROPERTY + text);
  }

  /** Returns whether a run of this process holds a token. */
  public static boolean isHeld(String text) {
    return System.getProperties().containsKey(PROPERTY + text);
  }

  /** Returns the token as text for the log. */
  public String text() {
    return text;
  }
}

package dev.ralph.core.internal.control;

import java.util.UUID;

/**
 * What a run of a loop is known by, among those of all machines: held within its process for as
 * long as the loop, or an agent that it had to leave behind, may still act.
 *
 * <p>Kept among the system properties, which is the one place that two copies of this library in
 * one program share. Safe for use by many threads.
 */
public final class RunToken {

  private static final String PROPERTY = "dev.ralph.run.";

  private final String text;

  private RunToken(String text) {
    this.text = text;
  }

  /** Takes a new token. */
  public static RunToken take() {
    String text = UUID.randomUUID().toString();
    System.setProperty(PROPERTY + text, "");
    return new RunToken(text);
  }

  /** Gives the token back: the run is over. */
  public void release() {
    System.getProperties().remove(PROPERTY + text);
  }

  /** Returns whether a run of this process holds that token. */
  public static boolean isHeld(String text) {
    return System.getProperties().containsKey(PROPERTY + text);
  }

  /** Returns the token as it stands in the log. */
  public String text() {
    return text;
  }
}

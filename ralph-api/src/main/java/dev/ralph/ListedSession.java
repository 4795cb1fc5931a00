package dev.ralph;

import java.time.Instant;
import java.util.Objects;

/** A session as it is listed, without reading what is in it. */
public final class ListedSession {

  private final String name;
  private final Instant lastUsed;

  private ListedSession(String name, Instant lastUsed) {
    this.name = name;
    this.lastUsed = lastUsed;
  }

  /**
   * Lists a session.
   *
   * @param lastUsed when its newest frame was appended
   */
  public static ListedSession of(String name, Instant lastUsed) {
    return new ListedSession(
        Objects.requireNonNull(name, "name"), Objects.requireNonNull(lastUsed, "lastUsed"));
  }

  /** Returns the session's name. */
  public String name() {
    return name;
  }

  /** Returns when its newest frame was appended. */
  public Instant lastUsed() {
    return lastUsed;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ListedSession
        && ((ListedSession) other).name.equals(name)
        && ((ListedSession) other).lastUsed.equals(lastUsed);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, lastUsed);
  }

  @Override
  public String toString() {
    return "session " + name + ", last used " + lastUsed;
  }
}

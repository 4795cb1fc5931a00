package dev.ralph.web;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is known of a token: all but the token itself. Immutable. */
public final class AccessToken {

  /** What a token lets its holder do. */
  public enum Rights {
    /** A person, or a program of theirs, who may see and do everything. */
    ALL,
    /** A person who may only look. */
    LOOK,
    /** An agent that calls the tools of one session. */
    AGENT
  }

  private final String name;
  private final Rights rights;
  private final @Nullable String session;
  private final Instant since;
  private final String hash;

  AccessToken(String name, Rights rights, @Nullable String session, Instant since, String hash) {
    this.name = name;
    this.rights = rights;
    this.session = session;
    this.since = since;
    this.hash = hash;
  }

  /** Returns who holds it; what they do stands in the log under that name. */
  public String name() {
    return name;
  }

  /** Returns what it lets its holder do. */
  public Rights rights() {
    return rights;
  }

  /** Returns the session that an agent works on, or null if it is not an agent's. */
  public @Nullable String session() {
    return session;
  }

  /** Returns when it was made. */
  public Instant since() {
    return since;
  }

  /** Returns what is kept of the token. */
  String hash() {
    return hash;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AccessToken that && hash.equals(that.hash) && name.equals(that.name);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, hash);
  }

  @Override
  public String toString() {
    return "token of " + name;
  }
}

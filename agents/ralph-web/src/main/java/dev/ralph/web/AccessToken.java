package dev.ralph.web;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The data of an access token without the token itself. Immutable. */
public final class AccessToken {

  /** The rights that a token grants. */
  public enum Rights {
    /** All rights, for a person or a program of a person. */
    ALL,
    /** Read-only rights, for a person. */
    LOOK,
    /** The right to call the tools of one session, for an agent. */
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

  /** Returns the name of the holder, which the log records with the holder's changes. */
  public String name() {
    return name;
  }

  /** Returns the rights of the holder. */
  public Rights rights() {
    return rights;
  }

  /** Returns the session of an agent, or null for a person. */
  public @Nullable String session() {
    return session;
  }

  /** Returns the time when the token was created. */
  public Instant since() {
    return since;
  }

  /** Returns the hash of the token. */
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

package dev.ralph;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A message in a session's inbox as it stands at one moment. */
public interface Message {

  /** Returns the id of the message's frame. */
  String id();

  /**
   * Returns the shortest abbreviation of the id, of 8 characters or more, that no other one has.
   */
  String shortId();

  /** Returns the message's number in its session, from 1; {@code m3} refers to it everywhere. */
  int number();

  /** Returns the text. */
  String text();

  /** Returns when it was sent, as the sender wrote it: ISO-8601 with an offset. */
  String timestamp();

  /** Returns when it was appended. */
  Instant sent();

  /** Returns who sent it, or null where nobody said. */
  @Nullable String by();

  /** Returns whether it was marked as read. */
  boolean isRead();

  /** Returns whether it is meant for the next iteration rather than the one that runs. */
  boolean isFollowUp();

  /** Returns the id of the question that it answers, or null where it answers none. */
  @Nullable String question();
}

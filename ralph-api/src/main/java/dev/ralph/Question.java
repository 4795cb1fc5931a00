package dev.ralph;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A question of an agent to the operator, as it stands at one moment. */
public interface Question {

  /** Returns the id of the question's frame. */
  String id();

  /**
   * Returns the shortest abbreviation of the id, of 8 characters or more, that no other one has.
   */
  String shortId();

  /** Returns the question's number in its session, from 1; {@code q3} refers to it everywhere. */
  int number();

  /** Returns what is asked. */
  String text();

  /** Returns when it was asked. */
  Instant asked();

  /** Returns who asked, or null where nobody said. */
  @Nullable String by();

  /** Returns the iteration in which it was asked, or 0 where that is not known. */
  int iteration();

  /** Returns whether nobody has answered yet. */
  boolean isOpen();

  /** Returns the answer, or null while there is none. */
  @Nullable String answer();

  /** Returns who answered, or null where nobody has, or said. */
  @Nullable String answeredBy();

  /** Returns when it was answered, or null while it is not. */
  @Nullable Instant answered();
}

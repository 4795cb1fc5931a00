package dev.ralph;

import java.time.Instant;

/** Something that one iteration leaves for later ones. */
public interface Note {

  /** Returns the id of the note's frame. */
  String id();

  /**
   * Returns the shortest abbreviation of the id, of 8 characters or more, that no other note has.
   */
  String shortId();

  /** Returns the note's number in its session, from 1; {@code n3} refers to it everywhere. */
  int number();

  /** Returns its kind; see {@link NoteLog} for the usual ones. */
  String type();

  /** Returns what it says. */
  String content();

  /** Returns the iteration that left it, or 0 where that is not known. */
  int iteration();

  /** Returns when it was left. */
  Instant added();
}

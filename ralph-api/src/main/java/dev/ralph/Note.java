package dev.ralph;

import java.time.Instant;

/** Something that one iteration leaves for later ones. */
public interface Note {

  /** Returns the id of the note's frame. */
  String id();

  /** Returns its kind; see {@link NoteLog} for the usual ones. */
  String type();

  /** Returns what it says. */
  String content();

  /** Returns the iteration that left it, or 0 where that is not known. */
  int iteration();

  /** Returns when it was left. */
  Instant added();
}

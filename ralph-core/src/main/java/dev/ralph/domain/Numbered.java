package dev.ralph.domain;

/** An entry that people and agents refer to by its number or a prefix of its id. */
public interface Numbered {

  /** Returns the id of the frame that added the entry. */
  String id();

  /** Returns the number, at least 1, which is never used again for the kind of entry. */
  int number();

  /**
   * Returns the text of the entry, or a description, for error messages. Messages show the
   * beginning of its first line.
   */
  String title();

  /** Returns whether the title is the entry's text, which messages quote, or a description. */
  default boolean isTitleItsText() {
    return true;
  }
}

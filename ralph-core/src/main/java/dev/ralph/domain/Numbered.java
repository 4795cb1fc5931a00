package dev.ralph.domain;

/** Something that people and agents refer to by its number or by the beginning of its id. */
public interface Numbered {

  /** Returns the id of the frame that added it. */
  String id();

  /** Returns its number, 1 or more, which no other thing of its kind has or will have. */
  int number();

  /**
   * Returns its text, or a word about it in its place, for error messages; these show the beginning
   * of its first line.
   */
  String title();

  /** Returns whether the title is its own text, which error messages quote, or a word about it. */
  default boolean isTitleItsText() {
    return true;
  }
}

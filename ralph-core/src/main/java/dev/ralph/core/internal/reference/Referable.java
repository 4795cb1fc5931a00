package dev.ralph.core.internal.reference;

/** Something that people and agents refer to by its number or by the beginning of its id. */
public interface Referable {

  /** Returns the id of the frame that added it. */
  String id();

  /** Returns its number in the session. */
  int number();

  /** Returns its text, for error messages. */
  String title();
}

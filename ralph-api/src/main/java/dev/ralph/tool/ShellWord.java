package dev.ralph.tool;

/** Quotes words for a POSIX shell. */
final class ShellWord {

  private ShellWord() {}

  /** Quotes a word, also if no quotes are necessary. */
  static String quote(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}

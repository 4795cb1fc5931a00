package dev.ralph.tool;

/** A word as a POSIX shell takes it. */
final class ShellWord {

  private ShellWord() {}

  /** Quotes a word, always, so that a reader sees where it ends. */
  static String quote(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}

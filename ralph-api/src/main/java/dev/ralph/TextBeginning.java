package dev.ralph;

/** Cuts text that is in memory. */
final class TextBeginning {

  private TextBeginning() {}

  /**
   * Returns the first {@code characters} chars of a text, or one fewer to keep a surrogate pair
   * whole.
   */
  static String of(String whole, int characters) {
    int end = Math.max(0, Math.min(characters, whole.length()));
    boolean halves =
        end > 0 && end < whole.length() && Character.isHighSurrogate(whole.charAt(end - 1));
    return whole.substring(0, halves ? end - 1 : end);
  }
}

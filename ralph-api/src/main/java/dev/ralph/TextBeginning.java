package dev.ralph;

/** Cuts text that is in memory. */
final class TextBeginning {

  private TextBeginning() {}

  /** Returns at most that many {@code char}s of the text, without splitting a surrogate pair. */
  static String of(String whole, int characters) {
    int end = Math.max(0, Math.min(characters, whole.length()));
    boolean halves =
        end > 0 && end < whole.length() && Character.isHighSurrogate(whole.charAt(end - 1));
    return whole.substring(0, halves ? end - 1 : end);
  }
}

package dev.ralph;

/** The beginning of a text that is there as a whole. */
final class TextBeginning {

  private TextBeginning() {}

  /** Returns at most so many characters; one of two {@code char}s is not halved. */
  static String of(String whole, int characters) {
    int end = Math.max(0, Math.min(characters, whole.length()));
    boolean halves =
        end > 0 && end < whole.length() && Character.isHighSurrogate(whole.charAt(end - 1));
    return whole.substring(0, halves ? end - 1 : end);
  }
}

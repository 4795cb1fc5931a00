package dev.ralph.internal;

/** Converts text to well-formed Unicode. */
public final class UnicodeText {

  private UnicodeText() {}

  /** Returns the text with each unpaired surrogate replaced by U+FFFD. */
  public static String of(String text) {
    StringBuilder fixed = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
        continue;
      }
      if (fixed == null) {
        fixed = new StringBuilder(text);
      }
      fixed.setCharAt(i, '\uFFFD');
    }
    return fixed == null ? text : fixed.toString();
  }
}

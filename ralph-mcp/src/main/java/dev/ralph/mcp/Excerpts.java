package dev.ralph.mcp;

/**
 * Stored text as it stands in a reply: further lines are indented, so that no text can pass for an
 * item of its own or for a message of the operator's.
 */
final class Excerpts {

  private Excerpts() {}

  /** Returns the whole text. */
  static String whole(String text) {
    return text.strip().replace("\r\n", "\n").replace('\r', '\n').replace("\n", "\n  ");
  }

  /** Returns the text up to so many characters. */
  static String cut(String text, int characters) {
    String stripped = text.strip();
    return stripped.length() <= characters
        ? whole(stripped)
        : whole(stripped.substring(0, end(stripped, characters))) + "…";
  }

  /** Returns the first line up to so many characters. */
  static String line(String text, int characters) {
    String line = text.strip().lines().findFirst().orElse("");
    return line.length() < text.strip().length() || line.length() > characters
        ? line.substring(0, end(line, characters)) + "…"
        : line;
  }

  /** Returns where to cut, so that no character is halved. */
  static int end(String text, int characters) {
    int end = Math.min(text.length(), characters);
    return end > 0 && end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))
        ? end - 1
        : end;
  }
}

package dev.ralph.core.internal.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a command line with the quoting rules of a POSIX shell. Blanks separate words, {@code '…'}
 * quotes all characters, {@code "…"} all except {@code \"} and {@code \\}, and a backslash the next
 * character. No shell runs and no word is expanded, so {@code $HOME}, {@code *} and {@code ;} are
 * plain text.
 */
public final class CommandLineWords {

  private CommandLineWords() {}

  /**
   * Splits a line into words.
   *
   * @throws IllegalArgumentException if a quote is not closed, the line ends in a backslash, or
   *     there is no word; the message has the reason
   */
  public static List<String> split(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean open = false;
    int at = 0;
    while (at < line.length()) {
      char c = line.charAt(at++);
      switch (c) {
        case ' ', '\t', '\n', '\r' -> {
          if (open) {
            words.add(word.toString());
            word.setLength(0);
            open = false;
          }
        }
        case '\'' -> {
          open = true;
          int close = line.indexOf('\'', at);
          if (close < 0) {
            throw new IllegalArgumentException("a single quote is not closed");
          }
          word.append(line, at, close);
          at = close + 1;
        }
        case '"' -> {
          open = true;
          at = doubleQuoted(line, at, word);
        }
        case '\\' -> {
          open = true;
          if (at == line.length()) {
            throw new IllegalArgumentException("nothing follows the last backslash");
          }
          word.append(line.charAt(at++));
        }
        default -> {
          open = true;
          word.append(c);
        }
      }
    }
    if (open) {
      words.add(word.toString());
    }
    if (words.isEmpty()) {
      throw new IllegalArgumentException("the command is empty");
    }
    return words;
  }

  /** Joins words to a line that a shell, and {@link #split}, would split into the same words. */
  public static String join(List<String> words) {
    StringBuilder line = new StringBuilder();
    for (String word : words) {
      line.append(line.length() == 0 ? "" : " ").append(isPlain(word) ? word : quote(word));
    }
    return line.toString();
  }

  private static boolean isPlain(String word) {
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      boolean isWordCharacter =
          c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c > 0x7f;
      if (!isWordCharacter && "_-./:=,@%+".indexOf(c) < 0) {
        return false;
      }
    }
    return !word.isEmpty();
  }

  /** Quotes a word for a shell, always, so that its end is visible. */
  public static String quote(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  private static int doubleQuoted(String line, int from, StringBuilder word) {
    int at = from;
    while (at < line.length()) {
      char c = line.charAt(at++);
      if (c == '"') {
        return at;
      }
      boolean escapes = c == '\\' && at < line.length() && "\"\\$`".indexOf(line.charAt(at)) >= 0;
      word.append(escapes ? line.charAt(at++) : c);
    }
    throw new IllegalArgumentException("a double quote is not closed");
  }
}

package dev.ralph.core.internal.prompt;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Other people's text as it stands in a prompt: a list item whose further lines are indented, so
 * that no text can pass for another item or a heading.
 */
final class Excerpt {

  private static final Pattern LINE_BREAK = Pattern.compile("\\R");

  /** Characters that a terminal obeys, or that are none. Line breaks and tabs are left. */
  private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cs}&&[^\n\t]]");

  /**
   * Characters that nobody sees, which turn the direction of text or hide text in it. The joiners
   * are left: scripts and emoji need them.
   */
  private static final Pattern INVISIBLE =
      Pattern.compile(
          "[\\x{ad}\\x{61c}\\x{200b}\\x{200e}\\x{200f}\\x{202a}-\\x{202e}\\x{2060}-\\x{206f}"
              + "\\x{feff}\\x{fff9}-\\x{fffb}\\x{e0000}-\\x{e007f}]");

  private static final String INDENT = "  ";

  private Excerpt() {}

  /** Returns the whole text; its further lines are indented. */
  static String indented(String text) {
    return clean(text).replace("\n", "\n" + INDENT);
  }

  /** Returns the text up to so many characters; its further lines are indented. */
  static String indented(String text, int characters) {
    return cut(clean(text), characters).replace("\n", "\n" + INDENT);
  }

  /**
   * Returns the first line up to so many characters; an ellipsis stands for whatever is left out.
   */
  static String firstLine(String text, int characters) {
    String cleaned = clean(text);
    int end = cleaned.indexOf('\n');
    String line = end < 0 ? cleaned : cleaned.substring(0, end).stripTrailing() + " …";
    return cut(line.replace('\t', ' '), characters);
  }

  /** Returns the text as a reader would see it: every line break is one, and nothing is hidden. */
  private static String clean(String text) {
    String lines = LINE_BREAK.matcher(text).replaceAll("\n");
    String visible = INVISIBLE.matcher(lines).replaceAll("");
    return CONTROL.matcher(visible).replaceAll(" ").strip();
  }

  /**
   * Returns the items' lines, in order, as many as the characters allow, and then one that counts
   * the others.
   */
  static <T> List<String> within(int characters, List<T> items, Function<T, String> line) {
    List<String> lines = new ArrayList<>();
    int left = characters;
    for (T item : items) {
      String text = line.apply(item);
      left -= text.length() + 1;
      if (left < 0) {
        lines.add("- … and " + (items.size() - lines.size()) + " more");
        break;
      }
      lines.add(text);
    }
    return lines;
  }

  private static String cut(String text, int characters) {
    if (text.length() <= characters) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(characters - 1)) ? characters - 1 : characters;
    return text.substring(0, end) + "…";
  }
}

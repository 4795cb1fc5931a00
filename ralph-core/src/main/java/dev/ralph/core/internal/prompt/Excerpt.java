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
  private static final String INDENT = "  ";

  private Excerpt() {}

  /** Returns the whole text; its further lines are indented. */
  static String indented(String text) {
    return String.join("\n" + INDENT, LINE_BREAK.split(text.strip(), -1));
  }

  /** Returns the text up to so many characters; its further lines are indented. */
  static String indented(String text, int characters) {
    return indented(cut(text.strip(), characters));
  }

  /**
   * Returns the first line up to so many characters; an ellipsis stands for whatever is left out.
   */
  static String firstLine(String text, int characters) {
    String stripped = text.strip();
    String[] lines = LINE_BREAK.split(stripped, 2);
    String line = lines.length == 1 ? lines[0] : lines[0].stripTrailing() + " …";
    return cut(line.replaceAll("\\p{Cntrl}", " "), characters);
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

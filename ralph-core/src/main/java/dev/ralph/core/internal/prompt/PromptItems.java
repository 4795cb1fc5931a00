package dev.ralph.core.internal.prompt;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Renders lists of items that may be too long for a prompt. */
final class PromptItems {

  private PromptItems() {}

  /**
   * Returns the lines of as many items as fit into a number of characters, in order. A last line
   * has the number of the other items.
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
}

package dev.ralph.core.internal.tool;

import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Limits long texts and lists in replies, with instructions to read the rest. */
final class ReplyLimits {

  /** The argument with the offset to continue from. */
  static final String OFFSET = "offset";

  /**
   * The maximum length of a list in characters, about 2,500 tokens. Each later model call of the
   * agent reads the list again.
   */
  private static final int LIST_BUDGET = 10_000;

  /**
   * The length of a part of a text in characters; clients reject replies of about 25,000 tokens.
   */
  private static final int PART = 20_000;

  private ReplyLimits() {}

  /**
   * Returns the beginning of a text, with instructions to read the rest of a longer text.
   *
   * @param beginning at most the number of characters to show
   * @param length the length of the whole text
   */
  static String cut(String beginning, int length, String tool, String id) {
    return TextExcerpt.indented(beginning)
        + (beginning.length() == length
            ? ""
            : "…\n  (cut: " + tool + " with id " + id + " shows the full text)");
  }

  static String part(String tool, String id, String text, ToolArguments arguments) {
    return part(tool, id, text, arguments.number(OFFSET, 0, 0, Integer.MAX_VALUE));
  }

  /** Returns the part of a text that fits, with instructions to read the rest. */
  static String part(String tool, String id, String text, int offset) {
    String shown = TextExcerpt.clean(text);
    requireWithin(shown, offset);
    int end = TextExcerpt.end(shown, offset + Math.min(PART, shown.length() - offset));
    return part(tool, id, shown, offset, end);
  }

  /** Returns the offset to continue from in a clean text. */
  static int offset(ToolArguments arguments, String shown) {
    int offset = arguments.number(OFFSET, 0, 0, Integer.MAX_VALUE);
    requireWithin(shown, offset);
    return offset;
  }

  private static void requireWithin(String shown, int offset) {
    if (offset > 0 && offset >= shown.length()) {
      throw RalphException.invalid(
          "offset " + offset + " is past the end of " + shown.length() + " characters");
    }
  }

  /** Returns a part of a clean text, with instructions to read the rest. */
  static String part(String tool, String id, String shown, int offset, int end) {
    String part = TextExcerpt.indented(shown.substring(offset, end));
    int left = shown.length() - end;
    return left == 0
        ? part
        : part
            + "\n("
            + left
            + " more characters: call "
            + tool
            + " with id "
            + id
            + " and offset "
            + end
            + ")";
  }

  /** Returns the items from the offset that fit, with instructions to read the rest. */
  static <T> String page(
      String tool, ToolArguments arguments, List<T> items, Function<T, String> line) {
    int offset = arguments.number(OFFSET, 0, 0, Integer.MAX_VALUE);
    if (offset >= items.size()) {
      throw RalphException.invalid(
          "offset " + offset + " is past the end of " + items.size() + " items");
    }
    List<String> lines = lines(offset, items, line);
    StringBuilder text = new StringBuilder(String.join("\n", lines));
    int next = offset + lines.size();
    int left = items.size() - next;
    if (left > 0) {
      text.append("\n(")
          .append(left)
          .append(" more: call ")
          .append(tool)
          .append(" with offset ")
          .append(next)
          .append(')');
    }
    return text.toString();
  }

  /** Returns the items from the offset that fit into a reply. */
  static <T> List<String> lines(int offset, List<T> items, Function<T, String> line) {
    List<String> lines = new ArrayList<>();
    int length = 0;
    for (int i = offset; i < items.size() && (i == offset || length < LIST_BUDGET); i++) {
      String text = line.apply(items.get(i));
      length += text.length() + 1;
      lines.add(text);
    }
    return lines;
  }
}

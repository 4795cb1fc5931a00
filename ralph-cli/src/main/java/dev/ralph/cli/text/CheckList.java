package dev.ralph.cli.text;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the check lists of a Markdown text: {@code - [ ] text}, with {@code *}, {@code +} or a
 * number for the dash. Lines that belong to an item, because they are indented below it or follow
 * it, are part of its text. Everything else, and what stands in a fenced block of code, is let
 * pass.
 */
public final class CheckList {

  private static final int TAB = 4;

  /** What somebody may have meant as an item; not a link, as {@code [1](page)} is. */
  private static final Pattern LIKE_ITEM =
      Pattern.compile("(?:>\\s*)*(?:[-*+]|\\d+[.)])\\s*\\[.?](?!\\().*\\S.*");

  private final List<Item> top = new ArrayList<>();
  private final List<Integer> doubtful = new ArrayList<>();
  private int lines;
  private final Deque<Item> open = new ArrayDeque<>();
  private String fence = "";
  private boolean afterBlank;

  private CheckList() {}

  /** One item, and those that stand below it. */
  public static final class Item {

    private final int indent;
    private final boolean done;
    private final StringBuilder text;
    private final List<Item> below = new ArrayList<>();

    private Item(int indent, boolean done, String text) {
      this.indent = indent;
      this.done = done;
      this.text = new StringBuilder(text);
    }

    /** Returns its text, of one line or several. */
    public String text() {
      return text.toString().strip();
    }

    /** Returns whether it is ticked. */
    public boolean isDone() {
      return done;
    }

    /** Returns the items below it, in order. */
    public List<Item> below() {
      return below;
    }
  }

  /** Reads all check lists of a text. */
  public static CheckList parse(String markdown) {
    CheckList list = new CheckList();
    for (String line : markdown.split("\r?\n", -1)) {
      list.read(line);
    }
    return list;
  }

  /** Returns the items that stand below no other, in order. */
  public List<Item> items() {
    return top;
  }

  /** Returns the numbers of the lines that look like an item and are none. */
  public List<Integer> doubtful() {
    return doubtful;
  }

  private void read(String line) {
    lines++;
    String text = line.strip();
    int indent = indent(line);
    if (!fence.isEmpty() || startsFence(text)) {
      readFenced(line, text, indent);
    } else if (text.isEmpty()) {
      afterBlank = true;
      return;
    } else {
      int marker = markerLength(text);
      String rest = text.substring(marker);
      if (marker > 0 && isItem(rest)) {
        readItem(rest, indent);
      } else if (LIKE_ITEM.matcher(text).matches()) {
        // It is no part of the item before it, which nobody would look for it in.
        closeFrom(indent);
        doubtful.add(lines);
      } else if (marker > 0) {
        closeFrom(indent);
        append("- " + rest);
      } else {
        readText(text, indent);
      }
    }
    afterBlank = false;
  }

  private static boolean isItem(String text) {
    return text.matches("\\[[ xX]]\\s+\\S.*");
  }

  private void readItem(String text, int indent) {
    closeFrom(indent);
    Item item = new Item(indent, text.charAt(1) != ' ', text.substring(3).strip());
    @Nullable Item parent = open.peek();
    (parent == null ? top : parent.below).add(item);
    open.push(item);
  }

  private void readText(String text, int indent) {
    boolean follows = !afterBlank && !text.startsWith("#");
    if (!follows) {
      closeFrom(indent);
    }
    append(text);
  }

  private void readFenced(String line, String text, int indent) {
    if (fence.isEmpty()) {
      fence = text.substring(0, 3);
      closeFrom(indent);
    } else if (text.startsWith(fence)) {
      fence = "";
    }
    append(line.stripTrailing());
  }

  private static boolean startsFence(String text) {
    return text.startsWith("```") || text.startsWith("~~~");
  }

  /** Adds a line to the text of the item that it belongs to, if there is one. */
  private void append(String line) {
    Item item = open.peek();
    if (item != null) {
      item.text.append(afterBlank ? "\n\n" : "\n").append(line);
    }
  }

  /** Ends the items that a line of that indent does not stand below. */
  private void closeFrom(int indent) {
    for (Item item = open.peek(); item != null && item.indent >= indent; item = open.peek()) {
      open.pop();
    }
  }

  private static int indent(String line) {
    int indent = 0;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '\t') {
        indent += TAB - indent % TAB;
      } else if (c == ' ') {
        indent++;
      } else {
        break;
      }
    }
    return indent;
  }

  /** Returns how long the mark of a list is with the blank after it, or 0 if there is none. */
  private static int markerLength(String text) {
    int end = 0;
    while (end < text.length() && Character.isDigit(text.charAt(end))) {
      end++;
    }
    boolean numbered = end > 0 && end < text.length() && ".)".indexOf(text.charAt(end)) >= 0;
    boolean marked = end == 0 && "-*+".indexOf(text.charAt(0)) >= 0;
    int blank = end + 1;
    return (numbered || marked) && blank < text.length() && text.charAt(blank) == ' '
        ? text.length() - text.substring(blank).stripLeading().length()
        : 0;
  }
}

package dev.ralph.cli.text;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses the check lists of a Markdown text: {@code - [ ] text}, with {@code *}, {@code +} or a
 * number in place of the dash. Lines indented below an item or directly after it are part of its
 * text. The parser ignores all other lines: fenced code, comments, front matter, and optional items
 * ({@code - [ ]* text}) with everything below them.
 */
public final class CheckList {

  private static final int TAB = 4;
  private static final String BOX = "[ ]";

  /** Matches a possible item with a syntax error, but not a link such as {@code [1](page)}. */
  private static final Pattern LIKE_ITEM =
      Pattern.compile("(?:>\\s*)*(?:[-*+]|\\d+[.)])\\s*\\[.?](?!\\().*\\S.*");

  private static final Pattern OPTIONAL = Pattern.compile("\\[[ xX]]\\*\\s+\\S.*");

  /**
   * Matches the heading of a user story, such as {@code US-001: Title} or {@code User story 1 -
   * Title}.
   */
  private static final Pattern STORY =
      Pattern.compile("(?i)\\W*(?:US|(?:user[ -]?)?story)[ #-]*\\d+(?:\\.\\d+)*\\b.*");

  private static final String COMMENT = "<!--";
  private static final String COMMENT_END = "-->";

  private final List<Item> top = new ArrayList<>();

  /** The headings above the current line, by level. */
  private final TreeMap<Integer, String> headings = new TreeMap<>();

  private final List<Integer> doubtful = new ArrayList<>();
  private int lines;
  private final Deque<Item> open = new ArrayDeque<>();
  private String fence = "";
  private boolean afterBlank;
  private boolean isComment;

  /** The whole current line; null if the line begins within a comment. */
  private @Nullable String whole;

  private CheckList() {}

  /** An item, and the items below it. */
  public static final class Item {

    private final int indent;
    private final boolean done;
    private final List<String> headings;
    private final StringBuilder text;
    private final List<Item> below = new ArrayList<>();
    private int line;
    private int mark = -1;

    private Item(int indent, boolean done, List<String> headings, String text) {
      this.indent = indent;
      this.done = done;
      this.headings = headings;
      this.text = new StringBuilder(text);
    }

    /** Returns the text, which may have several lines. */
    public String text() {
      return text.toString().strip();
    }

    /** Returns whether the item is ticked. */
    public boolean isDone() {
      return done;
    }

    /** Returns the number of the line with the box, from 1. */
    public int line() {
      return line;
    }

    /** Returns the index of the character within the box, or -1 if a comment precedes the box. */
    public int mark() {
      return mark;
    }

    /** Returns the headings above the item, the outermost heading first. */
    public List<String> headings() {
      return headings;
    }

    /** Returns the heading of the item's user story, or null. */
    public @Nullable String story() {
      for (int i = headings.size() - 1; i >= 0; i--) {
        if (STORY.matcher(headings.get(i)).matches()) {
          return headings.get(i);
        }
      }
      return null;
    }

    /** Returns the items below, in order. */
    public List<Item> below() {
      return below;
    }
  }

  /** Parses all check lists of a text. */
  public static CheckList parse(String markdown) {
    CheckList list = new CheckList();
    String[] lines = markdown.split("\r?\n", -1);
    int from = frontMatter(lines);
    list.lines = from;
    for (int i = from; i < lines.length; i++) {
      list.readLine(lines, i);
    }
    return list;
  }

  /** Returns the top-level items in order. */
  public List<Item> items() {
    return top;
  }

  /** Returns the line numbers of possible items with a syntax error. */
  public List<Integer> doubtful() {
    return doubtful;
  }

  /** Returns the number of lines of the front matter. */
  private static int frontMatter(String[] lines) {
    if (lines[0].stripTrailing().equals("---")) {
      for (int i = 1; i < lines.length; i++) {
        String line = lines[i].stripTrailing();
        if (line.equals("---") || line.equals("...")) {
          return i + 1;
        }
      }
    }
    return 0;
  }

  /** Reads a line without its comments. A line with comments only is skipped. */
  private void readLine(String[] all, int at) {
    lines++;
    String line = all[at];
    whole = isComment ? null : line;
    if (!isComment && !line.contains(COMMENT)
        || !isComment && (!fence.isEmpty() || startsFence(line.strip()))) {
      read(line);
      return;
    }
    StringBuilder left = new StringBuilder();
    int from = 0;
    while (from < line.length()) {
      if (isComment) {
        int end = line.indexOf(COMMENT_END, from);
        isComment = end < 0;
        from = end < 0 ? line.length() : end + COMMENT_END.length();
        continue;
      }
      int begin = line.indexOf(COMMENT, from);
      while (begin >= 0 && !isComment(all, at, begin, left.isEmpty())) {
        begin = line.indexOf(COMMENT, begin + 1);
      }
      left.append(line, from, begin < 0 ? line.length() : begin);
      isComment = begin >= 0;
      from = begin < 0 ? line.length() : begin + COMMENT.length();
    }
    if (!left.toString().isBlank()) {
      read(left.toString().stripTrailing());
    }
  }

  /**
   * Returns whether a comment begins at an index. A comment must be outside code, and closed unless
   * it begins the line.
   */
  private static boolean isComment(String[] all, int at, int begin, boolean isFirst) {
    String line = all[at];
    String before = line.substring(0, begin);
    if (before.chars().filter(c -> c == '`').count() % 2 == 1) {
      return false;
    }
    if (isFirst && before.isBlank() || line.indexOf(COMMENT_END, begin) >= 0) {
      return true;
    }
    for (int i = at + 1; i < all.length && !all[i].isBlank(); i++) {
      if (all[i].contains(COMMENT_END)) {
        return true;
      }
    }
    return false;
  }

  private void read(String line) {
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
        readItem(rest, indent).mark = mark(line);
      } else if (marker > 0 && OPTIONAL.matcher(rest).matches()) {
        closeFrom(indent);
        open.push(new Item(indent, true, List.of(), rest)); // not in the list, with all items below
      } else if (LIKE_ITEM.matcher(text).matches()) {
        // A possible item is not part of the previous item, where nobody would look for it.
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

  private Item readItem(String text, int indent) {
    closeFrom(indent);
    Item item =
        new Item(
            indent,
            text.charAt(1) != ' ',
            List.copyOf(headings.values()),
            text.substring(BOX.length()).strip());
    item.line = lines;
    @Nullable Item parent = open.peek();
    (parent == null ? top : parent.below).add(item);
    open.push(item);
    return item;
  }

  /**
   * Returns the index of the character within the box of a line, or -1 if a removed comment
   * precedes the box.
   */
  private int mark(String line) {
    int box = line.indexOf('[');
    return whole != null && whole.startsWith(line.substring(0, box + BOX.length())) ? box + 1 : -1;
  }

  private void readText(String text, int indent) {
    boolean follows = !afterBlank && !text.startsWith("#");
    if (!follows) {
      closeFrom(indent);
    }
    readHeading(text, indent);
    append(text);
  }

  private void readHeading(String text, int indent) {
    int level = 0;
    while (level < text.length() && text.charAt(level) == '#') {
      level++;
    }
    if (indent < TAB && level >= 1 && level <= 6 && text.startsWith(" ", level)) {
      headings.tailMap(level, true).clear();
      headings.put(level, text.substring(level).replaceFirst("\\s#+$", "").strip());
    }
  }

  private void readFenced(String line, String text, int indent) {
    if (fence.isEmpty()) {
      fence = fence(text);
      closeFrom(indent);
    } else if (text.startsWith(fence) && fence(text).equals(text)) {
      fence = "";
    }
    append(line.stripTrailing());
  }

  /** Returns the equal characters at the beginning of a text. */
  private static String fence(String text) {
    int end = 1;
    while (end < text.length() && text.charAt(end) == text.charAt(0)) {
      end++;
    }
    return text.substring(0, end);
  }

  private static boolean startsFence(String text) {
    return text.startsWith("```") || text.startsWith("~~~");
  }

  /** Appends a line to the text of the current item, if any. */
  private void append(String line) {
    Item item = open.peek();
    if (item != null) {
      item.text.append(afterBlank ? "\n\n" : "\n").append(line);
    }
  }

  /** Closes the items whose indent is not smaller than the given indent. */
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

  /** Returns the length of a list marker and the following blanks, or 0 without a marker. */
  private static int markerLength(String text) {
    int end = 0;
    while (end < text.length() && Character.isDigit(text.charAt(end))) {
      end++;
    }
    boolean numbered = end > 0 && end < text.length() && ".)".indexOf(text.charAt(end)) >= 0;
    boolean marked = end == 0 && "-*+".indexOf(text.charAt(0)) >= 0;
    int blank = end + 1;
    return (numbered || marked) && blank < text.length() && " \t".indexOf(text.charAt(blank)) >= 0
        ? text.length() - text.substring(blank).stripLeading().length()
        : 0;
  }
}

package dev.ralph.core;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Joins the fragments of a process's output to lines, and keeps the last lines. Not thread-safe.
 */
final class OutputLines implements Consumer<String> {

  /**
   * The maximum length of a line, because a line of JSON can contain a whole file. Longer lines are
   * split.
   */
  private static final int LONGEST_LINE = 1 << 20;

  private static final int TAIL_LINES = 20;
  private static final int TAIL_LINE_LENGTH = 500;

  private final Consumer<String> lines;
  private final StringBuilder line = new StringBuilder();
  private final Deque<String> tail = new ArrayDeque<>();

  OutputLines(Consumer<String> lines) {
    this.lines = lines;
  }

  @Override
  public void accept(String piece) {
    line.append(piece);
    boolean complete = piece.endsWith("\n");
    if (complete) {
      int end = line.length() - (line.length() > 1 && isCarriageReturn() ? 2 : 1);
      line.setLength(end);
    }
    if (complete || line.length() >= LONGEST_LINE) {
      deliver();
    }
  }

  /** Delivers the last line if it has no line break. */
  void end() {
    if (line.length() > 0) {
      deliver();
    }
  }

  /** Returns the last non-blank lines. Long lines are truncated. */
  String tail() {
    return String.join("\n", tail);
  }

  /** Returns the last non-blank line, truncated if long; null for none. */
  @Nullable String lastLine() {
    return tail.peekLast();
  }

  private boolean isCarriageReturn() {
    return line.charAt(line.length() - 2) == '\r';
  }

  /**
   * Returns a truncation index at a word boundary, because half of a secret would not be redacted.
   */
  private static int endOfWord(String text) {
    int end = TAIL_LINE_LENGTH;
    while (end > 0 && isOfWord(text.charAt(end - 1))) {
      end--;
    }
    return end;
  }

  private static boolean isOfWord(char c) {
    return !Character.isWhitespace(c) && "\"'<>(){}[],;".indexOf(c) < 0;
  }

  private void deliver() {
    String text = line.toString();
    line.setLength(0);
    if (!text.isBlank()) {
      tail.add(text.length() > TAIL_LINE_LENGTH ? text.substring(0, endOfWord(text)) + "…" : text);
      if (tail.size() > TAIL_LINES) {
        tail.remove();
      }
    }
    lines.accept(text);
  }
}

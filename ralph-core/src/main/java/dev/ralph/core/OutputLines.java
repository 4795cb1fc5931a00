package dev.ralph.core;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes lines again of a process's output, which comes in pieces of lines, and keeps the last ones.
 * For one thread at a time.
 */
final class OutputLines implements Consumer<String> {

  /**
   * One line of an agent that prints JSON can hold a whole file; beyond this it is cut into two.
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

  /** Delivers a last line that has no end. */
  void end() {
    if (line.length() > 0) {
      deliver();
    }
  }

  /** Returns the last lines that are not blank, long ones cut. */
  String tail() {
    return String.join("\n", tail);
  }

  /** Returns the last line that is not blank, cut if it is long; null if there was none. */
  @Nullable String lastLine() {
    return tail.peekLast();
  }

  private boolean isCarriageReturn() {
    return line.charAt(line.length() - 2) == '\r';
  }

  /** Returns where to cut a line so that no key is halved: half of one would not be redacted. */
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

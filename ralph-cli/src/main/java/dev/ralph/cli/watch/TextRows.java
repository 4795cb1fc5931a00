package dev.ralph.cli.watch;

import dev.ralph.cli.text.TextWidth;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Splits text into rows of a terminal's width, and keeps the last rows of a long text. Not
 * thread-safe.
 */
final class TextRows {

  private static final int MOST = 20_000;

  private final int columns;
  private final Deque<String> rows = new ArrayDeque<>();
  private long leftOut;

  TextRows(int columns) {
    this.columns = columns;
  }

  /** Adds lines without active control characters. */
  void add(String text) {
    for (String line : text.split("\n", -1)) {
      rows.addAll(TextWidth.wrap(line.replace("\t", "    "), columns));
      while (rows.size() > MOST) {
        rows.removeFirst();
        leftOut++;
      }
    }
  }

  List<String> all() {
    List<String> all = new ArrayList<>(rows);
    if (leftOut > 0) {
      all.add(0, TextWidth.cut("(" + leftOut + " earlier rows not shown)", columns));
    }
    return all;
  }
}

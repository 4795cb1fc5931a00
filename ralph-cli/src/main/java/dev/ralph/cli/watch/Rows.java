package dev.ralph.cli.watch;

import dev.ralph.cli.text.Columns;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A text in rows as wide as a terminal; of a very long one the end. For one thread. */
final class Rows {

  private static final int MOST = 20_000;

  private final int columns;
  private final Deque<String> rows = new ArrayDeque<>();
  private long leftOut;

  Rows(int columns) {
    this.columns = columns;
  }

  /** Adds lines, with nothing in them that acts. */
  void add(String text) {
    for (String line : text.split("\n", -1)) {
      rows.addAll(Columns.wrap(line.replace("\t", "    "), columns));
      while (rows.size() > MOST) {
        rows.removeFirst();
        leftOut++;
      }
    }
  }

  List<String> all() {
    List<String> all = new ArrayList<>(rows);
    if (leftOut > 0) {
      all.add(0, Columns.cut("(" + leftOut + " rows before these are left out)", columns));
    }
    return all;
  }
}

package dev.ralph.cli.tx;

import dev.ralph.cli.text.SafeText;
import dev.ralph.tx.TxListed;
import dev.ralph.tx.TxView;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/** Renders a thread as a tree. */
final class TxTree {

  /** The maximum depth of the tree, limited by the width of a screen. */
  private static final int DEEPEST = 20;

  private TxTree() {}

  /**
   * Returns the lines of a thread.
   *
   * @param line renders a message as a line
   */
  static List<String> lines(List<TxView.ThreadEntry> thread, Function<TxListed, String> line) {
    List<String> lines = new ArrayList<>();
    BitSet open = new BitSet(); // the levels with further entries below
    for (int i = thread.size() - 1; i >= 0; i--) {
      TxView.ThreadEntry entry = thread.get(i);
      int depth = Math.min(entry.depth(), DEEPEST);
      StringBuilder above = new StringBuilder();
      for (int level = 1; level < depth; level++) {
        above.append(open.get(level) ? "│  " : "   ");
      }
      boolean isLast = !open.get(depth);
      String below = above + (depth == 0 ? "" : isLast ? "   " : "│  ");
      String branch = above + (depth == 0 ? "" : isLast ? "└─ " : "├─ ");
      open.clear(depth + 1, DEEPEST + 1);
      open.set(depth);
      List<String> own = lines(entry, line);
      for (int at = own.size() - 1; at > 0; at--) {
        lines.add(below + own.get(at));
      }
      lines.add(branch + own.get(0));
    }
    Collections.reverse(lines);
    return lines;
  }

  private static List<String> lines(TxView.ThreadEntry entry, Function<TxListed, String> line) {
    if (entry.files().isEmpty()) {
      return List.of(
          SafeText.line(entry.id())
              + (entry.isMissing() ? " [missing] no file" : " [circle] shown above"));
    }
    TxListed first = entry.files().get(0);
    List<String> lines = new ArrayList<>();
    lines.add(line.apply(first) + deeper(entry, first));
    for (TxListed other : entry.files().subList(1, entry.files().size())) {
      lines.add(
          "also "
              + SafeText.line(other.name())
              + (sum(other).equals(sum(first)) ? ", same text" : ", different text"));
    }
    return lines;
  }

  private static String deeper(TxView.ThreadEntry entry, TxListed first) {
    String answered = first.message().inReplyTo();
    return entry.depth() <= DEEPEST || answered == null
        ? ""
        : " (answers " + SafeText.line(answered) + ")";
  }

  private static String sum(TxListed listed) {
    return listed.file() == null ? "" : listed.file().sha256();
  }
}

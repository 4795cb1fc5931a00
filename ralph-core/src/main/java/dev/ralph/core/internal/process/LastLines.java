package dev.ralph.core.internal.process;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** The last lines of a process's output, which comes in pieces of lines. */
final class LastLines implements Consumer<String> {

  private static final int LINES = 40;

  /** As much as a prompt has room for. */
  private static final int CHARACTERS = 8_000;

  private static final int LINE = 500;

  private final Deque<String> lines = new ArrayDeque<>();
  private final StringBuilder line = new StringBuilder();

  @Override
  public synchronized void accept(String piece) {
    int room = LINE + 1 - line.length();
    if (room > 0) {
      line.append(piece, 0, cut(piece, Math.min(room, piece.length())));
    }
    if (piece.endsWith("\n")) {
      endLine();
    }
  }

  private void endLine() {
    String text = line.toString().stripTrailing();
    line.setLength(0);
    lines.add(text.length() > LINE ? text.substring(0, cut(text, LINE)) + "…" : text);
    if (lines.size() > LINES) {
      lines.remove();
    }
  }

  /** Returns the lines, without blank ones at the end. */
  synchronized String text() {
    if (line.length() > 0) {
      endLine();
    }
    String text = String.join("\n", lines).stripTrailing();
    if (text.length() <= CHARACTERS) {
      return text;
    }
    int from = text.length() - CHARACTERS;
    return "…" + text.substring(from - (cut(text, from) < from ? 1 : 0));
  }

  /** Returns where to cut a text, at that character or before it, so that none is halved. */
  private static int cut(String text, int at) {
    boolean halves =
        at > 0
            && at < text.length()
            && Character.isLowSurrogate(text.charAt(at))
            && Character.isHighSurrogate(text.charAt(at - 1));
    return halves ? at - 1 : at;
  }
}

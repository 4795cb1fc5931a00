package dev.ralph.cli.watch;

import dev.ralph.cli.text.SafeText;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Frame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The last lines that the agent printed, made of the pieces in the log, as they can be shown: what
 * it painted over is gone, and so are its colours; other control characters are visible. However
 * much it prints, little is kept. For one thread.
 */
final class AgentLines {

  private static final int MOST_LINES = 200;

  /** Wider than any terminal. */
  private static final int MOST_CHARACTERS = 2_000;

  private final Deque<String> lines = new ArrayDeque<>();
  private final StringBuilder open = new StringBuilder();
  private long iteration;

  /** Adds a piece of output; what another iteration printed goes. */
  void add(Frame output) {
    long of = output.meta().integer("iteration").orElse(0);
    if (of != iteration) {
      begin(of);
    }
    String text;
    try {
      text = output.content();
    } catch (DamagedException e) {
      text = "(lost; see ralph verify)\n";
    }
    int from = 0;
    for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      append(text, from, end);
      close();
      from = end + 1;
    }
    append(text, from, text.length());
    if (!output.meta().isTrue("continues")) {
      close();
    }
  }

  /** Goes on with that iteration, which has printed nothing so far. */
  void begin(long number) {
    iteration = number;
    lines.clear();
    open.setLength(0);
  }

  private void append(String text, int from, int to) {
    // Of a progress bar that never ends its line the newest is what counts.
    int start = Math.max(from, to - 4 * MOST_CHARACTERS);
    if (open.length() > 8 * MOST_CHARACTERS) {
      open.delete(0, open.length() - 4 * MOST_CHARACTERS);
    }
    open.append(text, start, to);
  }

  private void close() {
    lines.addLast(shown(open.toString()));
    open.setLength(0);
    if (lines.size() > MOST_LINES) {
      lines.removeFirst();
    }
  }

  /** Returns a line as a terminal would have it in the end, with nothing in it that acts. */
  static String shown(String line) {
    String text = SafeText.printed(line).replace("\t", "    ");
    if (text.length() > MOST_CHARACTERS) {
      int cut =
          MOST_CHARACTERS - (Character.isHighSurrogate(text.charAt(MOST_CHARACTERS - 1)) ? 1 : 0);
      text = text.substring(0, cut);
    }
    return text;
  }

  /** Returns the newest lines, oldest first: at most so many. */
  List<String> last(int count) {
    List<String> all = new ArrayList<>(lines);
    if (open.length() > 0) {
      all.add(shown(open.toString()));
    }
    return all.subList(Math.max(0, all.size() - count), all.size());
  }
}

package dev.ralph.agents;

import java.util.Optional;
import java.util.regex.Pattern;
import javax.annotation.concurrent.GuardedBy;

/** The end of a process's output, for error messages. Safe for use by several threads. */
final class OutputTail {

  private static final int KEPT = 16_000;
  private static final int SHOWN = 2_000;
  private static final Pattern ANSI = Pattern.compile("\u001b\\[[0-9;?]*[A-Za-z]");

  @GuardedBy("this")
  private final StringBuilder text = new StringBuilder();

  synchronized void accept(String piece) {
    text.append(piece);
    if (text.length() > 2 * KEPT) {
      text.delete(0, text.length() - KEPT);
    }
  }

  /** Returns the rest of the last line that starts with a prefix, without colours. */
  synchronized Optional<String> lastLineFrom(String beginning) {
    return ANSI.matcher(text)
        .replaceAll("")
        .lines()
        .filter(line -> line.startsWith(beginning))
        .reduce((earlier, later) -> later)
        .map(line -> line.substring(beginning.length()).strip());
  }

  /** Returns the first group of the last match, or empty. */
  synchronized Optional<String> last(Pattern pattern) {
    return pattern
        .matcher(text)
        .results()
        .reduce((earlier, later) -> later)
        .map(found -> found.group(1));
  }

  /** Returns the text as one line without colours after a colon, or an empty string. */
  synchronized String afterColon() {
    String plain = ANSI.matcher(text).replaceAll("").replaceAll("\\s+", " ").strip();
    String end = plain.length() > SHOWN ? "…" + plain.substring(plain.length() - SHOWN) : plain;
    return end.isEmpty() ? "" : ": " + end;
  }
}

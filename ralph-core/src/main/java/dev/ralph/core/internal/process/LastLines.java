package dev.ralph.core.internal.process;

import dev.ralph.Redactor;
import dev.ralph.core.internal.text.TextExcerpt;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Collects the last lines of a process's output, which arrives in pieces of lines. Secrets are
 * removed before any text is cut, because a cut secret cannot be recognised.
 */
public final class LastLines implements Consumer<String> {

  private static final int LINES = 40;

  /** The maximum number of characters of {@link #text}, because prompts have limited length. */
  private static final int CHARACTERS = 8_000;

  private static final int LINE = 500;

  /**
   * The number of kept lines, more than {@link #text} returns: a secret may begin in an earlier
   * line.
   */
  private static final int LINES_KEPT = 160;

  private static final int LINE_KEPT = 16 * 1024;

  private final Redactor redactor;
  private final Deque<String> lines = new ArrayDeque<>();
  private final StringBuilder line = new StringBuilder();

  public LastLines(Redactor redactor) {
    this.redactor = redactor;
  }

  @Override
  public synchronized void accept(String piece) {
    line.append(piece, 0, Math.min(LINE_KEPT - line.length(), piece.length()));
    if (piece.endsWith("\n")) {
      lines.add(line.toString().stripTrailing());
      line.setLength(0);
      if (lines.size() > LINES_KEPT) {
        lines.remove();
      }
    }
  }

  private synchronized String kept() {
    return String.join("\n", lines) + (lines.isEmpty() ? "" : "\n") + line;
  }

  /** Returns the last lines, without blank lines at the end. */
  public String text() {
    List<String> redacted = redactor.redact(kept()).stripTrailing().lines().toList();
    String text =
        redacted.stream()
            .skip(Math.max(0, redacted.size() - LINES))
            .map(each -> TextExcerpt.cut(each, LINE))
            .collect(Collectors.joining("\n"));
    return text.length() <= CHARACTERS
        ? text
        : "…" + text.substring(text.indexOf('\n', text.length() - CHARACTERS));
  }
}

package dev.ralph.core.internal.loop.policy;

import dev.ralph.StopReason;
import dev.ralph.core.internal.text.LogText;
import dev.ralph.core.internal.text.TextExcerpt;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a loop ends.
 *
 * @param detail for people; null if the reason says all
 */
public record LoopEnding(StopReason reason, @Nullable String detail) {

  /** The length of the recorded details, which people read in a status. */
  private static final int RECORDED = 1_000;

  /**
   * Returns the ending for the log: the first line of the details.
   *
   * @param redactor removes secrets
   */
  public LoopEnding recorded(UnaryOperator<String> redactor) {
    // Redact before cutting, because a cut key cannot be recognised.
    String line = detail == null ? "" : LogText.firstLine(redactor.apply(LogText.unicode(detail)));
    return new LoopEnding(reason, line.isBlank() ? null : TextExcerpt.cut(line, RECORDED));
  }
}

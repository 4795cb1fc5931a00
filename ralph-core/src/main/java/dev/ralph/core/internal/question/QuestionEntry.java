package dev.ralph.core.internal.question;

import dev.ralph.domain.KeptText;
import dev.ralph.domain.Numbered;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A question in the state of the fold. Immutable: the answer replaces the entry.
 *
 * @param answer null while the question is open
 */
record QuestionEntry(
    String id,
    int number,
    KeptText text,
    Instant asked,
    @Nullable String by,
    int iteration,
    @Nullable Answer answer)
    implements Numbered {

  /**
   * An answer and its author.
   *
   * @param frame the id of the answer's frame
   */
  record Answer(String frame, KeptText text, @Nullable String by, Instant time) {}

  @Override
  public String title() {
    return text.beginning();
  }

  QuestionEntry answered(Answer given) {
    return new QuestionEntry(id, number, text, asked, by, iteration, given);
  }
}

package dev.ralph.core.internal.question;

import dev.ralph.domain.KeptText;
import dev.ralph.domain.Numbered;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One question as the fold keeps it: put in place of the former one when answered.
 *
 * @param answer null while it is open
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
   * An answer, and who gave it.
   *
   * @param frame the id of its frame
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

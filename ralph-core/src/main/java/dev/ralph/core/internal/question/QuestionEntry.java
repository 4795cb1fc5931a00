package dev.ralph.core.internal.question;

import dev.ralph.core.internal.reference.Referable;
import java.time.Instant;
import javax.annotation.Nullable;

/** One question as the fold keeps it: immutable, and put in place of the former one if answered. */
final class QuestionEntry implements Referable {

  /** An answer, and who gave it. */
  record Answer(String text, @Nullable String by, Instant time) {}

  private final String id;
  private final int number;
  final String text;
  final Instant asked;
  @Nullable final String by;
  final int iteration;
  @Nullable final Answer answer;

  QuestionEntry(
      String id,
      int number,
      String text,
      Instant asked,
      @Nullable String by,
      int iteration,
      @Nullable Answer answer) {
    this.id = id;
    this.number = number;
    this.text = text;
    this.asked = asked;
    this.by = by;
    this.iteration = iteration;
    this.answer = answer;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public String title() {
    return text;
  }

  QuestionEntry answered(Answer answer) {
    return new QuestionEntry(id, number, text, asked, by, iteration, answer);
  }
}

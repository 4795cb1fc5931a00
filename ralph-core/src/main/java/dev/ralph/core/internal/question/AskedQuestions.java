package dev.ralph.core.internal.question;

import dev.ralph.Question;
import dev.ralph.core.internal.reference.Listing;
import dev.ralph.core.internal.reference.References;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/** All questions of a session at one moment. Immutable; safe for use by many threads. */
public final class AskedQuestions extends Listing<QuestionEntry, Question> {

  AskedQuestions(References<QuestionEntry> references, int highestNumber) {
    super(references, highestNumber);
  }

  @Override
  public Question view(int index) {
    return new QuestionView(index);
  }

  List<Question> open() {
    List<Question> open = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).answer() == null) {
        open.add(view(i));
      }
    }
    return open;
  }

  /** Returns the index of the open question in these words, or -1. */
  int findOpen(String text) {
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).answer() == null && entries.get(i).text().equals(text)) {
        return i;
      }
    }
    return -1;
  }

  String number(int index) {
    return references.number(index);
  }

  String describe(int index) {
    return references.describe(index);
  }

  /** One question, with its place among the others. */
  private final class QuestionView extends Shown implements Question {

    QuestionView(int index) {
      super(index);
    }

    @Override
    public String text() {
      return entry.text();
    }

    @Override
    public Instant asked() {
      return entry.asked();
    }

    @Override
    @Nullable
    public String by() {
      return entry.by();
    }

    @Override
    public int iteration() {
      return entry.iteration();
    }

    @Override
    public boolean isOpen() {
      return entry.answer() == null;
    }

    @Override
    @Nullable
    public String answer() {
      QuestionEntry.Answer answer = entry.answer();
      return answer == null ? null : answer.text();
    }

    @Override
    @Nullable
    public String answeredBy() {
      QuestionEntry.Answer answer = entry.answer();
      return answer == null ? null : answer.by();
    }

    @Override
    @Nullable
    public Instant answered() {
      QuestionEntry.Answer answer = entry.answer();
      return answer == null ? null : answer.time();
    }

    @Override
    public String toString() {
      return references.describe(index) + (isOpen() ? " (open)" : " (answered)");
    }
  }
}

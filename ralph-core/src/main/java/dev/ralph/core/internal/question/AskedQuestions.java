package dev.ralph.core.internal.question;

import dev.ralph.Question;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.domain.NumberedList;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Meta;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All questions of a session at one moment. Immutable; safe for use by many threads. */
public final class AskedQuestions extends NumberedList<QuestionEntry, Question> {

  private final TextSource texts;

  AskedQuestions(NumberedState<QuestionEntry> state, TextSource texts) {
    super(state, "question", 'q');
    this.texts = texts;
  }

  @Override
  public Question view(int index) {
    return new QuestionView(index);
  }

  List<Question> open() {
    List<Question> open = new ArrayList<>();
    for (int i = 0; i < size(); i++) {
      if (entry(i).answer() == null) {
        open.add(view(i));
      }
    }
    return open;
  }

  /** Returns the index of the open question with a text, or -1. */
  int findOpen(String text) {
    for (int i = 0; i < size(); i++) {
      if (entry(i).answer() == null && texts.is(entry(i).id(), entry(i).text(), text)) {
        return i;
      }
    }
    return -1;
  }

  /** The view of a question. */
  private final class QuestionView extends Shown implements Question {

    QuestionView(int index) {
      super(index);
    }

    @Override
    public Meta json() {
      return SessionJson.question(this, JsonProfile.FULL);
    }

    @Override
    public String text() {
      return texts.whole(entry.id(), entry.text());
    }

    @Override
    public String beginning(int characters) {
      return texts.beginning(entry.id(), entry.text(), characters);
    }

    @Override
    public int length() {
      return entry.text().length();
    }

    @Override
    public Instant asked() {
      return entry.asked();
    }

    @Override
    public @Nullable String by() {
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
    public @Nullable String answer() {
      QuestionEntry.Answer answer = entry.answer();
      return answer == null ? null : texts.whole(answer.frame(), answer.text());
    }

    @Override
    public @Nullable String answerBeginning(int characters) {
      QuestionEntry.Answer answer = entry.answer();
      return answer == null ? null : texts.beginning(answer.frame(), answer.text(), characters);
    }

    @Override
    public int answerLength() {
      QuestionEntry.Answer answer = entry.answer();
      return answer == null ? 0 : answer.text().length();
    }

    @Override
    public @Nullable String answeredBy() {
      QuestionEntry.Answer answer = entry.answer();
      return answer == null ? null : answer.by();
    }

    @Override
    public @Nullable Instant answered() {
      QuestionEntry.Answer answer = entry.answer();
      return answer == null ? null : answer.time();
    }

    @Override
    protected List<?> values() {
      return Arrays.asList(entry.text(), asked(), by(), iteration(), entry.answer());
    }

    @Override
    public String toString() {
      return describe(index) + (isOpen() ? " (open)" : " (answered)");
    }
  }
}

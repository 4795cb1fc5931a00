package dev.ralph.core.internal.question;

import dev.ralph.Question;
import dev.ralph.core.internal.reference.References;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/** All questions of a session at one moment. Immutable; safe for use by many threads. */
public final class AskedQuestions {

  private final List<QuestionEntry> entries;
  private final References<QuestionEntry> references;
  private final int highestNumber;

  AskedQuestions(References<QuestionEntry> references, int highestNumber) {
    this.entries = references.things();
    this.references = references;
    this.highestNumber = highestNumber;
  }

  List<Question> all() {
    List<Question> all = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      all.add(question(i));
    }
    return all;
  }

  List<Question> open() {
    List<Question> open = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).answer == null) {
        open.add(question(i));
      }
    }
    return open;
  }

  /** Returns the index of the open question in these words, or -1. */
  int findOpen(String text) {
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).answer == null && entries.get(i).text.equals(text)) {
        return i;
      }
    }
    return -1;
  }

  int find(String ref) {
    return references.find(ref);
  }

  QuestionEntry entry(int index) {
    return entries.get(index);
  }

  Question question(int index) {
    return new QuestionView(index);
  }

  String number(int index) {
    return references.number(index);
  }

  String describe(int index) {
    return references.describe(index);
  }

  int highestNumber() {
    return highestNumber;
  }

  /** One question, with its place among the others. */
  private final class QuestionView implements Question {
    private final int index;
    private final QuestionEntry entry;

    QuestionView(int index) {
      this.index = index;
      this.entry = entries.get(index);
    }

    @Override
    public String id() {
      return entry.id();
    }

    @Override
    public String shortId() {
      return references.shortId(index);
    }

    @Override
    public int number() {
      return entry.number();
    }

    @Override
    public String text() {
      return entry.text;
    }

    @Override
    public Instant asked() {
      return entry.asked;
    }

    @Override
    @Nullable
    public String by() {
      return entry.by;
    }

    @Override
    public int iteration() {
      return entry.iteration;
    }

    @Override
    public boolean isOpen() {
      return entry.answer == null;
    }

    @Override
    @Nullable
    public String answer() {
      return entry.answer == null ? null : entry.answer.text();
    }

    @Override
    @Nullable
    public String answeredBy() {
      return entry.answer == null ? null : entry.answer.by();
    }

    @Override
    @Nullable
    public Instant answered() {
      return entry.answer == null ? null : entry.answer.time();
    }

    @Override
    public String toString() {
      return references.describe(index) + (isOpen() ? " (open)" : " (answered)");
    }
  }
}

package dev.ralph.tx;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The purpose of a TX message. */
public enum TxType {
  /** A question; the sender waits for the answer. */
  ASK(false),
  /** An answer to a question. */
  ASK_RESPONSE(true),
  /** A task for an agent; the sender does not wait. */
  TASK(false),
  /** A report that a task is completed. */
  TASK_COMPLETE(true),
  /** Information; no answer is expected. */
  UPDATE(false),
  /** The prompt with which an agent is started. */
  PROMPT(false);

  private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');
  private final boolean answer;

  TxType(boolean answer) {
    this.answer = answer;
  }

  /** Returns the word for this type in files, such as {@code task-complete}. */
  public String word() {
    return word;
  }

  /** Returns whether a message of this type must name the answered message. */
  public boolean isAnswer() {
    return answer;
  }

  /** Returns the type for a word, or null if none exists. */
  public static @Nullable TxType of(@Nullable String word) {
    for (TxType type : values()) {
      if (type.word.equals(word)) {
        return type;
      }
    }
    return null;
  }
}

package dev.ralph.tx;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a message of TX is for. */
public enum TxType {
  /** Asks for something; the sender waits until it is answered. */
  ASK(false),
  /** Answers an ask. */
  ASK_RESPONSE(true),
  /** Gives work to an agent; the sender goes on. */
  TASK(false),
  /** Tells that a task is done. */
  TASK_COMPLETE(true),
  /** Tells something; nobody answers. */
  UPDATE(false),
  /** What an agent is started with. */
  PROMPT(false);

  private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');
  private final boolean answer;

  TxType(boolean answer) {
    this.answer = answer;
  }

  /** Returns the word that stands for it in files, such as {@code task-complete}. */
  public String word() {
    return word;
  }

  /** Returns whether it must name the message that it answers. */
  public boolean isAnswer() {
    return answer;
  }

  /** Returns the type of that word, or null if it is none. */
  public static @Nullable TxType of(@Nullable String word) {
    for (TxType type : values()) {
      if (type.word.equals(word)) {
        return type;
      }
    }
    return null;
  }
}

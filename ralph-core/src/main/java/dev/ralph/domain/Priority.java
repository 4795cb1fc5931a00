package dev.ralph.domain;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Which messages are received first; among those of one priority it is the oldest. */
public enum Priority {
  /** Before all others. */
  HIGH,
  /** What a message has unless it says otherwise. */
  NORMAL,
  /** After all others. */
  LOW;

  private final String word = name().toLowerCase(Locale.ROOT);

  /** Returns the word that stands for it in frames and on command lines, such as {@code high}. */
  public String word() {
    return word;
  }

  /** Returns the priority of that word, or null if it is none. */
  public static @Nullable Priority of(@Nullable String word) {
    for (Priority priority : values()) {
      if (priority.word.equals(word)) {
        return priority;
      }
    }
    return null;
  }
}

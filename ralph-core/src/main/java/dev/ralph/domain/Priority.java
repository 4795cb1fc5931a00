package dev.ralph.domain;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The order in which messages are received. Messages of equal priority are received by age. */
public enum Priority {
  /** Received before messages of all lower priorities. */
  HIGH,
  /** The default priority. */
  NORMAL,
  /** Received after messages of all higher priorities. */
  LOW;

  private final String word = name().toLowerCase(Locale.ROOT);

  /** Returns the word of the priority in frames and on command lines, such as {@code high}. */
  public String word() {
    return word;
  }

  /** Returns the priority with a word, or null for an unknown word. */
  public static @Nullable Priority of(@Nullable String word) {
    for (Priority priority : values()) {
      if (priority.word.equals(word)) {
        return priority;
      }
    }
    return null;
  }
}

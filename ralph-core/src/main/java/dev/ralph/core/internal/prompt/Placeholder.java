package dev.ralph.core.internal.prompt;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a template can have filled in. */
enum Placeholder {
  SESSION(false),
  ITERATION(false),
  SPEC(false),
  STORE(false),
  INBOX(true),
  TASKS(true),
  NOTES(true),
  HISTORY(true),
  TOOLS(true),
  EXTRA(false);

  private final boolean section;

  Placeholder(boolean section) {
    this.section = section;
  }

  /** Returns the placeholder of that name, or null where there is none. */
  static @Nullable Placeholder named(String name) {
    for (Placeholder placeholder : values()) {
      if (placeholder.word().equals(name)) {
        return placeholder;
      }
    }
    return null;
  }

  /** Returns all placeholders as they are written, for a message. */
  static String all() {
    return Arrays.stream(values()).map(Placeholder::toString).collect(Collectors.joining(", "));
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether its text is of several lines, which must not share a line with other text. */
  boolean isSection() {
    return section;
  }

  /** Returns the placeholder as it is written in a template. */
  @Override
  public String toString() {
    return "{{" + word() + "}}";
  }
}

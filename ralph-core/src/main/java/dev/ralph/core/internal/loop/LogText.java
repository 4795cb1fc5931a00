package dev.ralph.core.internal.loop;

import dev.ralph.core.internal.text.Excerpt;
import dev.ralph.core.internal.text.UnicodeText;
import dev.ralph.log.RalphException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What agents and commands say, in a form that the log takes. */
final class LogText {

  /** A summary is read by people and stands in later prompts; the transcript holds the rest. */
  private static final int SUMMARY = 8_000;

  private LogText() {}

  /** Returns the text with what is not Unicode replaced. */
  static String unicode(String text) {
    return UnicodeText.of(text);
  }

  /** Returns the text as a summary, or null where it says nothing. */
  static @Nullable String summary(@Nullable String text) {
    if (text == null || text.isBlank()) {
      return null;
    }
    return Excerpt.cut(unicode(text.strip()), SUMMARY);
  }

  /**
   * Returns what a failure says: of one of Ralph's own the message alone, of others also what it
   * is, because that may be no more than a file's name; and only that if it fails at saying
   * anything.
   */
  static String of(Throwable failure) {
    try {
      String message = failure.getMessage();
      return failure instanceof RalphException && message != null ? message : failure.toString();
    } catch (RuntimeException e) {
      return failure.getClass().getName();
    }
  }

  /** Returns the first line, for a message of one line. */
  static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  /** Returns a length of time for people. */
  static String time(Duration time) {
    return time.toMillis() < 1000 ? time.toMillis() + " ms" : time.toSeconds() + " s";
  }
}

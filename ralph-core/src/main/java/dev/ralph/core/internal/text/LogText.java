package dev.ralph.core.internal.text;

import dev.ralph.internal.UnicodeText;
import dev.ralph.log.RalphException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Converts the output of agents and commands to text for the log. */
public final class LogText {

  /**
   * The length limit of a summary, which people read and later prompts contain. The transcript has
   * the rest.
   */
  private static final int SUMMARY = 8_000;

  /** The end of a failure's first line if the last lines of the output follow. */
  public static final String LAST_LINES = "; its last lines:";

  private LogText() {}

  /** Returns the text with malformed Unicode replaced. */
  public static String unicode(String text) {
    return UnicodeText.of(text);
  }

  /** Returns the text as a summary, or null if it is blank. */
  public static @Nullable String summary(@Nullable String text) {
    if (text == null || text.isBlank()) {
      return null;
    }
    return TextExcerpt.cut(unicode(text.strip()), SUMMARY);
  }

  /**
   * Returns the text of a failure. For a Ralph exception this is the message. For others it
   * includes the type, because the message may only be a file name. If creating the message fails,
   * it is only the type.
   */
  public static String of(Throwable failure) {
    try {
      String message = failure.getMessage();
      return failure instanceof RalphException && message != null ? message : failure.toString();
    } catch (RuntimeException e) {
      return failure.getClass().getName();
    }
  }

  /** Returns the first line, for a message of one line. */
  public static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  /** Returns a duration for people. */
  public static String time(Duration time) {
    return time.toMillis() < 1000 ? time.toMillis() + " ms" : time.toSeconds() + " s";
  }
}

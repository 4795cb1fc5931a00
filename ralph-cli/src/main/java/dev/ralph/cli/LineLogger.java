package dev.ralph.cli;

import dev.ralph.cli.terminal.Output;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.cli.text.SafeText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.text.MessageFormat;
import java.util.Locale;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * Writes a line per warning or error. With debugging, writes stack traces and lower levels too:
 * debug for this program's loggers and info for others. Thread-safe.
 */
final class LineLogger implements System.Logger {

  private final String name;
  private final boolean debugging;
  private final Level least;
  private final Output out;

  LineLogger(String name, boolean debugging, Output out) {
    this.name = name;
    this.debugging = debugging;
    this.least =
        !debugging ? Level.WARNING : name.startsWith("dev.ralph.") ? Level.DEBUG : Level.INFO;
    this.out = out;
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public boolean isLoggable(Level level) {
    return level != Level.OFF && level.getSeverity() >= least.getSeverity();
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String message,
      @Nullable Throwable thrown) {
    if (!isLoggable(level)) {
      return;
    }
    String text = text(bundle, message);
    if (thrown != null) {
      String why = thrown.getMessage();
      text += ": " + (why == null ? thrown.toString() : why);
    }
    write(level, text, thrown);
  }

  @Override
  public void log(
      Level level, @Nullable ResourceBundle bundle, @Nullable String format, Object... values) {
    if (!isLoggable(level)) {
      return;
    }
    String text = text(bundle, format);
    write(
        level,
        values == null || values.length == 0 ? text : MessageFormat.format(text, values),
        null);
  }

  private static String text(@Nullable ResourceBundle bundle, @Nullable String message) {
    return message != null && bundle != null && bundle.containsKey(message)
        ? bundle.getString(message)
        : String.valueOf(message);
  }

  private void write(Level level, String text, @Nullable Throwable thrown) {
    String line =
        "ralph: " + level.getName().toLowerCase(Locale.ROOT) + ": " + SafeText.line(text) + "\n";
    if (debugging && thrown != null) {
      StringWriter trace = new StringWriter();
      thrown.printStackTrace(new PrintWriter(trace));
      line += trace;
    }
    try {
      out.now(line);
    } catch (OutputException nobodyReads) {
      // The output is closed, and no second stream exists for the line.
    }
  }
}

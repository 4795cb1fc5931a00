package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.terminal.Output;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LineLoggerTest {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final Output out = new Output(bytes, false);
  private final System.Logger logger = new LineLogger("dev.ralph.x", false, out);

  private String said() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void warning_isPrintedOnSingleLine() {
    logger.log(Level.WARNING, "it {0} ü");
    logger.log(Level.ERROR, () -> "two\nlines \u001b[31m", new IOException("no room"));
    logger.log(Level.WARNING, "without words", new IllegalStateException());
    logger.log(Level.WARNING, "{0} of {1}", "some", "all");

    assertThat(said())
        .isEqualTo(
            "ralph: warning: it {0} ü\n"
                + "ralph: error: two\\nlines \\u001b[31m: no room\n"
                + "ralph: warning: without words: java.lang.IllegalStateException\n"
                + "ralph: warning: some of all\n");
  }

  @Test
  void levelsBelowWarning_areIgnored() {
    logger.log(Level.INFO, "hello", new IOException("x"));
    logger.log(Level.DEBUG, "hello {0}", "x");

    assertThat(said()).isEmpty();
    assertThat(logger.isLoggable(Level.INFO)).isFalse();
    assertThat(logger.isLoggable(Level.OFF)).isFalse();
  }

  @Test
  void debugMode_printsOwnDebugMessages() {
    new LineLogger("dev.ralph.x", true, out).log(Level.DEBUG, "ours", new IOException("y"));
    new LineLogger("java.lang.Runtime", true, out).log(Level.DEBUG, "theirs");
    new LineLogger("java.lang.Runtime", true, out).log(Level.INFO, "theirs, too");

    assertThat(said())
        .startsWith("ralph: debug: ours: y\njava.io.IOException: y\n\tat ")
        .contains("LineLoggerTest")
        .endsWith("ralph: info: theirs, too\n");
  }
}

package dev.ralph.cli.terminal;

import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives a terminal back when this process can't: a shell that waits for the end of a pipe, which
 * comes by {@code kill -9} too. It takes the page away at once. The modes it leaves to the shell
 * that waits for this process, which has most likely put its own in their place; only if those of
 * the screen still stand a second later, it puts back what was there before.
 */
final class TerminalGuard {

  private static final String SCRIPT =
      """
      trap '' INT QUIT TERM HUP TSTP TTIN TTOU
      drawn=$(stty -g <"$1")
      read -r over && exit
      exec <"$1" >"$1" || exit
      printf %s "$2"
      sleep 1
      [ "$(stty -g)" != "$drawn" ] || [ -z "$3" ] || stty "$3"
      """;

  private final OutputStream over;

  private TerminalGuard(OutputStream over) {
    this.over = over;
  }

  /**
   * Begins to guard; returns null where there is no shell for that.
   *
   * @param end what takes the page away
   * @param modes as stty named them before
   */
  static @Nullable TerminalGuard start(String end, @Nullable String modes) {
    try {
      Process shell =
          ProcessSpec.command(
                  "sh",
                  "-c",
                  SCRIPT,
                  "ralph-guard",
                  Tty.DEVICE.getPath(),
                  end,
                  Objects.requireNonNullElse(modes, ""))
              .build()
              .startOnPipes();
      return new TerminalGuard(shell.getOutputStream());
    } catch (RalphException noShell) {
      return null;
    }
  }

  /** Says that the terminal was given back. */
  void dismiss() {
    try (over) {
      over.write("over\n".getBytes(StandardCharsets.US_ASCII));
    } catch (IOException alreadyGone) {
      // Then somebody ended it, and it will do nothing.
    }
  }
}

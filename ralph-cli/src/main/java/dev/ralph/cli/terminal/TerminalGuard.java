package dev.ralph.cli.terminal;

import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Restores the terminal after this process dies. A shell waits for the end of a pipe, which closes
 * even after {@code kill -9}, and closes the alternate page immediately. The calling shell usually
 * restores its own terminal modes. Only if the screen's modes remain after a second, the guard
 * restores the previous modes.
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
   * Starts the guard; returns null if no shell is available.
   *
   * @param end the codes that close the page
   * @param modes the previous modes in stty's format
   */
  static @Nullable TerminalGuard start(String end, @Nullable String modes) {
    try {
      Process shell =
          ProcessSpec.command(
                  "sh",
                  "-c",
                  SCRIPT,
                  "ralph-guard",
                  ControllingTerminal.DEVICE.getPath(),
                  end,
                  Objects.requireNonNullElse(modes, ""))
              .build()
              .startOnPipes();
      return new TerminalGuard(shell.getOutputStream());
    } catch (RalphException noShell) {
      return null;
    }
  }

  /** Tells the guard that the terminal is restored. */
  void dismiss() {
    try (over) {
      over.write("over\n".getBytes(StandardCharsets.US_ASCII));
    } catch (IOException alreadyGone) {
      // The guard has ended and will do nothing.
    }
  }
}

package dev.ralph.cli;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/**
 * A terminal's whole screen, until it is closed or the process is told to end: then everything is
 * as before. For any thread.
 */
final class Screen implements AutoCloseable {

  /** How large it is, in characters. */
  record Size(int rows, int columns) {}

  /** The other page of the terminal, no cursor, and lines that end at the edge. */
  private static final String BEGIN = "\u001b[?1049h\u001b[?25l\u001b[?7l";

  private static final String END = "\u001b[?7h\u001b[?25h\u001b[?1049l";

  private final Output out;
  private final Thread hook;
  @Nullable private String modes;
  @Nullable private volatile Size size;
  private List<String> shown = List.of();
  private boolean closed;

  private Screen(Output out) {
    this.out = out;
    this.hook = new Thread(this::restore, "ralph-screen");
  }

  /**
   * Takes the screen.
   *
   * @param onResize called when the terminal has another size, from any thread
   * @param onQuit called when somebody types q, from any thread
   */
  static Screen open(Output out, Runnable onResize, Runnable onQuit) {
    Screen screen = new Screen(out);
    Runtime.getRuntime().addShutdownHook(screen.hook);
    screen.begin(onResize, onQuit);
    return screen;
  }

  private synchronized void begin(Runnable onResize, Runnable onQuit) {
    if (closed) {
      return;
    }
    modes = Tty.stty("-g");
    // Keys come one by one and are not shown; nobody is left with this screen by Ctrl+Z.
    if (modes != null
        && Tty.stty("-echo", "-icanon", "min", "1", "time", "0", "susp", "undef") != null) {
      Thread keys = new Thread(() -> awaitQuit(onQuit), "ralph-keys");
      keys.setDaemon(true);
      keys.start();
    }
    Tty.onResize(
        () -> {
          size = null;
          onResize.run();
        });
    out.now(BEGIN);
  }

  /** Returns how large the screen is now. */
  Size size() {
    Size known = size;
    if (known == null) {
      known = Tty.size();
      size = known;
    }
    return known;
  }

  /** Shows these lines, harmless and cut to size before; does nothing if they are there already. */
  synchronized void show(List<String> lines, boolean anew) {
    if (closed || lines.equals(shown) && !anew) {
      return;
    }
    shown = new ArrayList<>(lines);
    StringBuilder text = new StringBuilder(anew ? "\u001b[2J\u001b[H" : "\u001b[H");
    for (int i = 0; i < lines.size(); i++) {
      // Cleared before: behind a row as wide as the screen the cursor stands on its last character.
      text.append(i == 0 ? "" : "\r\n").append("\u001b[K").append(lines.get(i));
    }
    if (lines.size() < size().rows()) {
      text.append("\r\n\u001b[J");
    }
    out.now(text.toString());
  }

  /** Gives the screen back. */
  @Override
  public void close() {
    restore();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException alreadyEnding) {
      // Then the hook finds that nothing is left to do.
    }
  }

  private synchronized void restore() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      out.now(END);
    } catch (OutputException terminalGone) {
      // Then there is no cursor either.
    }
    if (modes != null) {
      Tty.stty(modes);
    }
  }

  private static void awaitQuit(Runnable onQuit) {
    try (InputStream keys = new FileInputStream(Tty.DEVICE)) {
      for (int key = keys.read(); key >= 0; key = keys.read()) {
        if (key == 'q' || key == 'Q') {
          onQuit.run();
        }
      }
    } catch (IOException noTerminal) {
      // Ctrl+C ends it as well.
    }
  }
}

package dev.ralph.cli.terminal;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The whole screen of a terminal. The previous state is restored when the screen is closed or the
 * process is told to end. Thread-safe.
 */
public final class Screen implements AutoCloseable {

  /** The size in characters. */
  public record Size(int rows, int columns) {}

  /** Switches to the alternate page, hides the cursor, and disables line wrapping. */
  private static final String BEGIN = "\u001b[?1049h\u001b[?25l\u001b[?7l";

  private static final String END = "\u001b[?7h\u001b[?25h\u001b[?1049l";

  /**
   * The consumer of typed bytes. A process has a single terminal, and a thread that reads from it
   * cannot be stopped. So the same thread serves each open screen in turn.
   */
  private static final AtomicReference<IntConsumer> TAKER = new AtomicReference<>();

  private static final AtomicBoolean READING = new AtomicBoolean();

  private final Output out;
  private final Runnable onResize;
  private final IntConsumer onByte;
  private final Thread hook;
  private @Nullable String modes;
  private @Nullable TerminalGuard guard;
  private volatile @Nullable Size size;
  private final AtomicInteger resizes = new AtomicInteger();
  private List<String> shown = List.of();

  /** Whether the window may differ from the last drawn lines. */
  private boolean isUnknown;

  private boolean closed;

  private Screen(Output out, Runnable onResize, IntConsumer onByte) {
    this.out = out;
    this.onResize = onResize;
    this.onByte = onByte;
    this.hook = new Thread(this::restore, "ralph-screen");
  }

  /**
   * Opens the screen.
   *
   * @param onResize called from any thread after the terminal's size changes
   * @param onByte called with each typed byte in order, from a single thread
   */
  static Screen open(Output out, Runnable onResize, IntConsumer onByte) {
    Screen screen = new Screen(out, onResize, onByte);
    Runtime.getRuntime().addShutdownHook(screen.hook);
    screen.begin();
    return screen;
  }

  private synchronized void begin() {
    if (closed) {
      return;
    }
    modes = ControllingTerminal.stty("-g");
    TAKER.set(onByte);
    if (take() && READING.compareAndSet(false, true)) {
      Thread keys = new Thread(Screen::readKeys, "ralph-keys");
      keys.setDaemon(true);
      keys.start();
    }
    ControllingTerminal.onResize(this::resized);
    ControllingTerminal.onStop(this::stop);
  }

  /** Opens the alternate page and enables unbuffered keys; returns whether keys are available. */
  private boolean take() {
    boolean keysCome =
        modes != null
            && ControllingTerminal.stty("-echo", "-icanon", "min", "1", "time", "0") != null;
    guard = TerminalGuard.start(END, modes);
    out.beginDrawing(BEGIN);
    return keysCome;
  }

  private void restoreTerminal() {
    try {
      out.endDrawing(END);
    } catch (OutputException terminalGone) {
      // A lost terminal needs no cursor.
    }
    if (modes != null) {
      ControllingTerminal.stty(modes);
    }
    if (guard != null) {
      guard.dismiss();
    }
  }

  private void resized() {
    resizes.incrementAndGet();
    size = null;
    onResize.run();
  }

  /**
   * Stops the process as Ctrl+Z does, after restoring the terminal, and opens the screen again
   * after the process continues.
   */
  private synchronized void stop() {
    if (closed) {
      return;
    }
    restoreTerminal();
    ControllingTerminal.stop();
    try {
      take();
    } catch (OutputException terminalGone) {
      // The next page reports the failure.
    }
    resized();
  }

  /** Returns the present size of the screen. */
  Size size() {
    Size known = size;
    while (known == null) {
      int before = resizes.get();
      known = ControllingTerminal.size();
      size = known;
      // A size measured before the newest change is outdated.
      if (resizes.get() != before) {
        size = null;
        known = null;
      }
    }
    return known;
  }

  /**
   * Draws lines unless they are visible already. The caller has removed control characters and cut
   * the lines to size.
   */
  synchronized void show(List<String> lines, boolean allOver) {
    isUnknown |= allOver;
    if (closed || lines.equals(shown) && !isUnknown) {
      return;
    }
    StringBuilder text = new StringBuilder(isUnknown ? "\u001b[2J\u001b[H" : "\u001b[H");
    for (int i = 0; i < lines.size(); i++) {
      // Erase first: after a row of full width the cursor is on its last character.
      text.append(i == 0 ? "" : "\r\n").append("\u001b[K").append(lines.get(i));
    }
    if (lines.size() < size().rows()) {
      text.append("\r\n\u001b[J");
    }
    if (out.draw(text.toString())) {
      shown = new ArrayList<>(lines);
      isUnknown = false;
    }
  }

  /** Closes the screen and restores the terminal. */
  @Override
  public void close() {
    restore();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException alreadyEnding) {
      // The hook finds a closed screen and does nothing.
    }
  }

  private synchronized void restore() {
    if (closed) {
      return;
    }
    closed = true;
    TAKER.compareAndSet(onByte, null);
    restoreTerminal();
    ControllingTerminal.stopByDefault();
  }

  private static void readKeys() {
    try (InputStream typed = new FileInputStream(ControllingTerminal.DEVICE)) {
      for (int b = typed.read(); b >= 0; b = typed.read()) {
        IntConsumer taker = TAKER.get();
        if (taker != null) {
          taker.accept(b);
        }
      }
    } catch (IOException noTerminal) {
      // Without a terminal no keys can be read; Ctrl+C still ends the view.
    }
  }
}

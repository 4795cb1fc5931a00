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
 * A terminal's whole screen, until it is closed or the process is told to end: then everything is
 * as before. For any thread.
 */
public final class Screen implements AutoCloseable {

  /** How large it is, in characters. */
  public record Size(int rows, int columns) {}

  /** The other page of the terminal, no cursor, and lines that end at the edge. */
  private static final String BEGIN = "\u001b[?1049h\u001b[?25l\u001b[?7l";

  private static final String END = "\u001b[?7h\u001b[?25h\u001b[?1049l";

  /**
   * Who takes the keys. A process has one terminal, and a thread that waits for a key there can't
   * be stopped: it serves the screen that is open, one after the other.
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

  /** Whether the window may still show something else than what was drawn last. */
  private boolean isUnknown;

  private boolean closed;

  private Screen(Output out, Runnable onResize, IntConsumer onByte) {
    this.out = out;
    this.onResize = onResize;
    this.onByte = onByte;
    this.hook = new Thread(this::restore, "ralph-screen");
  }

  /**
   * Takes the screen.
   *
   * @param onResize called when the terminal has another size, from any thread
   * @param onByte called with each byte that is typed, in their order, from one thread
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
    modes = Tty.stty("-g");
    TAKER.set(onByte);
    if (take() && READING.compareAndSet(false, true)) {
      Thread keys = new Thread(Screen::readKeys, "ralph-keys");
      keys.setDaemon(true);
      keys.start();
    }
    Tty.onResize(this::resized);
    Tty.onStop(this::stop);
  }

  /** Shows the other page, and lets keys come one by one; returns whether they do. */
  private boolean take() {
    boolean keysCome =
        modes != null && Tty.stty("-echo", "-icanon", "min", "1", "time", "0") != null;
    guard = TerminalGuard.start(END, modes);
    out.beginDrawing(BEGIN);
    return keysCome;
  }

  private void giveBack() {
    try {
      out.endDrawing(END);
    } catch (OutputException terminalGone) {
      // Then there is no cursor either.
    }
    if (modes != null) {
      Tty.stty(modes);
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

  /** Stops the process as Ctrl+Z does, with the terminal as it was; goes on when that is told. */
  private synchronized void stop() {
    if (closed) {
      return;
    }
    giveBack();
    Tty.stop();
    try {
      take();
    } catch (OutputException terminalGone) {
      // The next page finds that out.
    }
    resized();
  }

  /** Returns how large the screen is now. */
  Size size() {
    Size known = size;
    while (known == null) {
      int before = resizes.get();
      known = Tty.size();
      size = known;
      // What was measured before the newest change must not stay.
      if (resizes.get() != before) {
        size = null;
        known = null;
      }
    }
    return known;
  }

  /** Shows these lines, harmless and cut to size before; does nothing if they are there already. */
  synchronized void show(List<String> lines, boolean allOver) {
    isUnknown |= allOver;
    if (closed || lines.equals(shown) && !isUnknown) {
      return;
    }
    StringBuilder text = new StringBuilder(isUnknown ? "\u001b[2J\u001b[H" : "\u001b[H");
    for (int i = 0; i < lines.size(); i++) {
      // Cleared before: behind a row as wide as the screen the cursor stands on its last character.
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
    TAKER.compareAndSet(onByte, null);
    giveBack();
    Tty.stopByDefault();
  }

  private static void readKeys() {
    try (InputStream typed = new FileInputStream(Tty.DEVICE)) {
      for (int b = typed.read(); b >= 0; b = typed.read()) {
        IntConsumer taker = TAKER.get();
        if (taker != null) {
          taker.accept(b);
        }
      }
    } catch (IOException noTerminal) {
      // Ctrl+C ends it as well.
    }
  }
}

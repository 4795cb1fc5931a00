package dev.ralph.cli;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;

/**
 * A terminal's whole screen, until it is closed or the process is told to end: then everything is
 * as before. For any thread.
 */
final class Screen implements AutoCloseable {

  /** How large it is, in characters. */
  record Size(int rows, int columns) {}

  private static final Size USUAL = new Size(24, 80);
  private static final File TERMINAL = new File("/dev/tty");
  private static final long LONGEST_SECONDS = 2;

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
    modes = stty("-g");
    // Keys come one by one and are not shown; nobody is left with this screen by Ctrl+Z.
    if (modes != null
        && stty("-echo", "-icanon", "min", "1", "time", "0", "susp", "undef") != null) {
      Thread keys = new Thread(() -> awaitQuit(onQuit), "ralph-keys");
      keys.setDaemon(true);
      keys.start();
    }
    onWindowChange(
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
      known = measured();
      size = known;
    }
    return known;
  }

  private static Size measured() {
    String answer = stty("size");
    String[] words = answer == null ? new String[0] : answer.split(" ", -1);
    try {
      if (words.length == 2) {
        Size size = new Size(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
        return size.rows() > 0 && size.columns() > 0 ? size : USUAL;
      }
    } catch (NumberFormatException notASize) {
      // as if nothing had been said
    }
    return USUAL;
  }

  /** Shows these lines, harmless and cut to size before; does nothing if they are there already. */
  synchronized void show(List<String> lines, boolean anew) {
    if (closed || lines.equals(shown) && !anew) {
      return;
    }
    shown = new ArrayList<>(lines);
    StringBuilder text = new StringBuilder(anew ? "\u001b[2J\u001b[H" : "\u001b[H");
    for (int i = 0; i < lines.size(); i++) {
      text.append(i == 0 ? "" : "\r\n").append(lines.get(i)).append("\u001b[K");
    }
    out.now(text.append("\u001b[J").toString());
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
      stty(modes);
    }
  }

  private static void awaitQuit(Runnable onQuit) {
    try (InputStream keys = new FileInputStream(TERMINAL)) {
      for (int key = keys.read(); key >= 0; key = keys.read()) {
        if (key == 'q' || key == 'Q') {
          onQuit.run();
        }
      }
    } catch (IOException noTerminal) {
      // Ctrl+C ends it as well.
    }
  }

  /** Returns what stty says of the terminal, without line break, or null if it failed. */
  @Nullable
  private static String stty(String... words) {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(words));
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(TERMINAL)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String answer =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      if (process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
        return process.exitValue() == 0 ? answer.strip() : null;
      }
      process.destroyForcibly();
    } catch (IOException noSuchProgram) {
      // A terminal of the usual size, which shows what is typed, will do.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return null;
  }

  /**
   * Has that called at every SIGWINCH. The class is not part of the platform's own API, and the
   * compiler would warn of it.
   */
  private static void onWindowChange(Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object handles =
          Proxy.newProxyInstance(
              Screen.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance("WINCH"), handles);
    } catch (ReflectiveOperationException | RuntimeException notHere) {
      System.getLogger(Screen.class.getName())
          .log(System.Logger.Level.DEBUG, "changes of the window's size go unnoticed", notHere);
    }
  }
}

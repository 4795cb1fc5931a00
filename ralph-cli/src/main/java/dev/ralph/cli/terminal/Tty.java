package dev.ralph.cli.terminal;

import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The terminal that this process is started from: its modes, its size, and its signals. */
public final class Tty {

  static final File DEVICE = new File("/dev/tty");

  private static final Screen.Size USUAL = new Screen.Size(24, 80);
  private static final Duration LONGEST = Duration.ofSeconds(2);
  private static final int MOST_SAID = 1000;

  private Tty() {}

  /** Returns how large the terminal is now, or 24 rows of 80 columns where nobody can tell. */
  public static Screen.Size size() {
    String answer = stty("size");
    String[] words = answer == null ? new String[0] : answer.split(" ", -1);
    try {
      if (words.length == 2) {
        Screen.Size size = new Screen.Size(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
        return size.rows() > 0 && size.columns() > 0 ? size : USUAL;
      }
    } catch (NumberFormatException notASize) {
      // as if nothing had been said
    }
    return USUAL;
  }

  /** Returns what stty says of the terminal, without line break, or null if it failed. */
  static @Nullable String stty(String... words) {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(words));
    return run(command);
  }

  /** Runs a program whose standard input is the terminal; returns what it says, or null. */
  private static @Nullable String run(List<String> command) {
    boolean interrupted = Thread.interrupted(); // and still the terminal has to be given back
    try {
      Answer answer =
          ProcessSpec.command(command)
              .stdin(DEVICE.toPath())
              .leavesNothing()
              .run(LONGEST, Duration.ZERO, MOST_SAID);
      return answer.isGood() ? answer.line() : null;
    } catch (RalphException noSuchProgram) {
      return null; // A terminal of the usual size, which shows what is typed, will do.
    } catch (InterruptedException e) {
      interrupted = true;
      return null;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Has that called at every change of the terminal's size, from another thread. */
  public static void onResize(Runnable action) {
    handle("WINCH", action);
  }

  /**
   * Has that called, from another thread, instead of stopping the process when Ctrl+Z is typed. The
   * action calls {@link #stop} to stop it then.
   */
  static void onStop(Runnable action) {
    handle("TSTP", action);
  }

  /** Lets Ctrl+Z stop the process at once again. */
  static void stopByDefault() {
    try {
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      install("TSTP", handler.getField("SIG_DFL").get(null));
    } catch (ReflectiveOperationException | RuntimeException notHere) {
      unavailable(notHere);
    }
  }

  /** Stops the process as Ctrl+Z does by default; returns when it has been told to go on. */
  static void stop() {
    try {
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      // With the default action, so that nothing happens where nobody could make it go on.
      Object before = install("TSTP", handler.getField("SIG_DFL").get(null));
      long pid = ProcessHandle.current().pid();
      run(List.of("sh", "-c", "kill -TSTP " + pid));
      install("TSTP", before);
    } catch (ReflectiveOperationException | RuntimeException notHere) {
      unavailable(notHere);
    }
  }

  /**
   * The classes are not part of the platform's own API, and the compiler would warn of them. Where
   * they are missing the signal keeps its usual effect.
   */
  private static void handle(String signal, Runnable action) {
    try {
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      install(
          signal,
          Proxy.newProxyInstance(
              Tty.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              }));
    } catch (ReflectiveOperationException | RuntimeException notHere) {
      unavailable(notHere);
    }
  }

  private static @Nullable Object install(String name, @Nullable Object action)
      throws ClassNotFoundException,
          NoSuchMethodException,
          IllegalAccessException,
          InstantiationException,
          InvocationTargetException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    return signal
        .getMethod("handle", signal, handler)
        .invoke(null, signal.getConstructor(String.class).newInstance(name), action);
  }

  private static void unavailable(Exception why) {
    System.getLogger(Tty.class.getName())
        .log(System.Logger.Level.DEBUG, "a signal of the terminal is not handled", why);
  }
}

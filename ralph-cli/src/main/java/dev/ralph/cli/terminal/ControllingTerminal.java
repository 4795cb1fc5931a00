package dev.ralph.cli.terminal;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The controlling terminal of this process: its modes, size and signals. */
public final class ControllingTerminal {

  static final File DEVICE = new File("/dev/tty");

  private static final Screen.Size USUAL = new Screen.Size(24, 80);
  private static final Duration LONGEST = Duration.ofSeconds(2);
  private static final int MOST_SAID = 1000;

  private ControllingTerminal() {}

  /** Returns the present size of the terminal, or 24 rows of 80 columns if unknown. */
  public static Screen.Size size() {
    String answer = stty("size");
    String[] words = answer == null ? new String[0] : answer.split(" ", -1);
    try {
      if (words.length == 2) {
        Screen.Size size = new Screen.Size(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
        return size.rows() > 0 && size.columns() > 0 ? size : USUAL;
      }
    } catch (NumberFormatException notASize) {
      // same as a missing answer
    }
    return USUAL;
  }

  /** Returns the output of stty without the line break, or null if stty fails. */
  static @Nullable String stty(String... words) {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(words));
    return run(command);
  }

  /** Runs a program whose standard input is the terminal; returns its output, or null. */
  private static @Nullable String run(List<String> command) {
    boolean interrupted = Thread.interrupted(); // the terminal has to be restored anyway
    try {
      CommandResult answer =
          ProcessSpec.command(command)
              .stdin(DEVICE.toPath())
              .leavesNothing()
              .run(LONGEST, Duration.ZERO, MOST_SAID);
      return answer.isGood() ? answer.line() : null;
    } catch (RalphException noSuchProgram) {
      return null; // The usual size and visible typing are acceptable.
    } catch (InterruptedException e) {
      interrupted = true;
      return null;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Registers an action to run in another thread when the terminal is resized. */
  public static void onResize(Runnable action) {
    handle("WINCH", action);
  }

  /**
   * Registers an action to run in another thread instead of stopping the process on Ctrl+Z. The
   * action calls {@link #stop} to stop the process.
   */
  static void onStop(Runnable action) {
    handle("TSTP", action);
  }

  /** Restores the default effect of Ctrl+Z. */
  static void stopByDefault() {
    try {
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      install("TSTP", handler.getField("SIG_DFL").get(null));
    } catch (ReflectiveOperationException | RuntimeException notHere) {
      unavailable(notHere);
    }
  }

  /** Stops the process as Ctrl+Z does by default; returns after the process continues. */
  static void stop() {
    try {
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      // The default action has no effect in a process group that no shell could continue.
      Object before = install("TSTP", handler.getField("SIG_DFL").get(null));
      long pid = ProcessHandle.current().pid();
      run(List.of("sh", "-c", "kill -TSTP " + pid));
      install("TSTP", before);
    } catch (ReflectiveOperationException | RuntimeException notHere) {
      unavailable(notHere);
    }
  }

  /**
   * Handles a signal by reflection, because the classes are not public API and cause compiler
   * warnings. If they are missing, the signal keeps its default effect.
   */
  private static void handle(String signal, Runnable action) {
    try {
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      install(
          signal,
          Proxy.newProxyInstance(
              ControllingTerminal.class.getClassLoader(),
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
    System.getLogger(ControllingTerminal.class.getName())
        .log(System.Logger.Level.DEBUG, "a signal of the terminal is not handled", why);
  }
}

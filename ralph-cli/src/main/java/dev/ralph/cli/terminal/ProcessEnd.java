package dev.ralph.cli.terminal;

import java.util.concurrent.locks.LockSupport;

/** Detects the shutdown of this process after Ctrl+C, SIGTERM or SIGHUP. */
public final class ProcessEnd {

  private ProcessEnd() {}

  /** Returns whether the process is shutting down. */
  public static boolean isUnderWay() {
    Thread hook = new Thread("ralph-end");
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      return !Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      return true;
    }
  }

  /**
   * Parks the thread forever, so that the signal determines the exit code. After the shutdown
   * hooks, the virtual machine would otherwise use the code of a thread that calls exit.
   */
  public static void await() {
    while (true) {
      LockSupport.park();
    }
  }
}

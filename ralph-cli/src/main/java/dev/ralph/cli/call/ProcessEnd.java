package dev.ralph.cli.call;

import java.util.concurrent.locks.LockSupport;

/** The end of this process, when it was told to end: by Ctrl+C, SIGTERM or SIGHUP. */
public final class ProcessEnd {

  private ProcessEnd() {}

  /** Says whether the process is ending. */
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
   * Never returns, and so leaves the exit code to the signal. Between the end of the hooks and its
   * own end the virtual machine would take another one from a thread that asks for an exit.
   */
  public static void await() {
    while (true) {
      LockSupport.park();
    }
  }
}

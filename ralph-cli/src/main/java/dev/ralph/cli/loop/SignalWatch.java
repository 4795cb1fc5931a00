package dev.ralph.cli.loop;

import dev.ralph.Loop;
import dev.ralph.cli.terminal.ProcessEnd;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends a loop cleanly after Ctrl+C, SIGTERM or SIGHUP. The virtual machine then exits with 128 plus
 * the signal number.
 */
final class SignalWatch implements AutoCloseable {

  /** The time limit for the end; a loop gives its agent 5 seconds, and a machine may be slow. */
  private static final long LONGEST_SECONDS = 30;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread hook;

  private SignalWatch(Runnable cancel, Runnable closeAgents) {
    hook =
        new Thread(
            () -> {
              cancel.run();
              try {
                if (!ended.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                  return;
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              closeAgents.run();
            },
            "ralph-signal");
  }

  /**
   * Begins to watch for signals.
   *
   * @param signalled called after a signal, when the loop is cancelled but has not ended
   * @param closeAgents called after the loop has ended
   */
  static SignalWatch over(Loop loop, Runnable signalled, Runnable closeAgents) {
    return over(
        () -> {
          loop.cancel("ended by a signal");
          signalled.run();
        },
        closeAgents);
  }

  /**
   * Begins to watch for signals.
   *
   * @param cancel cancels the running work
   * @param closeAgents called after the work has ended
   */
  static SignalWatch over(Runnable cancel, Runnable closeAgents) {
    SignalWatch watch = new SignalWatch(cancel, closeAgents);
    Runtime.getRuntime().addShutdownHook(watch.hook);
    return watch;
  }

  /** Reports that the loop has ended and all output is written. */
  void ended() {
    ended.countDown();
  }

  /** Ends the watch. Does not return if the process is shutting down. */
  @Override
  public void close() {
    ended.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException alreadyEnding) {
      ProcessEnd.await();
    }
  }
}

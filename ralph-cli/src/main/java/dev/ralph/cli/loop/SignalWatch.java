package dev.ralph.cli.loop;

import dev.ralph.Loop;
import dev.ralph.cli.call.ProcessEnd;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets a loop come to a clean end when the process is told to end: by Ctrl+C, SIGTERM or SIGHUP.
 * The virtual machine then ends with 128 and the signal's number once this is through.
 */
final class SignalWatch implements AutoCloseable {

  /** The loop gives its agent 5 seconds; a machine may be slow. */
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

  /** Begins to watch. */
  static SignalWatch over(Loop loop, Runnable closeAgents) {
    return over(() -> loop.cancel("told to end by a signal"), closeAgents);
  }

  /**
   * Begins to watch.
   *
   * @param cancel has what runs come to its end
   * @param closeAgents is called once that has ended
   */
  static SignalWatch over(Runnable cancel, Runnable closeAgents) {
    SignalWatch watch = new SignalWatch(cancel, closeAgents);
    Runtime.getRuntime().addShutdownHook(watch.hook);
    return watch;
  }

  /** Says that the loop has ended and written what there is to write. */
  void ended() {
    ended.countDown();
  }

  /** Ends watching. Does not return if the process is ending. */
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

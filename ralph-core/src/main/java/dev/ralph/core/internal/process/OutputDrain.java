package dev.ralph.core.internal.process;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Reads the output streams of a process in one thread, until no writer is left.
 *
 * <p>Only available bytes are read, because a read cannot be interrupted in the JVM. A pipe stays
 * open as long as any process, known or unknown, holds its other end. So the streams are polled:
 * without a pause while output arrives, then less and less often. A piece is delayed by about an
 * eighth of the silence before it, by at most 100 ms. The end of the process is not delayed.
 */
final class OutputDrain implements Runnable {

  static final int READ_SIZE = 16 * 1024;

  private static final long SHORTEST_PAUSE_NANOS = 500_000;
  private static final long LONGEST_PAUSE_NANOS = 100_000_000;

  private final List<Source> sources = new ArrayList<>();
  private volatile boolean finishing;
  private volatile boolean abandoned;

  /** Adds a stream; only before the thread starts. */
  void add(InputStream in, Consumer<String> consumer) {
    sources.add(new Source(in, consumer));
  }

  boolean isEmpty() {
    return sources.isEmpty();
  }

  /**
   * Announces that all writers have ended: the thread reads the rest and ends. Safe from any
   * thread.
   */
  void finish(Thread runner) {
    finishing = true;
    LockSupport.unpark(runner);
  }

  /** Ends the thread without reading the rest. Safe from any thread. */
  void abandon() {
    abandoned = true;
  }

  @Override
  public void run() {
    long pause = SHORTEST_PAUSE_NANOS;
    while (!abandoned) {
      boolean last = finishing;
      boolean moved = false;
      for (Source source : sources) {
        moved |= source.readWhatIsThere();
      }
      if (moved) {
        pause = SHORTEST_PAUSE_NANOS;
      } else if (last) {
        break;
      } else {
        LockSupport.parkNanos(pause);
        pause = Math.min(pause + pause / 8, LONGEST_PAUSE_NANOS);
      }
    }
    for (Source source : sources) {
      source.end();
    }
  }

  private final class Source {

    private final InputStream in;
    private final Consumer<String> consumer;
    private final TextPieces pieces = new TextPieces(this::deliver);
    private final byte[] buffer = new byte[READ_SIZE];
    private boolean broken;
    private boolean consumerFailed;

    Source(InputStream in, Consumer<String> consumer) {
      this.in = in;
      this.consumer = consumer;
    }

    boolean readWhatIsThere() {
      if (broken) {
        return false;
      }
      try {
        int available = in.available();
        if (available <= 0) {
          return false;
        }
        int length = in.read(buffer, 0, Math.min(available, buffer.length));
        if (length > 0) {
          pieces.add(buffer, length);
        }
        return length > 0;
      } catch (IOException unreadable) {
        broken = true;
        log("can't read further output", unreadable);
        return false;
      }
    }

    void end() {
      pieces.end();
    }

    private void deliver(String piece) {
      if (abandoned) {
        return;
      }
      try {
        consumer.accept(piece);
      } catch (Throwable failure) {
        // Any failure: the process must not block on a full pipe because of it.
        if (!consumerFailed) {
          consumerFailed = true;
          log("an output consumer failed; further output is still delivered", failure);
        }
      } finally {
        // Clear an interrupt left by the consumer, because it would end every later pause at once.
        Thread.interrupted();
      }
    }

    private void log(String message, Throwable cause) {
      System.getLogger(OutputDrain.class.getPackageName()).log(Level.WARNING, message, cause);
    }
  }
}

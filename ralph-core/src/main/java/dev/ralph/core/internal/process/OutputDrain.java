package dev.ralph.core.internal.process;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Reads the output streams of one process, in one thread, until it is told that nobody is left to
 * write.
 *
 * <p>It reads what is there and never waits in a read: nothing in the JVM wakes a thread that waits
 * on a pipe, and a pipe stays open for as long as any process, known or not, holds its other end.
 * So it looks: without a pause while output flows, then ever more seldom, so that a piece waits for
 * about an eighth of the silence before it, 100 ms at most. The end of the process is not waited
 * for in this way.
 */
final class OutputDrain implements Runnable {

  static final int READ_SIZE = 16 * 1024;

  private static final long SHORTEST_PAUSE_NANOS = 500_000;
  private static final long LONGEST_PAUSE_NANOS = 100_000_000;

  private final List<Source> sources = new ArrayList<>();
  private volatile boolean finishing;
  private volatile boolean abandoned;

  /** Adds a stream before the run. */
  void add(InputStream in, Consumer<String> consumer) {
    sources.add(new Source(in, consumer));
  }

  boolean isEmpty() {
    return sources.isEmpty();
  }

  /** All who could write are gone: read what is left, and end. Safe from any thread. */
  void finish(Thread runner) {
    finishing = true;
    LockSupport.unpark(runner);
  }

  /** End now, whatever is left. Safe from any thread. */
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
        log("output can't be read any further", unreadable);
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
        // Whatever it is: the process must not come to stand on a full pipe for it.
        if (!consumerFailed) {
          consumerFailed = true;
          log("an output consumer failed; it still gets what follows", failure);
        }
      } finally {
        // An interrupt that a consumer leaves behind would turn every pause into none.
        Thread.interrupted();
      }
    }

    private void log(String message, Throwable cause) {
      System.getLogger(OutputDrain.class.getPackageName()).log(Level.WARNING, message, cause);
    }
  }
}

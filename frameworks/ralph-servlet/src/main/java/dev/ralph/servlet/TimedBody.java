package dev.ralph.servlet;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A request body with a time limit from the first read. Containers wait for each part of a body
 * separately, and Tomcat's reads ignore interrupts, so a slow client could hold a thread for hours.
 */
final class TimedBody extends InputStream {

  /** Opens the container's stream. */
  @FunctionalInterface
  interface Source {
    InputStream open() throws IOException;
  }

  private final Source source;
  private final Duration limit;
  private final LongSupplier nanoTime;
  private boolean isRead;
  private long began;

  /**
   * Creates a body.
   *
   * @param nanoTime returns the time as {@link System#nanoTime} does
   */
  TimedBody(Source source, Duration limit, LongSupplier nanoTime) {
    this.source = source;
    this.limit = limit;
    this.nanoTime = nanoTime;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int from, int length) throws IOException {
    if (!isRead) {
      isRead = true;
      began = nanoTime.getAsLong();
    }
    int count = source.open().read(bytes, from, length);
    if (nanoTime.getAsLong() - began >= limit.toNanos()) {
      throw new InterruptedIOException(
          "the request's body took longer than " + limit.toSeconds() + " seconds");
    }
    return count;
  }
}

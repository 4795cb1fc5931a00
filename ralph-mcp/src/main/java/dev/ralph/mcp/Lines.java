package dev.ralph.mcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** The lines of a stream. No more than the beginning of each is kept. For one thread. */
final class Lines {

  private final InputStream in;
  private final int most;
  private final byte[] buffer = new byte[64 * 1024];
  private int from;
  private int to;
  private boolean cut;

  /**
   * @param in not closed
   * @param most how many bytes of a line are kept at the most
   */
  Lines(InputStream in, int most) {
    this.in = in;
    this.most = most;
  }

  /**
   * Returns the next line without its end, or its beginning if it is longer than what is kept, or
   * null where there are no more.
   */
  byte @Nullable [] next() throws IOException {
    if (cut) {
      rest().transferTo(OutputStream.nullOutputStream());
    }
    ByteArrayOutputStream line = new ByteArrayOutputStream(512);
    while (from < to || fill()) {
      int end = end();
      int room = most - line.size();
      if (end - from > room) {
        line.write(buffer, from, room);
        from += room;
        cut = true;
        return line.toByteArray();
      }
      line.write(buffer, from, end - from);
      from = end;
      if (end < to) {
        from++;
        return line.toByteArray();
      }
    }
    return line.size() == 0 ? null : line.toByteArray();
  }

  /** Returns whether something of the line that was returned last has not been read. */
  boolean cut() {
    return cut;
  }

  /** Returns what has not been read of the line that was returned last, without the line's end. */
  InputStream rest() {
    return new Rest();
  }

  /** Returns where in the buffer the line ends, or the buffer. */
  private int end() {
    int end = from;
    while (end < to && buffer[end] != '\n') {
      end++;
    }
    return end;
  }

  private boolean fill() throws IOException {
    from = 0;
    to = 0;
    to = Math.max(0, in.read(buffer));
    return to > 0;
  }

  private final class Rest extends InputStream {

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (!cut) {
        return -1;
      }
      if (from == to && !fill()) {
        cut = false;
        return -1;
      }
      int end = end();
      if (end == from) {
        from++;
        cut = false;
        return -1;
      }
      int count = Math.min(length, end - from);
      System.arraycopy(buffer, from, into, offset, count);
      from += count;
      return count;
    }
  }
}

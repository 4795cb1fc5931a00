package dev.ralph.mcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Reads the lines of a stream, and keeps only the beginning of long lines. Not thread-safe. */
final class ClientLines {

  private final InputStream in;
  private final int most;
  private final byte[] buffer = new byte[64 * 1024];
  private int from;
  private int to;
  private boolean cut;

  /**
   * Creates a reader.
   *
   * @param in the stream; not closed
   * @param most the most bytes kept of a line
   */
  ClientLines(InputStream in, int most) {
    this.in = in;
    this.most = most;
  }

  /**
   * Returns the next line without its newline, or only the beginning of a longer line. Returns null
   * at the end of the stream.
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

  /** Returns whether the last line has an unread rest. */
  boolean cut() {
    return cut;
  }

  /** Returns the unread rest of the last line without its newline. */
  InputStream rest() {
    return new Rest();
  }

  /** Returns the index in the buffer at which the line or the buffer ends. */
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

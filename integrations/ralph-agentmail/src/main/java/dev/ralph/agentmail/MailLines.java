package dev.ralph.agentmail;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Iterates over the lines of a mailbox file. Commands may read a hundred thousand lines per
 * message, so this class examines each byte once and copies none.
 */
final class MailLines {

  private static final int PIECE = 1 << 16;

  /**
   * The end of a read message's line, before the brace. A space before the brace is left from
   * {@code false}.
   */
  private static final byte[] READ = "\"read_flag\":true".getBytes(StandardCharsets.US_ASCII);

  private final RandomAccessFile file;
  private byte[] bytes = new byte[PIECE];

  /** The file offset of the buffer's first byte. */
  private long base;

  private int filled;
  private boolean atEnd;
  private int from;
  private int to;
  private int next;
  private int number;

  /** The index of the line's last opening brace; below {@link #from} for none. */
  private int lastBrace;

  MailLines(RandomAccessFile file) {
    this.file = file;
  }

  /** Advances to the next line; returns false at the end. */
  boolean next() throws IOException {
    from = next;
    lastBrace = -1;
    int searched = from;
    while (true) {
      int end = lineEnd(searched);
      if (end < filled || (atEnd && end > from)) {
        to = end;
        next = Math.min(end + 1, filled);
        number++;
        return true;
      }
      if (atEnd) {
        return false;
      }
      searched = end - from;
      fill();
    }
  }

  private int lineEnd(int searched) {
    byte[] in = bytes;
    int limit = filled;
    int at = searched;
    while (true) {
      at = plainEnd(in, at, limit);
      if (at == limit || in[at] == '\n') {
        return at;
      }
      if (in[at] == '{') {
        lastBrace = at;
      }
      at++;
    }
  }

  /** Returns the index of the first byte below the space or above z, or the limit. */
  private static int plainEnd(byte[] in, int from, int limit) {
    int at = from;
    while (at <= limit - 8) {
      if ((byte) (in[at + 0] + 5) < 0x25) {
        return at + 0;
      }
      if ((byte) (in[at + 1] + 5) < 0x25) {
        return at + 1;
      }
      if ((byte) (in[at + 2] + 5) < 0x25) {
        return at + 2;
      }
      if ((byte) (in[at + 3] + 5) < 0x25) {
        return at + 3;
      }
      if ((byte) (in[at + 4] + 5) < 0x25) {
        return at + 4;
      }
      if ((byte) (in[at + 5] + 5) < 0x25) {
        return at + 5;
      }
      if ((byte) (in[at + 6] + 5) < 0x25) {
        return at + 6;
      }
      if ((byte) (in[at + 7] + 5) < 0x25) {
        return at + 7;
      }
      at += 8;
    }
    while (at < limit && in[at] >= ' ' && in[at] <= 'z') {
      at++;
    }
    return at;
  }

  /** Moves the started line to the front of the buffer and reads further bytes. */
  private void fill() throws IOException {
    int begun = filled - from;
    base += from;
    lastBrace -= from;
    if (begun == bytes.length) {
      bytes = Arrays.copyOf(bytes, bytes.length * 2);
    } else {
      System.arraycopy(bytes, from, bytes, 0, begun);
    }
    from = 0;
    filled = begun;
    int read = file.read(bytes, filled, bytes.length - filled);
    if (read < 0) {
      atEnd = true;
    } else {
      filled += read;
    }
  }

  /** Returns the buffer; the line is at {@link #from} to {@link #to}. */
  byte[] bytes() {
    return bytes;
  }

  int from() {
    return from;
  }

  /** Returns the index of the line's end, without the line break. */
  int to() {
    return to;
  }

  /** Returns whether the line's only opening brace is at the beginning. */
  boolean isOneObject() {
    return lastBrace == from;
  }

  /**
   * Returns whether the line ends like the line of a read message; there may be further text after
   * the flag.
   */
  boolean endsAsRead() {
    byte[] in = bytes;
    int at = to - 1;
    if (at <= from + READ.length || in[at] != '}') {
      return false;
    }
    if (in[at - 1] == ' ') {
      at--;
    }
    // A manual loop is faster than library methods for so few bytes.
    for (int i = READ.length - 1; i >= 0; i--) {
      if (in[--at] != READ[i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns the file offset of the line, in bytes. */
  long offset() {
    return base + from;
  }

  /** Returns the line number, from 1. */
  int number() {
    return number;
  }

  /** Returns whether the line lacks a line break, for example because its writer was killed. */
  boolean isUnended() {
    return to == filled;
  }
}

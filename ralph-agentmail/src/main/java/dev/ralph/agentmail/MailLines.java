package dev.ralph.agentmail;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The lines of a mailbox file, one after the other. A command that is started for each message
 * reads a hundred thousand of them, so this looks at each byte once, and copies none.
 */
final class MailLines {

  private static final int PIECE = 1 << 16;

  /** What a line that was read ends with, and a brace; a blank between them was part of false. */
  private static final byte[] READ = "\"read_flag\":true".getBytes(StandardCharsets.US_ASCII);

  private final RandomAccessFile file;
  private byte[] bytes = new byte[PIECE];

  /** Where in the file the first of the bytes stands. */
  private long base;

  private int filled;
  private boolean atEnd;
  private int from;
  private int to;
  private int next;
  private int number;

  /** Where the line's last brace stands that opens an object, or nothing below {@link #from}. */
  private int lastBrace;

  MailLines(RandomAccessFile file) {
    this.file = file;
  }

  /** Moves on to the next line; returns whether there is one. */
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

  /** Returns where the first byte stands that is below the blank or above z, or the limit. */
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

  /** Reads on, with the line that has begun moved to the front. */
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

  /** Returns the bytes, in which the line stands from {@link #from} to {@link #to}. */
  byte[] bytes() {
    return bytes;
  }

  int from() {
    return from;
  }

  /** Returns where the line ends, before its line break. */
  int to() {
    return to;
  }

  /**
   * Returns whether a brace that opens an object stands at the line's beginning and nowhere else.
   */
  boolean isOneObject() {
    return lastBrace == from;
  }

  /**
   * Returns whether the line ends as one does that was read, unless there is more behind the flag.
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
    // By hand: what the platform has for this takes longer for so few bytes.
    for (int i = READ.length - 1; i >= 0; i--) {
      if (in[--at] != READ[i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns where in the file the line begins, in bytes. */
  long offset() {
    return base + from;
  }

  /** Returns the number of the line; the first is 1. */
  int number() {
    return number;
  }

  /** Returns whether the line has no line break: its writer was killed, or left it out. */
  boolean isUnended() {
    return to == filled;
  }
}

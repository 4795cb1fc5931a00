package dev.ralph.transfer.internal;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads a UTF-8 file line by line, counts the lines and hashes them. Not thread-safe. */
final class LineReader implements Closeable {

  private static final int BUFFER = 64 << 10;

  private final InputStream in;
  private final MessageDigest digest = FormatHashes.sha256();
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private final byte[] buffer = new byte[BUFFER];
  private int at;
  private int end;
  private byte[] line = new byte[BUFFER];
  private int length;
  private boolean ended;
  private long number;

  LineReader(Path file) throws IOException {
    this.in = Files.newInputStream(file);
  }

  /**
   * Returns the next line, or null at the end of the file.
   *
   * @throws BadLine if the line is too long, is not an object, or is not UTF-8
   */
  @Nullable JsonLine next() throws IOException {
    digest.update(line, 0, length);
    length = 0;
    number++;
    ended = false;
    while (!ended) {
      if (at == end && !fill()) {
        break;
      }
      if (length == 0 && isBlank(buffer[at])) {
        skipBlanks();
        break;
      }
      int from = at;
      while (at < end && buffer[at] != '\n') {
        at++;
      }
      if (at < end) {
        at++;
        ended = true;
      }
      take(from, at);
    }
    return length == 0 ? null : JsonLine.parse(this, decoded());
  }

  /** Fills the buffer; returns whether the buffer contains further bytes. */
  private boolean fill() throws IOException {
    boolean isBegin = end == 0;
    at = 0;
    end = in.readNBytes(buffer, 0, BUFFER);
    if (isBegin && end >= 2) {
      recognise(buffer[0] & 0xff, buffer[1] & 0xff);
    }
    return at < end;
  }

  /** Skips a byte order mark and rejects compressed and UTF-16 files. */
  private void recognise(int first, int second) {
    if (first == 0xef && second == 0xbb && end >= 3 && (buffer[2] & 0xff) == 0xbf) {
      at = 3;
    } else if (first == 0x1f && second == 0x8b) {
      throw wrong("the file is compressed; unpack the file first, for example with gunzip");
    } else if (first == 0xff && second == 0xfe
        || first == 0xfe && second == 0xff
        || first == '{' && second == 0
        || first == 0 && second == '{') {
      throw wrong("the file is UTF-16; convert the file to UTF-8 (PowerShell's > writes UTF-16)");
    }
  }

  private static boolean isBlank(byte b) {
    return b == '\n' || b == '\r';
  }

  /** Skips blank lines at the end of the file; blank lines elsewhere are errors. */
  private void skipBlanks() throws IOException {
    while (at < end || fill()) {
      if (!isBlank(buffer[at])) {
        throw wrong("it is empty");
      }
      at++;
    }
  }

  private void take(int from, int to) {
    int count = to - from;
    if (length == 0 && buffer[from] != '{') {
      // Fail early, because such a file may have no line break at all.
      throw wrong("not a JSON object");
    }
    if (length + count > ExportFormat.MAX_LINE_BYTES) {
      throw wrong("the line has more than " + ExportFormat.MAX_LINE_BYTES + " bytes");
    }
    if (length + count > line.length) {
      line = Arrays.copyOf(line, Math.max(line.length * 2, length + count));
    }
    System.arraycopy(buffer, from, line, length, count);
    length += count;
  }

  private CharBuffer decoded() {
    try {
      return decoder.decode(ByteBuffer.wrap(line, 0, length));
    } catch (CharacterCodingException e) {
      throw wrong("not valid UTF-8");
    }
  }

  /** Returns the number of the current line, from 1; at the end the number of lines plus 1. */
  long number() {
    return number;
  }

  /** Returns whether the current line ends with a line break, as all complete lines do. */
  boolean isEnded() {
    return ended;
  }

  /** Returns the hash of all lines before the current one. Call at most once. */
  String sha256() {
    return FormatHashes.hex(digest.digest());
  }

  /** Returns an exception for the current line. */
  BadLine wrong(String what) {
    return new BadLine(number, what);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}

package dev.ralph.core.transfer;

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
import javax.annotation.Nullable;

/**
 * Reads a file line by line, strictly UTF-8, counting lines and hashing what lies behind. For one
 * thread.
 */
final class LineReader implements Closeable {

  private static final int BUFFER = 64 << 10;

  private final InputStream in;
  private final MessageDigest digest = Hashes.sha256();
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
   * @throws BadLine if it is too long, does not begin an object, or is not UTF-8
   */
  @Nullable
  JsonLine next() throws IOException {
    digest.update(line, 0, length);
    length = 0;
    number++;
    ended = false;
    while (!ended) {
      if (at == end) {
        at = 0;
        end = Math.max(0, in.read(buffer));
        if (end == 0) {
          break;
        }
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

  private void take(int from, int to) {
    int count = to - from;
    if (length == 0 && buffer[from] != '{') {
      // Whatever this is, it need not be read to its end: it may have no line break at all.
      throw wrong(buffer[from] == '\n' ? "it is empty" : "it is not a JSON object");
    }
    if (length + count > ExportFormat.MAX_LINE_BYTES) {
      throw wrong("it has more than " + ExportFormat.MAX_LINE_BYTES + " bytes");
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
      throw wrong("it is not valid UTF-8");
    }
  }

  /** Returns the number of the line read last, from 1; one more than there are at the end. */
  long number() {
    return number;
  }

  /** Returns whether the line read last ends with a line break, as every whole line does. */
  boolean isEnded() {
    return ended;
  }

  /** Returns the hash of everything before the line read last. May be asked for once. */
  String sha256() {
    return Hashes.hex(digest.digest());
  }

  /** Returns the failure to report of the line read last. */
  BadLine wrong(String what) {
    return new BadLine(number, what);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}

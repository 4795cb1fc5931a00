package dev.ralph.core.internal.process;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines that another process appends to a file, each line once, while the file grows. The
 * file is untrusted. So only regular files are opened, the bytes per call are limited, and too long
 * lines are cut. Safe for use by many threads.
 */
public final class GrowingFile {

  private static final int PIECE = 64 * 1024;

  /**
   * The highest number of bytes per call, because a file may report a size larger than any disk.
   */
  private static final long MOST = 16 * 1024 * 1024;

  /** The number of bytes at the beginning of the file compared with earlier reads. */
  private static final int COMPARED = 256 * 1024;

  private final Path file;
  private final int longestLine;
  private final Consumer<String> lines;
  private final long mostPerCall;
  private final @Nullable Runnable onChange;

  // Guarded by this.
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final ByteArrayOutputStream beginning = new ByteArrayOutputStream();
  private long read;
  private @Nullable FileTime modified;

  /**
   * Creates a reader of a file that is only appended to.
   *
   * @param file need not exist yet
   * @param longestLine in bytes; a longer line is cut
   * @param lines receives each line without its line break, in the thread that calls {@link
   *     #readLines}
   */
  public GrowingFile(Path file, int longestLine, Consumer<String> lines) {
    this(file, longestLine, lines, MOST, null);
  }

  /**
   * Creates a reader of a file that may also be overwritten, shortened or replaced. After such a
   * change the reader continues with the first line that differs.
   *
   * @param file need not exist yet
   * @param longestLine in bytes; a longer line is cut
   * @param lines receives each line without its line break, in the thread that calls {@link
   *     #readLines}
   * @param mostPerCall the highest number of bytes per call
   * @param onChange called if the file was overwritten, shortened or replaced; null for a file that
   *     is only appended to
   */
  public GrowingFile(
      Path file,
      int longestLine,
      Consumer<String> lines,
      long mostPerCall,
      @Nullable Runnable onChange) {
    this.file = file;
    this.longestLine = longestLine;
    this.lines = lines;
    this.mostPerCall = mostPerCall;
    this.onChange = onChange;
  }

  /**
   * Reads the lines completed since the last call. An interrupt does not end the read.
   *
   * @throws IOException if the file can't be read
   */
  public void readLines() throws IOException {
    readLines(false);
  }

  /**
   * Reads the rest of the file, including an incomplete last line.
   *
   * @return false if the rest is longer than the limit of one call
   * @throws IOException if the file can't be read
   */
  public boolean readRest() throws IOException {
    return readLines(true);
  }

  private synchronized boolean readLines(boolean last) throws IOException {
    boolean whole = true;
    // Opening a pipe would block the reader.
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      if (onChange != null) {
        compare(onChange);
      }
      if (Files.size(file) > read) {
        readOn();
      }
      modified = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS);
      whole = Files.size(file) <= read;
    } else if (read > 0 && onChange != null) {
      onChange.run();
      read = 0;
      beginning.reset();
    }
    if (last) {
      end();
    }
    return whole;
  }

  /** Continues at the first line that differs from the bytes read before, if any line differs. */
  private void compare(Runnable changed) throws IOException {
    FileTime now = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS);
    if (read == 0 || now.equals(modified)) {
      return;
    }
    long size;
    byte[] present;
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      size = in.length();
      present = new byte[(int) Math.min(size, beginning.size())];
      in.readFully(present);
    } catch (EOFException shortened) {
      return; // the next call sees the shorter file
    }
    byte[] before = beginning.toByteArray();
    int different = Arrays.mismatch(before, present);
    boolean isSame = different < 0 || different == present.length;
    if (isSame && size > read) {
      return;
    }
    changed.run();
    line.reset();
    if (isSame && size > present.length) {
      read = size; // longer than the compared beginning
      return;
    }
    int from = isSame ? present.length : different;
    while (from > 0 && before[from - 1] != '\n') {
      from--;
    }
    read = from;
    beginning.reset();
    beginning.write(before, 0, from);
  }

  private void readOn() throws IOException {
    // An interrupt would close a channel, so a RandomAccessFile is used.
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      byte[] piece = new byte[PIECE];
      long end = Math.min(in.length(), read + mostPerCall);
      in.seek(read);
      while (read < end) {
        int count = in.read(piece, 0, (int) Math.min(piece.length, end - read));
        if (count < 0) {
          return; // the file was shortened
        }
        read += count;
        if (onChange != null && beginning.size() < COMPARED) {
          beginning.write(piece, 0, Math.min(count, COMPARED - beginning.size()));
        }
        for (int i = 0; i < count; i++) {
          take(piece[i]);
        }
      }
    }
  }

  private void take(byte one) {
    if (one == '\n') {
      end();
    } else if (line.size() < longestLine) {
      line.write(one);
    }
  }

  private void end() {
    if (line.size() > 0) {
      String whole = line.toString(StandardCharsets.UTF_8);
      line.reset();
      lines.accept(whole);
    }
  }
}

package dev.ralph.core.internal.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Reads the lines that another process appends to a file, each once, while the file grows. What the
 * other process does to the file is its own affair: only a plain file is opened, and no line is
 * kept that is longer than allowed. Safe for several threads.
 */
public final class GrowingFile {

  private static final int PIECE = 64 * 1024;

  /** What a look reads at most: a file may seem to be larger than any disk. */
  private static final long MOST = 16 * 1024 * 1024;

  private final Path file;
  private final int longestLine;
  private final Consumer<String> lines;

  // Guarded by this.
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long read;

  /**
   * @param file need not be there yet
   * @param longestLine in bytes; a longer one is handed over cut to that length
   * @param lines receives each line without its line break, by the thread that looks
   */
  public GrowingFile(Path file, int longestLine, Consumer<String> lines) {
    this.file = file;
    this.longestLine = longestLine;
    this.lines = lines;
  }

  /** Reads the lines that have become whole since the last look. Not stopped by an interrupt. */
  public void look() throws IOException {
    look(false);
  }

  /** Reads what is left, the end of a line that was never finished too. */
  public void lookForTheLastTime() throws IOException {
    look(true);
  }

  private synchronized void look(boolean last) throws IOException {
    // A pipe would hold up its reader.
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) > read) {
      readOn();
    }
    if (last) {
      end();
    }
  }

  private void readOn() throws IOException {
    // Not by a channel, which an interrupt would close.
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      byte[] piece = new byte[PIECE];
      long end = Math.min(in.length(), read + MOST);
      in.seek(read);
      while (read < end) {
        int count = in.read(piece);
        if (count < 0) {
          return; // it has become shorter
        }
        read += count;
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

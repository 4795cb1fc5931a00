package dev.ralph.benchmarks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The baseline of appends: writes lines in the store's format to a channel. */
final class BareWriter implements AutoCloseable {

  private final BareLines lines;
  private final FileChannel log;
  private final FileChannel lock;

  /**
   * Creates the files.
   *
   * @param directory the directory of the files
   * @param lines creates the lines
   */
  BareWriter(Path directory, BareLines lines) throws IOException {
    Files.createDirectories(directory);
    this.lines = lines;
    this.log =
        FileChannel.open(
            directory.resolve("log"), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    this.lock =
        FileChannel.open(
            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  /** Discards the lines written so far. */
  void begin() {
    lines.clear();
  }

  /** Adds the line of a frame that is a batch by itself. */
  void line(int n) throws IOException {
    line(n, 1, 1);
  }

  /** Adds the line of a frame in a batch of several. */
  void line(int n, int part, int of) throws IOException {
    lines.add(n, part, of);
  }

  /** Writes the lines while holding the lock that a store uses. */
  void writeLocked() throws IOException {
    FileLock held = lock.lock();
    try {
      write();
    } finally {
      held.release();
    }
  }

  /** Writes and syncs the lines. */
  void writeForced() throws IOException {
    write();
    log.force(false);
  }

  private void write() throws IOException {
    ByteBuffer buffer = lines.bytes();
    while (buffer.hasRemaining()) {
      log.write(buffer);
    }
  }

  @Override
  public void close() throws IOException {
    log.close();
    lock.close();
  }
}

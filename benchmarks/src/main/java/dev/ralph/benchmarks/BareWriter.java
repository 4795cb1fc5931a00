package dev.ralph.benchmarks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The baseline of appending: lines of the store's form, written to a channel. */
final class BareWriter implements AutoCloseable {

  private final BareLines lines;
  private final FileChannel log;
  private final FileChannel lock;

  /**
   * Makes the files.
   *
   * @param lines what the lines are made by
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

  /** Forgets the lines written before. */
  void begin() {
    lines.clear();
  }

  /** Adds the line of a frame that is a batch of its own. */
  void line(int n) throws IOException {
    line(n, 1, 1);
  }

  /** Adds the line of a frame that is one of several in its batch. */
  void line(int n, int part, int of) throws IOException {
    lines.add(n, part, of);
  }

  /** Writes the lines under the lock that a store takes. */
  void writeLocked() throws IOException {
    FileLock held = lock.lock();
    try {
      write();
    } finally {
      held.release();
    }
  }

  /** Writes the lines and waits until they are on the disk. */
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

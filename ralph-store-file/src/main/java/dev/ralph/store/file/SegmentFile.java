package dev.ralph.store.file;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.Nullable;

/**
 * A segment as the appender has it open. Written under the store's lock, synced by any thread.
 *
 * <p>The system tells of a failed sync once, and drops what it could not write. So syncs go one at
 * a time, and after a failed one every further one fails.
 */
final class SegmentFile {

  private final RandomAccessFile file;
  private final ReentrantLock syncing = new ReentrantLock();
  @Nullable private volatile IOException failure;
  private boolean closed;

  /** Where the file stands after the last write, or -1 if that is not known. */
  private long at = -1;

  SegmentFile(File path) throws IOException {
    this.file = new RandomAccessFile(path, "rw");
  }

  long length() throws IOException {
    return file.length();
  }

  void write(long offset, byte[] bytes, int length) throws IOException {
    if (at != offset) {
      file.seek(offset);
    }
    at = -1;
    file.write(bytes, 0, length);
    at = offset + length;
  }

  byte[] read(long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    at = -1;
    file.seek(offset);
    file.readFully(bytes);
    return bytes;
  }

  void truncate(long length) throws IOException {
    at = -1; // the platform may move it
    file.setLength(length);
  }

  /** Returns whether what was written may have been lost, so that nothing more may be written. */
  boolean hasFailed() {
    return failure != null;
  }

  /** Makes durable what was written so far. */
  void sync() throws IOException {
    syncing.lock();
    try {
      IOException before = failure;
      if (before != null) {
        throw new IOException(before.getMessage(), before);
      }
      if (!closed) {
        file.getFD().sync();
      }
    } catch (IOException e) {
      failure = e;
      throw e;
    } finally {
      syncing.unlock();
    }
  }

  /** Makes durable what was written, for whoever still waits for that, and closes the file. */
  void syncAndClose() {
    try {
      sync();
    } catch (IOException e) {
      System.getLogger(SegmentFile.class.getName())
          .log(System.Logger.Level.WARNING, "a segment could not be synced", e);
    }
    close();
  }

  void close() {
    syncing.lock();
    try {
      closed = true;
      file.close();
    } catch (IOException e) {
      failure = e;
    } finally {
      syncing.unlock();
    }
  }
}

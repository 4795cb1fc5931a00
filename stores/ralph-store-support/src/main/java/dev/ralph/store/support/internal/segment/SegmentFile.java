package dev.ralph.store.support.internal.segment;

import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.file.FileIdentity;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An appender's open segment file. Writing requires the store's lock; any thread may sync.
 *
 * <p>The operating system reports a failed sync once, and drops the unwritten data. So syncs run
 * one at a time, and all syncs after a failure fail too.
 */
public final class SegmentFile {

  private final StoreFiles files;
  private final Path path;

  /** The identity of the file right before it was opened; null if unknown. */
  private final @Nullable FileIdentity identity;

  private final RandomAccessFile file;
  private final ReentrantLock syncing = new ReentrantLock();
  private volatile @Nullable IOException failure;
  private boolean closed;

  /** The file pointer after the last write, or -1 if unknown. */
  private long at = -1;

  /**
   * Opens a file of a store. The file should exist, because a new file would be readable by
   * everybody.
   */
  public SegmentFile(StoreFiles files, File path) throws IOException {
    this.files = files;
    this.path = path.toPath();
    this.identity = FileIdentity.of(this.path);
    this.file = files.openInPlace(this.path);
  }

  /** Returns true if the path still leads to this file, and the file has at least this length. */
  boolean isInPlace(long length) {
    FileIdentity now = FileIdentity.of(path);
    return now != null && now.size() >= length && (identity == null || identity.isSameFile(now));
  }

  /** Returns the length of the file in bytes. */
  public long length() throws IOException {
    return file.length();
  }

  /**
   * Writes the first bytes of an array.
   *
   * @param offset the offset in the file
   * @param length the number of bytes
   */
  public void write(long offset, byte[] bytes, int length) throws IOException {
    if (at != offset) {
      file.seek(offset);
    }
    at = -1;
    file.write(bytes, 0, length);
    at = offset + length;
  }

  /**
   * Reads bytes at an offset.
   *
   * @param length the number of bytes, all of which must exist
   */
  public byte[] read(long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    at = -1;
    file.seek(offset);
    file.readFully(bytes);
    return bytes;
  }

  /** Shortens the file. */
  public void truncate(long length) throws IOException {
    at = -1; // the platform may move the file pointer
    file.setLength(length);
  }

  /**
   * Returns true if written bytes may have been lost. After a loss no further bytes may be written.
   */
  public boolean hasFailed() {
    return failure != null;
  }

  /**
   * Makes all written bytes durable.
   *
   * @throws IOException if this or an earlier sync failed
   */
  public void sync() throws IOException {
    syncing.lock();
    try {
      IOException before = failure;
      if (before != null) {
        throw new IOException(before.getMessage(), before);
      }
      if (!closed) {
        files.sync(file);
      }
    } catch (IOException e) {
      failure = e;
      throw e;
    } finally {
      syncing.unlock();
    }
  }

  /** Closes the file; later syncs do nothing. */
  public void close() {
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

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
 * A segment as the appender has it open. Written under the store's lock, synced by any thread.
 *
 * <p>The system tells of a failed sync once, and drops what it could not write. So syncs go one at
 * a time, and after a failed one every further one fails.
 */
public final class SegmentFile {

  private final StoreFiles files;
  private final Path path;

  /** The file as it was right before it was opened; null where that can't be found out. */
  private final @Nullable FileIdentity identity;

  private final RandomAccessFile file;
  private final ReentrantLock syncing = new ReentrantLock();
  private volatile @Nullable IOException failure;
  private boolean closed;

  /** Where the file stands after the last write, or -1 if that is not known. */
  private long at = -1;

  /** Opens the file of a store, which must exist, or is made readable by everybody. */
  public SegmentFile(StoreFiles files, File path) throws IOException {
    this.files = files;
    this.path = path.toPath();
    this.identity = FileIdentity.of(this.path);
    this.file = files.openInPlace(this.path);
  }

  /** Returns whether its name still leads to it, and it has so many bytes there. */
  boolean isInPlace(long length) {
    FileIdentity now = FileIdentity.of(path);
    return now != null && now.size() >= length && (identity == null || identity.isSameFile(now));
  }

  /** Returns how long it is. */
  public long length() throws IOException {
    return file.length();
  }

  /** Writes the first bytes of an array there. */
  public void write(long offset, byte[] bytes, int length) throws IOException {
    if (at != offset) {
      file.seek(offset);
    }
    at = -1;
    file.write(bytes, 0, length);
    at = offset + length;
  }

  /** Returns the bytes that stand there. */
  public byte[] read(long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    at = -1;
    file.seek(offset);
    file.readFully(bytes);
    return bytes;
  }

  /** Cuts it off. */
  public void truncate(long length) throws IOException {
    at = -1; // the platform may move it
    file.setLength(length);
  }

  /** Returns whether what was written may have been lost, so that nothing more may be written. */
  public boolean hasFailed() {
    return failure != null;
  }

  /** Makes durable what was written so far. */
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

  /** Closes it; what is not synced yet need not be any more. */
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

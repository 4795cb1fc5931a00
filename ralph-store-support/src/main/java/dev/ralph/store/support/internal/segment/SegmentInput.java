package dev.ralph.store.support.internal.segment;

import dev.ralph.log.RalphException;
import dev.ralph.store.support.PrivateFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a log's segments. Keeps the segment that is being read open. For one thread, but for
 * {@link #close()}.
 */
public final class SegmentInput implements AutoCloseable {

  private final SegmentedLog log;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable RandomAccessFile file;
  private int segment;

  /** Where the file stands. */
  private long at;

  private volatile boolean closed;

  /** Opens nothing yet. */
  public SegmentInput(SegmentedLog log) {
    this.log = log;
  }

  /** Throws CLOSED once it is closed. */
  public void requireOpen() {
    if (closed) {
      throw RalphException.closed("this reader of the log");
    }
  }

  /**
   * Reads what stands there in a segment.
   *
   * @param from where in the array it goes
   * @param length how much to read at most
   * @return how much was read; nothing, or -1, where the segment ends before, or is not there
   */
  public int read(int ofSegment, long offset, byte[] to, int from, int length) {
    lock.lock();
    try {
      requireOpen();
      RandomAccessFile opened = opened(ofSegment);
      if (opened == null) {
        return 0;
      }
      if (at != offset) {
        opened.seek(offset);
      }
      int count = opened.read(to, from, length);
      at = offset + Math.max(count, 0);
      return count;
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot read " + log.file(ofSegment), e);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable RandomAccessFile opened(int ofSegment) throws IOException {
    if (segment != ofSegment) {
      release();
      segment = ofSegment;
    }
    if (file == null) {
      file = open(ofSegment);
      at = 0;
    }
    return file;
  }

  private @Nullable RandomAccessFile open(int ofSegment) throws IOException {
    try {
      return log.files().openToRead(log.file(ofSegment));
    } catch (FileNotFoundException e) {
      // It may have got another name at that very moment. Where it still can't be opened though it
      // is there, it may not be read.
      return log.file(ofSegment).exists() ? log.files().openToRead(log.file(ofSegment)) : null;
    }
  }

  /** Closes the file until something is read again. */
  public void release() {
    lock.lock();
    try {
      if (file != null) {
        file.close();
        file = null;
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot close " + log.file(segment), e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      release();
    } finally {
      lock.unlock();
    }
  }
}

package dev.ralph.store.support.internal.segment;

import dev.ralph.log.RalphException;
import dev.ralph.store.support.PrivateFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads bytes of a log's segments. Keeps the current segment open. Not thread-safe, except {@link
 * #close()}.
 */
public final class SegmentInput implements AutoCloseable {

  private final SegmentedLog log;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable SegmentSource file;
  private int segment;

  private volatile boolean closed;

  /** Creates an input without opening a file. */
  public SegmentInput(SegmentedLog log) {
    this.log = log;
  }

  /**
   * Checks that the input is open.
   *
   * @throws RalphException CLOSED after close
   */
  public void requireOpen() {
    if (closed) {
      throw RalphException.closed("this log reader");
    }
  }

  /**
   * Reads bytes of a segment.
   *
   * @param from the offset in the array
   * @param length the most bytes to read
   * @return the number of bytes read; 0 or -1 if the segment ends before the offset or is missing
   */
  public int read(int ofSegment, long offset, byte[] to, int from, int length) {
    lock.lock();
    try {
      requireOpen();
      SegmentSource opened = opened(ofSegment);
      return opened == null ? 0 : opened.read(offset, to, from, length);
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot read " + log.file(ofSegment), e);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable SegmentSource opened(int ofSegment) throws IOException {
    if (segment != ofSegment) {
      release();
      segment = ofSegment;
    }
    if (file == null) {
      file = open(ofSegment);
    }
    return file;
  }

  private @Nullable SegmentSource open(int ofSegment) throws IOException {
    try {
      return log.open(ofSegment);
    } catch (FileNotFoundException e) {
      // The file may have been renamed at this moment. If the file exists and a second attempt
      // fails, the file is not readable.
      return log.file(ofSegment).exists() ? log.open(ofSegment) : null;
    }
  }

  /** Closes the file until the next read. */
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

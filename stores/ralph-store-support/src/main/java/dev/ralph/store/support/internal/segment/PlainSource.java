package dev.ralph.store.support.internal.segment;

import java.io.IOException;
import java.io.RandomAccessFile;

/** The bytes of a segment in a file without compression. Not thread-safe. */
final class PlainSource implements SegmentSource {

  private final RandomAccessFile file;

  /** The file pointer. */
  private long at;

  PlainSource(RandomAccessFile file) {
    this.file = file;
  }

  @Override
  public long length() throws IOException {
    return file.length();
  }

  @Override
  public int read(long offset, byte[] to, int from, int length) throws IOException {
    if (at != offset) {
      file.seek(offset);
    }
    int count = file.read(to, from, length);
    at = offset + Math.max(count, 0);
    return count;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}

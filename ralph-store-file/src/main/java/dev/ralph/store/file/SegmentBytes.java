package dev.ralph.store.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import org.jspecify.annotations.Nullable;

/** Reads bytes of segments, and keeps the last segment open. Not thread-safe. */
final class SegmentBytes implements AutoCloseable {

  private final Segments segments;
  private int number;
  private @Nullable RandomAccessFile file;

  SegmentBytes(Segments segments) {
    this.segments = segments;
  }

  /**
   * Fills an array with bytes of a segment.
   *
   * @throws IOException if the segment is missing or too short
   */
  void read(int segment, long offset, byte[] to) throws IOException {
    RandomAccessFile in = open(segment);
    in.seek(offset);
    in.readFully(to);
  }

  /** Returns true if the segment exists and has at least this many bytes. */
  boolean has(int segment, long bytes) throws IOException {
    try {
      return open(segment).length() >= bytes;
    } catch (FileNotFoundException e) {
      if (segments.exists(segment)) {
        throw e;
      }
      return false;
    }
  }

  private RandomAccessFile open(int segment) throws IOException {
    RandomAccessFile open = file;
    if (open == null || segment != number) {
      close();
      open = segments.files().openToRead(segments.file(segment));
      file = open;
      number = segment;
    }
    return open;
  }

  @Override
  public void close() throws IOException {
    RandomAccessFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}

package dev.ralph.store.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import org.jspecify.annotations.Nullable;

/** Reads bytes of segments, and keeps the segment that was read last open. For one thread. */
final class SegmentInput implements AutoCloseable {

  private final Segments segments;
  private int number;
  private @Nullable RandomAccessFile file;

  SegmentInput(Segments segments) {
    this.segments = segments;
  }

  /**
   * Reads as many bytes as the array has room for.
   *
   * @throws IOException if the segment is missing or has fewer bytes
   */
  void read(int segment, long offset, byte[] to) throws IOException {
    RandomAccessFile in = open(segment);
    in.seek(offset);
    in.readFully(to);
  }

  /** Returns whether there is a segment of that number with at least that many bytes. */
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

package dev.ralph.store.file;

import dev.ralph.store.support.internal.segment.SegmentSource;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads bytes of segments, and keeps the last segment open. Not thread-safe. */
final class SegmentBytes implements AutoCloseable {

  private final Segments segments;
  private int number;
  private @Nullable SegmentSource file;

  SegmentBytes(Segments segments) {
    this.segments = segments;
  }

  /**
   * Fills an array with bytes of a segment.
   *
   * @throws IOException if the segment is missing or too short
   */
  void read(int segment, long offset, byte[] to) throws IOException {
    open(segment).readFully(offset, to);
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

  private SegmentSource open(int segment) throws IOException {
    SegmentSource open = file;
    if (open == null || segment != number) {
      close();
      open = segments.open(segment);
      file = open;
      number = segment;
    }
    return open;
  }

  @Override
  public void close() throws IOException {
    SegmentSource open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}

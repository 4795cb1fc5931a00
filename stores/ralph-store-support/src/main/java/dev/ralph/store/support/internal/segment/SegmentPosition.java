package dev.ralph.store.support.internal.segment;

/**
 * Converts between a position and the pair of segment number and offset. A frame's position is the
 * frame's end.
 */
public final class SegmentPosition {

  private static final int OFFSET_BITS = 40;
  private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

  private SegmentPosition() {}

  /** Returns the position of an offset in a segment. */
  public static long of(int segment, long offset) {
    return (long) segment << OFFSET_BITS | offset;
  }

  /** Returns the segment number of a position. */
  public static int segment(long position) {
    return (int) (position >>> OFFSET_BITS);
  }

  /** Returns the offset of a position in its segment. */
  public static long offset(long position) {
    return position & OFFSET_MASK;
  }
}

package dev.ralph.store.support.internal.segment;

/** Packs a segment's number and an offset in it into a position: a frame's is where it ends. */
public final class SegmentPosition {

  private static final int OFFSET_BITS = 40;
  private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

  private SegmentPosition() {}

  /** Returns the position of that offset in that segment. */
  public static long of(int segment, long offset) {
    return (long) segment << OFFSET_BITS | offset;
  }

  /** Returns the number of the segment that a position lies in. */
  public static int segment(long position) {
    return (int) (position >>> OFFSET_BITS);
  }

  /** Returns the offset of a position in its segment. */
  public static long offset(long position) {
    return position & OFFSET_MASK;
  }
}

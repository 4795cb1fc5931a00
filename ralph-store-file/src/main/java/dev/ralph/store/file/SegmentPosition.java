package dev.ralph.store.file;

/**
 * Packs a segment's number and an offset in it into a position: a frame's is where its line ends.
 */
final class SegmentPosition {

  private static final int OFFSET_BITS = 40;
  private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

  private SegmentPosition() {}

  static long of(int segment, long offset) {
    return (long) segment << OFFSET_BITS | offset;
  }

  static int segment(long position) {
    return (int) (position >>> OFFSET_BITS);
  }

  static long offset(long position) {
    return position & OFFSET_MASK;
  }
}

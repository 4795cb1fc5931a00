package dev.ralph.store.file;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Long ranges of zeros in segments, as in the hole of a sparse file. A process reads each range
 * once, because Java can't ask the file system for holes. Safe for use by many threads.
 *
 * <p>A range may be cut off and overwritten later, so a reader has to check its last bytes.
 */
final class ZeroRanges {

  /** The minimum length of a range, in bytes. */
  static final long SHORTEST = 1024 * 1024;

  private static final int MOST_PER_SEGMENT = 1_000;

  private final Map<Integer, TreeMap<Long, Long>> ends = new HashMap<>();

  /** Records that the bytes from one offset to another are zero; ignores short ranges. */
  synchronized void add(int segment, long from, long to) {
    if (to - from < SHORTEST) {
      return;
    }
    TreeMap<Long, Long> ranges = ends.get(segment);
    if (ranges == null) {
      ranges = new TreeMap<>();
      ends.put(segment, ranges);
    }
    if (ranges.size() >= MOST_PER_SEGMENT) {
      ranges.clear();
    }
    ranges.put(from, to);
  }

  /** Returns the end of a recorded range around an offset, or the offset if none exists. */
  synchronized long end(int segment, long offset) {
    TreeMap<Long, Long> ranges = ends.get(segment);
    Map.Entry<Long, Long> range = ranges == null ? null : ranges.floorEntry(offset);
    return range == null ? offset : Math.max(offset, range.getValue());
  }
}

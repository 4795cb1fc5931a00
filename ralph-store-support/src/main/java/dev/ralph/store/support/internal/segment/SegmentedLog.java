package dev.ralph.store.support.internal.segment;

import dev.ralph.store.support.StoreFiles;
import java.io.File;

/** A log that is kept in segments. Only the newest grows. Safe for use by many threads. */
public interface SegmentedLog {

  /**
   * How much log one entry of an index covers at the least: what a reader of a rare topic reads for
   * one frame.
   */
  int BLOCK_BYTES = 64 * 1024;

  /** Returns the files of the store that the log is in. */
  StoreFiles files();

  /** Returns the number of the newest segment, or 0 if there is none. */
  int last();

  /** Returns the number of the segment before that one, or 0 if it is the first. */
  int before(int segment);

  /** Returns the file of a segment, which need not exist. */
  File file(int segment);

  /** Returns how many bytes of log a segment holds. */
  long length(int segment);

  /**
   * As {@link #length(int)}, for somebody who has just looked at the segment's file.
   *
   * @param fileBytes how many bytes the file has, be they log or not
   */
  default long length(int segment, long fileBytes) {
    return length(segment);
  }
}

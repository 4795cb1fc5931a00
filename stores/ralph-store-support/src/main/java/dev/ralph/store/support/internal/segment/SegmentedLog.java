package dev.ralph.store.support.internal.segment;

import dev.ralph.store.support.StoreFiles;
import java.io.File;
import java.io.IOException;

/** A log in segments, of which only the newest grows. Safe for use by many threads. */
public interface SegmentedLog {

  /**
   * The minimum length of an indexed block, in bytes. A reader of a rare topic reads at most about
   * one block for each frame.
   */
  int BLOCK_BYTES = 64 * 1024;

  /** Returns the files of the store. */
  StoreFiles files();

  /** Returns the number of the newest segment, or 0 if none exists. */
  int last();

  /** Returns the number of the preceding segment, or 0 for the first segment. */
  int before(int segment);

  /** Returns the file of a segment, which need not exist. */
  File file(int segment);

  /**
   * Opens a segment for reading.
   *
   * @throws java.io.FileNotFoundException if the segment is missing or not readable
   */
  default SegmentSource open(int segment) throws IOException {
    return SegmentSource.of(files().openToRead(file(segment)));
  }

  /** Returns true if removed frames were at a position, so that their bytes can't be compared. */
  default boolean isInGap(long position) {
    return false;
  }

  /** Returns the length of the log in a segment, in bytes. */
  long length(int segment);

  /**
   * Returns the length of the log in a segment, for callers that know the current size of its file.
   *
   * @param fileBytes the size of the file in bytes, including bytes that are not part of the log
   */
  default long length(int segment, long fileBytes) {
    return length(segment);
  }
}

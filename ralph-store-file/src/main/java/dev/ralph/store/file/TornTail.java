package dev.ralph.store.file;

import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.segment.SegmentFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Copies what is cut off the end of a log, of whatever size, with little memory. */
final class TornTail {

  private static final int PIECE_BYTES = 1024 * 1024;

  private TornTail() {}

  /**
   * Copies a part of a segment durably.
   *
   * @param zeros from where on there is nothing but zeros, which take no room in the copy
   * @param copy where it goes; it is there as a whole, or not at all
   */
  static void copy(SegmentFile segment, long from, long zeros, long to, StoreFiles files, Path copy)
      throws IOException {
    Path unfinished = copy.resolveSibling(copy.getFileName() + ".unfinished");
    files.createFile(unfinished);
    try (RandomAccessFile out = files.openInPlace(unfinished)) {
      for (long at = from; at < zeros; at += PIECE_BYTES) {
        out.write(segment.read(at, (int) Math.min(PIECE_BYTES, zeros - at)));
      }
      out.setLength(to - from);
      files.sync(out);
    }
    files.move(unfinished, copy, StandardCopyOption.ATOMIC_MOVE);
    files.syncFolder(copy.resolveSibling(""));
  }
}

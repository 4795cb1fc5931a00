package dev.ralph.store.file;

import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.segment.SegmentFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Copies the removed end of a log, of any size, with little memory. */
final class TornTail {

  private static final int PIECE_BYTES = 1024 * 1024;

  private TornTail() {}

  /**
   * Copies a part of a segment durably.
   *
   * @param zeros the offset after which all bytes are zero, for which the copy needs no disk space
   * @param copy the path of the copy, which is created atomically
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

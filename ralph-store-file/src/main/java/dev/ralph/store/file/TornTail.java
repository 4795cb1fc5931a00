package dev.ralph.store.file;

import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.SegmentFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
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
   * @param name the copy's name in the folder; it is there as a whole, or not at all
   */
  static void copy(SegmentFile segment, long from, long zeros, long to, Path folder, String name)
      throws IOException {
    Path unfinished = folder.resolve(name + ".unfinished");
    PrivateFiles.createFile(unfinished);
    try (RandomAccessFile out = new RandomAccessFile(unfinished.toFile(), "rw")) {
      for (long at = from; at < zeros; at += PIECE_BYTES) {
        out.write(segment.read(at, (int) Math.min(PIECE_BYTES, zeros - at)));
      }
      out.setLength(to - from);
      out.getFD().sync();
    }
    Files.move(unfinished, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    PrivateFiles.syncDirectory(folder);
  }
}

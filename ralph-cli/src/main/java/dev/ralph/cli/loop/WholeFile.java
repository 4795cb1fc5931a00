package dev.ralph.cli.loop;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A file that a command writes for its user: as a whole, or not at all. */
final class WholeFile {

  private WholeFile() {}

  /** Returns whether something stands where the file is to be. */
  static boolean isThere(Path file) {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Writes a file in place of any that is there. A link there is replaced, never followed, and so
   * is one in the place of the unfinished file: they may have come with a clone.
   */
  static void write(Path file, String text) {
    try {
      Path part = file.resolveSibling(file.getFileName() + ".part");
      Files.deleteIfExists(part);
      try {
        Files.writeString(part, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(part);
      }
    } catch (IOException e) {
      throw RalphException.io(file + " can't be written: " + e.getMessage(), e);
    }
  }
}

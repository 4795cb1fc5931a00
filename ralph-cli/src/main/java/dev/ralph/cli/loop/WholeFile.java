package dev.ralph.cli.loop;

import dev.ralph.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A file that a command writes for its user: as a whole, or not at all. */
final class WholeFile {

  private WholeFile() {}

  /** Returns whether something stands where the file is to be. */
  static boolean isThere(Path file) {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  /** Writes a file in place of any that is there, or that a link there leads to. */
  static void write(Path file, String text) {
    try {
      Path target = Files.exists(file) ? file.toRealPath() : file;
      Path part = target.resolveSibling(target.getFileName() + ".part");
      try {
        Files.writeString(part, text);
        Files.move(
            part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(part);
      }
    } catch (IOException e) {
      throw RalphException.io(file + " can't be written: " + e.getMessage(), e);
    }
  }
}

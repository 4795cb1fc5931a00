package dev.ralph.cli.loop;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes a user's file atomically. */
public final class WholeFile {

  private WholeFile() {}

  /** Returns whether the path of the file is in use. */
  public static boolean isThere(Path file) {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Writes a file, and replaces an existing file. Links at the path or at the temporary path are
   * replaced and not followed, because they may come from a clone.
   */
  public static void write(Path file, String text) {
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
      throw RalphException.io("cannot write " + file + ": " + e.getMessage(), e);
    }
  }
}

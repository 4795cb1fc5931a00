package dev.ralph.tck;

import java.nio.file.Path;

/** The files that this process has open, where the system tells. */
final class OpenFiles {

  private static final Path OPEN_FILES = Path.of("/proc/self/fd");

  private OpenFiles() {}

  static boolean isKnown() {
    return OPEN_FILES.toFile().isDirectory();
  }

  /** Returns how many there are; 0 where that is not known. */
  static int count() {
    String[] open = OPEN_FILES.toFile().list();
    return open == null ? 0 : open.length;
  }
}

package dev.ralph.tck;

import java.nio.file.Path;

/** Counts the open files of this process, if the system supports it. */
final class OpenFiles {

  private static final Path OPEN_FILES = Path.of("/proc/self/fd");

  private OpenFiles() {}

  static boolean isKnown() {
    return OPEN_FILES.toFile().isDirectory();
  }

  /** Returns the number of open files; 0 if unknown. */
  static int count() {
    String[] open = OPEN_FILES.toFile().list();
    return open == null ? 0 : open.length;
  }
}

package dev.ralph.core.internal.loop;

import java.util.Optional;

/** Whether the files that an agent works on change, from one look to the next. For one thread. */
final class FileChanges {

  private final WorkFolder folder;

  /** What the folder looked like; empty where nobody has looked yet, or that can't be told. */
  private Optional<Long> files = Optional.empty();

  private boolean haveLooked;

  FileChanges(WorkFolder folder) {
    this.folder = folder;
  }

  /** Looks for the first time, unless that was done. */
  void begin() {
    if (!haveLooked) {
      files = folder.look();
      haveLooked = true;
    }
  }

  /** Looks again; returns whether anything has changed, or that can't be told. */
  boolean since() {
    Optional<Long> before = files;
    files = folder.look();
    return before.isEmpty() || files.isEmpty() || !files.equals(before);
  }
}

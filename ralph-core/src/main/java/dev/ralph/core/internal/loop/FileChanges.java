package dev.ralph.core.internal.loop;

import java.util.Optional;

/** Detects changes of an agent's files between two looks. Not thread-safe. */
final class FileChanges {

  private final WorkFolder folder;

  /** The digest of the folder; empty before the first look, or if it is unknown. */
  private Optional<Long> files = Optional.empty();

  private boolean haveLooked;

  FileChanges(WorkFolder folder) {
    this.folder = folder;
  }

  WorkFolder folder() {
    return folder;
  }

  /** Takes the first look, unless it was taken. */
  void begin() {
    if (!haveLooked) {
      files = folder.look();
      haveLooked = true;
    }
  }

  /** Looks again; returns whether a file has changed, or changes are unknown. */
  boolean since() {
    Optional<Long> before = files;
    files = folder.look();
    return before.isEmpty() || files.isEmpty() || !files.equals(before);
  }
}

package dev.ralph.core.internal.loop;

import java.util.Optional;

/** Detects changes of an agent's files between two looks. Not thread-safe. */
final class FileChanges {

  private final WorkFolder folder;

  /** The digest of the folder; empty before {@link #begin}, or if the digest is unknown. */
  private Optional<Long> files = Optional.empty();

  private boolean hasBegun;

  FileChanges(WorkFolder folder) {
    this.folder = folder;
  }

  WorkFolder folder() {
    return folder;
  }

  /** Computes the first digest, unless this method was called before. */
  void begin() {
    if (!hasBegun) {
      files = folder.digest();
      hasBegun = true;
    }
  }

  /** Computes the digest again; returns whether a file has changed, or changes are unknown. */
  boolean since() {
    Optional<Long> before = files;
    files = folder.digest();
    return before.isEmpty() || files.isEmpty() || !files.equals(before);
  }
}

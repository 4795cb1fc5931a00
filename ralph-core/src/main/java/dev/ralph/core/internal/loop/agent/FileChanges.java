package dev.ralph.core.internal.loop.agent;

import dev.ralph.core.internal.loop.run.WorkFolder;
import java.util.Optional;

/** Detects changes of an agent's files between two looks. Not thread-safe. */
public final class FileChanges {

  private final WorkFolder folder;

  /** The digest of the folder; empty before {@link #begin}, or if the digest is unknown. */
  private Optional<Long> files = Optional.empty();

  private boolean hasBegun;

  public FileChanges(WorkFolder folder) {
    this.folder = folder;
  }

  public WorkFolder folder() {
    return folder;
  }

  /** Computes the first digest, unless this method was called before. */
  public void begin() {
    if (!hasBegun) {
      files = folder.digest();
      hasBegun = true;
    }
  }

  /** Computes the digest again; returns whether a file has changed, or changes are unknown. */
  public boolean since() {
    Optional<Long> before = files;
    files = folder.digest();
    return before.isEmpty() || files.isEmpty() || !files.equals(before);
  }
}

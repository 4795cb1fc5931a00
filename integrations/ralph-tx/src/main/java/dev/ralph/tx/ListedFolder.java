package dev.ralph.tx;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * Lists the folder of the messages, and detects whether it must be listed again. Not thread-safe.
 */
final class ListedFolder {

  /** A folder may change twice within this time and keep its timestamp. */
  private static final long TICK_MILLIS = 1_000;

  private static final FileTime NEVER = FileTime.fromMillis(0);

  private final TxFolder folder;

  /**
   * The folder's timestamp at the last listing; null if a later change could have the same
   * timestamp.
   */
  private @Nullable FileTime listed;

  ListedFolder(TxFolder folder) {
    this.folder = folder;
  }

  /** Returns the names of all files in the folder. */
  String[] list() {
    FileTime before = time();
    String[] names = folder.allNames();
    boolean isSettled = System.currentTimeMillis() - before.toMillis() > TICK_MILLIS;
    listed = isSettled ? before : null;
    return names;
  }

  /** Returns whether the names may have changed since the last listing. */
  boolean mayHaveChanged() {
    return !time().equals(listed);
  }

  private FileTime time() {
    try {
      return Files.getLastModifiedTime(folder.messages());
    } catch (IOException missing) {
      return NEVER;
    }
  }
}

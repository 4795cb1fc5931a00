package dev.ralph.tx;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * The folder of the messages, which is listed again only if it has changed since. For one thread.
 */
final class ListedFolder {

  /** Within this a folder may change twice and keep its time. */
  private static final long TICK_MILLIS = 1_000;

  private static final FileTime NEVER = FileTime.fromMillis(0);

  private final TxFolder folder;

  /** The folder's time when it was listed; null if it may have changed since in the same tick. */
  private @Nullable FileTime listed;

  ListedFolder(TxFolder folder) {
    this.folder = folder;
  }

  /** Returns the names of all that is in the folder. */
  String[] list() {
    FileTime before = time();
    String[] names = folder.allNames();
    boolean isSettled = System.currentTimeMillis() - before.toMillis() > TICK_MILLIS;
    listed = isSettled ? before : null;
    return names;
  }

  /** Returns whether there may be other names in the folder than when it was listed. */
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

package dev.ralph.store.chronicle;

import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.file.FolderWatch;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Notifies followers in other processes of appended frames. Writes to mapped memory cause no file
 * events, so an append also writes a byte to the file {@code wake/appended} while the log has
 * followers.
 */
final class WakeFile implements AutoCloseable {

  /** The name of the folder with the file. */
  static final String WAKE = "wake";

  private final StoreFiles files;
  private final Path directory;
  private final LogEnd end;
  private final FolderWatch others;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean watching;
  private boolean closed;
  private @Nullable RandomAccessFile file;

  WakeFile(StoreFiles files, LogEnd end) {
    this.files = files;
    this.directory = files.path(WAKE);
    this.end = end;
    this.others = new FolderWatch(directory, this::watch);
  }

  /** Returns the watch for appends of other processes. */
  FolderWatch others() {
    return others;
  }

  private void watch() {
    lock.lock();
    try {
      if (!watching && !closed) {
        watching = true;
        end.follow(1);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Notifies followers in other processes of an append. */
  void poke() {
    if (!end.isFollowed()) {
      return;
    }
    lock.lock();
    try {
      if (file == null) {
        Path path = directory.resolve("appended");
        files.createFile(path);
        file = files.openInPlace(path);
      }
      file.seek(0);
      file.write('.');
    } catch (IOException | RuntimeException e) {
      System.getLogger(WakeFile.class.getName())
          .log(
              System.Logger.Level.DEBUG,
              "cannot notify followers in other processes, which find the frames by polling",
              e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      if (watching) {
        watching = false;
        end.follow(-1);
      }
      if (file != null) {
        file.close();
        file = null;
      }
    } catch (IOException e) {
      System.getLogger(WakeFile.class.getName())
          .log(System.Logger.Level.WARNING, "cannot close a file in " + directory, e);
    } finally {
      lock.unlock();
    }
  }
}

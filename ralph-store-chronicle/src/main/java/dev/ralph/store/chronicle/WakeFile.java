package dev.ralph.store.chronicle;

import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.file.FolderWatch;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tells the followers of other processes of an append. What is written to memory, as Chronicle
 * does, brings no notice of a changed file; so a byte is written to a file of its own, {@code
 * wake/appended}, as long as anybody follows.
 */
final class WakeFile implements AutoCloseable {

  /** The name of its folder. */
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

  /** Returns what tells of other processes' appends. */
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

  /** Says that something was appended. */
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
          .log(System.Logger.Level.DEBUG, "followers of other processes find out later", e);
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

package dev.ralph.store.chronicle;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A temporary folder that a killed process does not leave for ever: each one deletes what others of
 * this user have left. A process holds the lock of a file in its folder as long as it lives,
 * whichever way it ends; and the folder's name has its pid, for the moment before that.
 */
final class ScratchFolder implements AutoCloseable {

  private static final String PREFIX = "ralph-chronicle-";
  private static final String OWN_PREFIX = PREFIX + ProcessHandle.current().pid() + "-";
  private static final String LOCK = "in-use";

  /** It takes a second, and minutes on a machine that is very busy. */
  private static final Duration LONGEST_USE = Duration.ofHours(1);

  private final Path folder;
  private final RandomAccessFile lock;

  private ScratchFolder(Path folder, RandomAccessFile lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /** Makes one in the folder for temporary files, and deletes those that were left there. */
  static ScratchFolder make(Path temporary) throws IOException {
    Path folder = Files.createTempDirectory(temporary, OWN_PREFIX);
    RandomAccessFile lock = new RandomAccessFile(folder.resolve(LOCK).toFile(), "rw");
    lock.getChannel().lock();
    deleteThoseLeft(folder);
    return new ScratchFolder(folder, lock);
  }

  Path path() {
    return folder;
  }

  private static void deleteThoseLeft(Path own) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(own.getParent(), PREFIX + "*")) {
      UserPrincipal owner = Files.getOwner(own);
      for (Path folder : all) {
        // To look at the lock of one of this process's own would end it.
        if (!folder.getFileName().toString().startsWith(OWN_PREFIX)
            && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
            && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(owner)) {
          deleteIfLeft(folder);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      log("temporary files of others may be left", e);
    }
  }

  private static void deleteIfLeft(Path folder) {
    try {
      if (isLeft(folder)) {
        delete(folder);
      }
    } catch (IOException e) {
      log(folder + " is left", e);
    }
  }

  private static boolean isLeft(Path folder) throws IOException {
    File lock = folder.resolve(LOCK).toFile();
    if (!Files.isRegularFile(lock.toPath(), LinkOption.NOFOLLOW_LINKS)) {
      return isOfDead(folder);
    }
    try (RandomAccessFile file = new RandomAccessFile(lock, "rw");
        FileLock free = file.getChannel().tryLock()) {
      return free != null;
    }
  }

  /** Goes by the pid in the name; earlier versions put in none, so by the age then. */
  private static boolean isOfDead(Path folder) throws IOException {
    String name = folder.getFileName().toString();
    int end = name.indexOf('-', PREFIX.length());
    try {
      if (end > 0) {
        Optional<ProcessHandle> process =
            ProcessHandle.of(Long.parseLong(name, PREFIX.length(), end, 10));
        return process.isEmpty() || !process.get().isAlive();
      }
    } catch (NumberFormatException none) {
      // by the age
    }
    Instant old = Instant.now().minus(LONGEST_USE);
    return Files.getLastModifiedTime(folder, LinkOption.NOFOLLOW_LINKS).toInstant().isBefore(old);
  }

  private static void delete(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        if (!file.endsWith(LOCK)) {
          Files.delete(file);
        }
      }
    }
    Files.deleteIfExists(folder.resolve(LOCK)); // last: until then the next one finds it again
    Files.delete(folder);
  }

  private static void log(String what, Exception e) {
    System.getLogger(ScratchFolder.class.getName()).log(System.Logger.Level.DEBUG, what, e);
  }

  @Override
  public void close() throws IOException {
    try {
      delete(folder);
    } finally {
      lock.close();
    }
  }
}

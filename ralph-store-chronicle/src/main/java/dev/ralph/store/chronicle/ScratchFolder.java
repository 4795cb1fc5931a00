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
 * A temporary folder. Creating a folder deletes the folders that killed processes of the same user
 * have left. A process locks a file in its folder until the process ends. The folder's name
 * contains the process id, which identifies the owner before the file is locked.
 */
final class ScratchFolder implements AutoCloseable {

  private static final String PREFIX = "ralph-chronicle-";
  private static final String OWN_PREFIX = PREFIX + ProcessHandle.current().pid() + "-";
  private static final String LOCK = "in-use";

  /** The age after which a folder without a process id is deleted. Use takes minutes at most. */
  private static final Duration MAX_AGE = Duration.ofHours(1);

  private final Path folder;
  private final RandomAccessFile lock;

  private ScratchFolder(Path folder, RandomAccessFile lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /** Creates a folder in the folder for temporary files, and deletes abandoned folders there. */
  static ScratchFolder create(Path temporary) throws IOException {
    Path folder = Files.createTempDirectory(temporary, OWN_PREFIX);
    RandomAccessFile lock = new RandomAccessFile(folder.resolve(LOCK).toFile(), "rw");
    lock.getChannel().lock();
    deleteAbandoned(folder);
    return new ScratchFolder(folder, lock);
  }

  Path path() {
    return folder;
  }

  private static void deleteAbandoned(Path own) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(own.getParent(), PREFIX + "*")) {
      UserPrincipal owner = Files.getOwner(own);
      for (Path folder : all) {
        // Closing a file releases all locks that this process holds on the file.
        if (!folder.getFileName().toString().startsWith(OWN_PREFIX)
            && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
            && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(owner)) {
          deleteIfAbandoned(folder);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      log("cannot search for abandoned temporary folders", e);
    }
  }

  private static void deleteIfAbandoned(Path folder) {
    try {
      if (isAbandoned(folder)) {
        delete(folder);
      }
    } catch (IOException e) {
      log("cannot delete " + folder, e);
    }
  }

  private static boolean isAbandoned(Path folder) throws IOException {
    File lock = folder.resolve(LOCK).toFile();
    if (!Files.isRegularFile(lock.toPath(), LinkOption.NOFOLLOW_LINKS)) {
      return isOwnerDead(folder);
    }
    try (RandomAccessFile file = new RandomAccessFile(lock, "rw");
        FileLock free = file.getChannel().tryLock()) {
      return free != null;
    }
  }

  /** Checks the process id in the folder's name, or the age for names of earlier versions. */
  private static boolean isOwnerDead(Path folder) throws IOException {
    String name = folder.getFileName().toString();
    int end = name.indexOf('-', PREFIX.length());
    try {
      if (end > 0) {
        Optional<ProcessHandle> process =
            ProcessHandle.of(Long.parseLong(name, PREFIX.length(), end, 10));
        return process.isEmpty() || !process.get().isAlive();
      }
    } catch (NumberFormatException none) {
      // check the age
    }
    Instant old = Instant.now().minus(MAX_AGE);
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
    Files.deleteIfExists(folder.resolve(LOCK)); // last, so that an interrupted deletion is repeated
    Files.delete(folder);
  }

  private static void log(String problem, Exception e) {
    System.getLogger(ScratchFolder.class.getName()).log(System.Logger.Level.DEBUG, problem, e);
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

package dev.ralph.core.internal.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder for temporary files that only this user can read. {@link #close} deletes the folder with
 * all files. The folders of killed processes are deleted when the next folder is created. A lock,
 * which ends with its process, marks folders in use.
 */
public final class PrivateFolder implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(PrivateFolder.class.getPackageName());
  private static final String PREFIX = "ralph-agent-";
  private static final String LOCK = "lock";

  /**
   * The age after which a folder without a lock is deleted: a new folder has no lock yet. A locked
   * folder has a lock file that is not empty.
   */
  private static final Duration YOUNG = Duration.ofMinutes(1);

  /**
   * The folders of this process. Their lock files must not be opened, because closing any channel
   * of a file releases the lock of the process.
   */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  /**
   * The time of the last search for leftover folders, in nanoseconds; null before the first search.
   */
  private static final AtomicReference<@Nullable Long> LAST_CLEANUP = new AtomicReference<>();

  private final Path folder;
  private final FileChannel lock;

  private PrivateFolder(Path folder, FileChannel lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * Creates a folder in the system's folder for temporary files. An interrupt does not fail the
   * call and stays pending.
   */
  public static PrivateFolder create() throws IOException {
    Path parent = Path.of(System.getProperty("java.io.tmpdir"));
    Long last = LAST_CLEANUP.get();
    long now = System.nanoTime();
    // Only killed processes leave folders, and each start of an agent creates some.
    if (last != null && now - last < YOUNG.toNanos()) {
      return make(parent);
    }
    LAST_CLEANUP.set(now);
    return create(parent, Instant.now());
  }

  /** Creates a folder in a parent folder, and deletes the leftover folders in the parent. */
  static PrivateFolder create(Path parent, Instant now) throws IOException {
    PrivateFolder made = make(parent);
    sweep(parent, Files.getOwner(made.folder), now);
    return made;
  }

  private static PrivateFolder make(Path parent) throws IOException {
    Path folder = Files.createTempDirectory(parent, PREFIX);
    OWN.add(folder);
    RandomAccessFile file = new RandomAccessFile(folder.resolve(LOCK).toFile(), "rw");
    FileChannel lock = file.getChannel(); // its close method closes the file
    FileLock unused = lock.tryLock(); // others ignore a young folder with an empty lock file
    file.write('\n'); // unlike a write to the channel, not failed by an interrupt
    return new PrivateFolder(folder, lock);
  }

  /** Returns the path of a file in the folder. The file need not exist. */
  public Path file(String name) {
    return folder.resolve(name);
  }

  private static void sweep(Path parent, UserPrincipal owner, Instant now) {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, PREFIX + "*")) {
      for (Path folder : folders) {
        FileTime made = Files.getLastModifiedTime(folder, LinkOption.NOFOLLOW_LINKS);
        if (!OWN.contains(folder)
            && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
            && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(owner)
            && (made.toInstant().isBefore(now.minus(YOUNG)) || wasLocked(folder))) {
          removeIfLeft(folder);
        }
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "temporary files of earlier runs may remain in " + parent, e);
    }
  }

  private static boolean wasLocked(Path folder) {
    try {
      Path file = folder.resolve(LOCK);
      return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).size()
          > 0;
    } catch (IOException notYet) {
      return false;
    }
  }

  private static void removeIfLeft(Path folder) throws IOException {
    try (FileChannel lock =
            FileChannel.open(
                folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = lock.tryLock()) {
      if (held != null) {
        remove(folder);
      }
    } catch (OverlappingFileLockException inUse) {
      // Used by this process, which has loaded this class twice.
    }
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  @Override
  public void close() {
    try (lock) {
      remove(folder);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "temporary files remain in " + folder, e);
    } finally {
      OWN.remove(folder);
    }
  }
}

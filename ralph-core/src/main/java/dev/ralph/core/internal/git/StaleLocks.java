package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.Procfs;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Removes lock files of Git processes that were killed, in folders that only Ralph uses. */
public final class StaleLocks {

  /** In a repository's own folder: the repository belongs to a host alone. */
  private static final String HOSTED = "ralph-hosted";

  /** Git holds a lock longer than this only if it has much to write. */
  private static final Duration STALE = Duration.ofSeconds(3);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

  /** Objects are written under other names; there are too many folders to search. */
  private static final String OBJECTS = "objects";

  private StaleLocks() {}

  /**
   * Removes a lock file if it is older than three seconds and no git process works in a folder.
   *
   * @param lock the file; the caller decides that only Ralph and its agents create it
   * @param folder of the processes that could hold it
   * @return whether the lock was removed
   */
  public static boolean remove(Path lock, Path folder) {
    try {
      Instant made = Files.getLastModifiedTime(lock, LinkOption.NOFOLLOW_LINKS).toInstant();
      return made.isBefore(Instant.now().minus(STALE))
          && !isAnyGitIn(folder)
          && Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)
          && Files.deleteIfExists(lock);
    } catch (IOException gone) {
      return false;
    }
  }

  /**
   * Waits at most ten seconds until a work tree's index and HEAD are not locked, and removes their
   * locks as {@link #remove} does.
   *
   * @param own the work tree's own folder of Git
   * @param root the top folder of the work tree
   */
  public static void awaitFree(Path own, Path root) throws InterruptedException {
    long begun = System.nanoTime();
    for (String name : List.of("index.lock", "HEAD.lock")) {
      Path lock = own.resolve(name);
      while (Files.exists(lock, LinkOption.NOFOLLOW_LINKS)
          && !remove(lock, root)
          && System.nanoTime() - begun < LONGEST_WAIT.toNanos()) {
        Thread.sleep(LOOK_AGAIN.toMillis());
      }
    }
  }

  /**
   * Marks a repository as a host's own, and removes all lock files in it once no git process works
   * there. Leaves them after ten seconds. The caller holds the session's branch.
   *
   * @param own the repository's own folder
   * @param folder the folder of the repository, with its work trees
   */
  public static void removeAll(Path own, Path folder) throws InterruptedException {
    try {
      Path mark = own.resolve(HOSTED);
      if (Files.notExists(mark)) {
        Files.writeString(mark, "");
      }
      List<Path> locks = locks(own);
      Instant end = Instant.now().plus(LONGEST_WAIT);
      while (!locks.isEmpty() && isAnyGitIn(folder) && Instant.now().isBefore(end)) {
        Thread.sleep(LOOK_AGAIN.toMillis());
      }
      if (!locks.isEmpty() && !isAnyGitIn(folder)) {
        for (Path lock : locks) {
          Files.deleteIfExists(lock);
        }
      }
    } catch (IOException e) {
      throw GitTrees.failed("can't remove lock files in " + own, e);
    }
  }

  /** Returns whether a repository belongs to a host alone, so that every lock in it does. */
  public static boolean isHosted(Path own) {
    return Files.exists(own.resolve(HOSTED));
  }

  private static List<Path> locks(Path own) throws IOException {
    List<Path> locks = new ArrayList<>();
    Files.walkFileTree(
        own,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return folder.equals(own.resolve(OBJECTS))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            // Ralph's own lock stays: processes lock its contents, not its name.
            String name = file.getFileName().toString();
            if (name.endsWith(".lock") && !file.equals(own.resolve(MetadataLock.FILE))) {
              locks.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
          }
        });
    return locks;
  }

  private static boolean isAnyGitIn(Path folder) {
    List<Long> pids = Procfs.pids();
    if (pids.isEmpty()) { // not Linux: nothing tells where a process works
      return ProcessHandle.allProcesses()
          .anyMatch(each -> each.info().command().filter(StaleLocks::isGit).isPresent());
    }
    Path real = GitTrees.real(folder);
    return pids.stream().anyMatch(pid -> isGitIn(pid, real));
  }

  private static boolean isGit(String command) {
    String name = String.valueOf(Path.of(command).getFileName());
    return name.equals("git") || name.startsWith("git-") || name.equals("git.exe");
  }

  private static boolean isGitIn(long pid, Path folder) {
    Path process = Path.of("/proc", Long.toString(pid));
    try {
      return Files.readSymbolicLink(process.resolve("cwd")).startsWith(folder)
          && isGit(Files.readString(process.resolve("comm")).strip());
    } catch (IOException | RuntimeException goneOrAnothers) {
      return false;
    }
  }
}

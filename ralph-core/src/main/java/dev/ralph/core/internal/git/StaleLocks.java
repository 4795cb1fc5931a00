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

/** Removes lock files of killed Git processes, in folders that only Ralph uses. */
public final class StaleLocks {

  /** The marker file in the Git folder of a repository that only one host uses. */
  private static final String HOSTED = "ralph-hosted";

  /** The age of a stale lock. Git holds a lock longer only for large writes. */
  private static final Duration STALE = Duration.ofSeconds(3);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
  private static final Duration RETRY_INTERVAL = Duration.ofMillis(100);

  /** The folder of objects, which has no lock files and too many folders to search. */
  private static final String OBJECTS = "objects";

  private StaleLocks() {}

  /**
   * Removes a lock file if it is older than three seconds and no git process works in a folder.
   *
   * @param lock a file that only Ralph and its agents create, as ensured by the caller
   * @param folder the working directory of processes that could hold the lock
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
   * Waits at most ten seconds until a work tree's index and HEAD are unlocked. Removes stale locks
   * like {@link #remove}.
   *
   * @param own the Git folder of the work tree
   * @param root the top folder of the work tree
   */
  public static void awaitFree(Path own, Path root) throws InterruptedException {
    long begun = System.nanoTime();
    for (String name : List.of("index.lock", "HEAD.lock")) {
      Path lock = own.resolve(name);
      while (Files.exists(lock, LinkOption.NOFOLLOW_LINKS)
          && !remove(lock, root)
          && System.nanoTime() - begun < LONGEST_WAIT.toNanos()) {
        Thread.sleep(RETRY_INTERVAL.toMillis());
      }
    }
  }

  /**
   * Marks a repository as used by a single host. Removes all of the repository's lock files if no
   * git process works in the repository. Keeps the lock files if a git process still works after
   * ten seconds. The caller must hold the session's branch.
   *
   * @param own the Git folder of the repository
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
        Thread.sleep(RETRY_INTERVAL.toMillis());
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

  /** Returns whether a single host uses a repository, and thus owns all locks. */
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
            // Keep Ralph's own lock file, because processes lock its contents.
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
    if (pids.isEmpty()) { // not Linux: the working directories are unknown
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

package dev.ralph.core.internal.loop.run;

import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.GitCeilings;
import dev.ralph.internal.StoreLocation;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Detects changes in an agent's folder.
 *
 * <p>In a Git work tree, commits, branches and changed files are compared, without ignored files.
 * In other folders, or if Git can't run, all files are compared by size and time. The store is
 * excluded, because each iteration changes it. A folder that repeatedly needs more than about a
 * second is no longer examined. Not thread-safe.
 */
public final class WorkFolder {

  private static final int MOST_FILES = 20_000;
  private static final Duration PATIENCE = Duration.ofMillis(1_000);

  /** The number of consecutive slow digests after which the folder is no longer examined. */
  private static final int MOST_FAILURES = 3;

  /** The time limit of git, because starting a program may be slow on a loaded machine. */
  private static final Duration GIT_PATIENCE = Duration.ofSeconds(3);

  /** The number of fields before the path of a changed and of an unmerged file. */
  private static final int CHANGED_FIELDS = 8;

  private static final int UNMERGED_FIELDS = 10;

  /** The locations of branches and tags in a repository, in all formats. */
  private static final List<String> REFS = List.of("refs", "packed-refs", "reftable");

  private final Path directory;
  private final @Nullable Path store;

  /** The ends of the search for a work tree, as for Git. */
  private final GitCeilings ceilings;

  /** The number of consecutive slow digests. */
  private int failures;

  public WorkFolder(Path directory, StoreInfo store) {
    this(directory, store, GitCeilings.ofProcess());
  }

  public WorkFolder(Path directory, StoreInfo store, GitCeilings ceilings) {
    this.directory = real(directory);
    this.store = folderOf(store);
    this.ceilings = ceilings;
  }

  private static @Nullable Path folderOf(StoreInfo store) {
    try {
      Path path = StoreLocation.of(store.location()).folder();
      return path != null && path.isAbsolute() ? real(path) : null;
    } catch (RalphException noFolder) {
      return null;
    }
  }

  /** Returns the path without symbolic links, so that the store is recognised by any path. */
  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException notThere) {
      return path.normalize();
    }
  }

  /** Returns a digest of the folder, or empty if it is unknown. */
  public Optional<Long> digest() {
    if (failures == MOST_FAILURES) {
      return Optional.empty();
    }
    Examination examination = new Examination();
    Path root = repository();
    if (root == null || !examination.addRepository(root)) {
      examination = new Examination();
      examination.addTree(directory);
    }
    Optional<Long> seen = examination.result();
    failures = seen.isPresent() ? 0 : failures + 1;
    return seen;
  }

  /** Returns the root of the work tree around the folder, or null. */
  private @Nullable Path repository() {
    for (Path folder : ceilings.upward(directory)) {
      if (Files.exists(folder.resolve(".git"))) {
        return folder;
      }
    }
    return null;
  }

  /** An examination of the folder: a sum over all entries, independent of their order. */
  private final class Examination {
    private TimeBox patience = LoopClock.MACHINE.box(PATIENCE);
    private long sum;
    private int files;
    private boolean tooMuch;

    Optional<Long> result() {
      return tooMuch ? Optional.empty() : Optional.of(sum);
    }

    /** Adds commits, branches and changed files; returns false if Git fails. */
    boolean addRepository(Path root) {
      Git git = new Git(root, GIT_PATIENCE);
      String status =
          git.query(
                  "status",
                  "--porcelain=v2",
                  "--branch",
                  "-z",
                  "--untracked-files=all",
                  "--no-renames")
              .orElse(null);
      if (status == null) {
        return false;
      }
      patience = LoopClock.MACHINE.box(PATIENCE);
      if (!addRefs(root.resolve(".git"), git)) {
        return false;
      }
      for (String entry : status.split("\0")) {
        Path file = fileOf(root, entry);
        if (file == null || !isStore(file)) {
          add(entry, 0, 0);
        }
        if (file != null) {
          addTree(file);
        }
      }
      return true;
    }

    /** Adds branches and tags; returns false if Git fails. */
    private boolean addRefs(Path own, Git git) {
      if (Files.isDirectory(own, LinkOption.NOFOLLOW_LINKS)) {
        // Running Git takes longer than many agents.
        REFS.forEach(name -> addTree(own.resolve(name)));
        return true;
      }
      String refs = git.query("for-each-ref", "--format=%(objectname) %(refname)").orElse(null);
      if (refs != null) {
        add(refs, 0, 0);
      }
      return refs != null;
    }

    /** Returns the file of an entry, or null if none exists or Java can't express its path. */
    private static @Nullable Path fileOf(Path root, String entry) {
      String path = pathOf(entry);
      try {
        return path == null ? null : root.resolve(path);
      } catch (InvalidPathException notInThisLocale) {
        return null; // the entry itself still counts
      }
    }

    private static @Nullable String pathOf(String entry) {
      if (entry.startsWith("? ")) {
        return entry.substring(2);
      }
      int before =
          entry.startsWith("1 ") ? CHANGED_FIELDS : entry.startsWith("u ") ? UNMERGED_FIELDS : 0;
      String[] fields = entry.split(" ", before + 1);
      return before > 0 && fields.length > before ? fields[before] : null;
    }

    /** Adds a file, or all files of a folder. */
    void addTree(Path top) {
      if (tooMuch || !Files.exists(top, LinkOption.NOFOLLOW_LINKS)) {
        return;
      }
      try {
        Files.walkFileTree(top, new Walk());
      } catch (IOException e) {
        tooMuch = true; // a partly unreadable folder can't be compared
      }
    }

    private boolean isStore(Path file) {
      return store != null && file.normalize().startsWith(store);
    }

    private void add(String name, long size, long time) {
      long hash = name.hashCode();
      hash = hash * 0x9E3779B97F4A7C15L + size;
      hash = hash * 0x9E3779B97F4A7C15L + time;
      sum += hash ^ (hash >>> 29);
    }

    /** Adds the visited files, up to the limit. */
    private final class Walk extends SimpleFileVisitor<Path> {
      @Override
      public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
        return folder.endsWith(".git") || isStore(folder) ? FileVisitResult.SKIP_SUBTREE : count();
      }

      @Override
      public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        if (!isStore(file)) {
          add(file.toString(), attributes.size(), attributes.lastModifiedTime().toMillis());
        }
        return count();
      }

      @Override
      public FileVisitResult visitFileFailed(Path file, IOException e) {
        return count();
      }

      private FileVisitResult count() {
        files++;
        tooMuch = tooMuch || files > MOST_FILES || patience.isUp();
        return tooMuch ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
      }
    }
  }
}

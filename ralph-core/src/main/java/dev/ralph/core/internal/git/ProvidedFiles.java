package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The untracked files that the preparation of a work tree created, such as copies of the user's
 * files. They are not work until an agent changes them. Their names, sizes and digests are recorded
 * in the Git folder of the work tree.
 */
public final class ProvidedFiles {

  /** The file with a line for each provided file: size, digest, and the path as git quotes it. */
  private static final String LIST = "ralph-provided";

  /** The empty file that exists while a preparation may create files. */
  private static final String PREPARING = "ralph-preparing";

  /** The file with ignore rules for the git of agents. */
  private static final String RULES = "ralph-provided-rules";

  private static final String GIT_FOLDER = "gitdir: ";

  /** The length limit of the file {@code .git} in bytes. */
  private static final int LONGEST = 8192;

  /**
   * The maximum number of rules. Git compares each path with each rule, so more rules would delay
   * the git of agents.
   */
  private static final int MOST_RULES = 1_000;

  private ProvidedFiles() {}

  /**
   * Begins a preparation, which ends with {@link #record}.
   *
   * @param root the top folder of a linked work tree without an agent's changes
   */
  public static void begin(Path root) {
    Path own = folder(root);
    if (own != null) {
      try {
        Files.writeString(own.resolve(PREPARING), "");
      } catch (IOException e) {
        throw GitTrees.failed("can't write " + own.resolve(PREPARING), e);
      }
    }
  }

  /**
   * Records the files of a killed preparation, if there was one. Call before the changes of the
   * work tree are committed.
   *
   * @param root the top folder of a linked work tree
   */
  public static void recordOfKilled(Path root, TreeChanges changes) throws InterruptedException {
    Path own = folder(root);
    if (own != null && Files.exists(own.resolve(PREPARING))) {
      record(root, changes);
    }
  }

  /**
   * Records all untracked files as provided, except nested repositories. Call after the preparation
   * and before an agent works.
   *
   * @param root the top folder of a linked work tree
   */
  public static void record(Path root, TreeChanges changes) throws InterruptedException {
    Path own = folder(root);
    if (own == null) {
      return;
    }
    StringBuilder lines = new StringBuilder();
    for (String path : changes.untrackedAndProvided()) {
      String content = content(TreeChanges.path(root, path));
      if (content != null) {
        lines.append(content).append(' ').append(path).append('\n');
      }
    }
    if (Thread.interrupted()) {
      throw new InterruptedException(); // the interrupt may have failed the digests
    }
    try {
      if (lines.length() > 0) {
        Files.writeString(own.resolve(LIST), lines);
      } else {
        Files.deleteIfExists(own.resolve(LIST));
      }
      Files.deleteIfExists(own.resolve(PREPARING));
    } catch (IOException e) {
      throw GitTrees.failed("can't write " + own.resolve(LIST), e);
    }
  }

  /**
   * Returns the provided files that are unchanged, quoted. Tracked files may be among them.
   *
   * @param root the top folder of a work tree
   */
  public static Set<String> unchanged(Path root) {
    Set<String> found = new LinkedHashSet<>();
    Path own = folder(root);
    if (own == null || !Files.isRegularFile(own.resolve(LIST))) {
      return found;
    }
    try {
      for (String line : Files.readAllLines(own.resolve(LIST))) {
        int size = line.indexOf(' ');
        int digest = line.indexOf(' ', size + 1);
        if (size > 0 && digest > 0) {
          String path = line.substring(digest + 1);
          Path file = TreeChanges.path(root, path);
          if (hasSize(file, line.substring(0, size))
              && line.substring(0, digest).equals(content(file))) {
            found.add(path);
          }
        }
      }
    } catch (IOException unreadable) {
      return Set.of(); // all files count as work
    }
    return found;
  }

  /**
   * Writes ignore rules for the git of an agent, so that {@code git add --all} omits the provided
   * files. The rules contain those of the user's {@code core.excludesFile}, which they replace.
   *
   * @param git in the repository
   * @param root the top folder of a linked work tree
   * @return the file for {@code core.excludesFile}; null if no files, or more than 1,000 files are
   *     provided
   */
  public static @Nullable Path rules(Git git, Path root) throws InterruptedException {
    Path own = folder(root);
    Set<String> paths = unchanged(root);
    if (own == null || paths.isEmpty() || paths.size() > MOST_RULES) {
      return null;
    }
    List<String> lines = new ArrayList<>(IgnoreRules.ofExcludesFile(git));
    for (String path : paths) {
      String plain = TreeChanges.plain(path);
      if (plain.indexOf('\n') < 0) {
        lines.add(IgnoreRules.only(plain));
      }
    }
    try {
      return Files.write(own.resolve(RULES), lines, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw GitTrees.failed("can't write " + own.resolve(RULES), e);
    }
  }

  /** Returns a pathspec for each unchanged provided file that excludes the file, quoted. */
  public static List<String> exclusions(Path root) {
    List<String> specs = new ArrayList<>();
    for (String path : unchanged(root)) {
      specs.add(TreeChanges.excluded(path));
    }
    return specs;
  }

  /** Removes the provided files from paths relative to the top folder. */
  public static void removeFrom(Collection<String> paths, Path root) {
    if (!paths.isEmpty()) {
      for (String path : unchanged(root)) {
        paths.remove(TreeChanges.plain(path));
      }
    }
  }

  /** Returns the Git folder of a linked work tree, without running git; null for other folders. */
  static @Nullable Path folder(Path root) {
    Path file = root.resolve(".git");
    try {
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > LONGEST) {
        return null;
      }
      String text = Files.readString(file).strip();
      Path own =
          text.startsWith(GIT_FOLDER)
              ? root.resolve(text.substring(GIT_FOLDER.length())).normalize()
              : null;
      return own != null && Files.isDirectory(own) ? own : null;
    } catch (IOException | InvalidPathException noWorkTree) {
      return null;
    }
  }

  /** Returns whether a file has the recorded size, which is faster than a digest. */
  private static boolean hasSize(Path file, String size) {
    try {
      return Files.isSymbolicLink(file) || String.valueOf(Files.size(file)).equals(size);
    } catch (IOException missing) {
      return false;
    }
  }

  /** Returns the size and the digest of a file or link; null if neither exists or is readable. */
  private static @Nullable String content(Path file) {
    try {
      if (Files.isSymbolicLink(file)) {
        return "0 link-" + Sha256.of(Files.readSymbolicLink(file).toString());
      }
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        return null; // reading a named pipe would block
      }
      return Files.size(file) + " " + Sha256.of(file);
    } catch (IOException unreadable) {
      return null;
    }
  }
}

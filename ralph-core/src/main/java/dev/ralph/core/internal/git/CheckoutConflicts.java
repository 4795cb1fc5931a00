package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of a work tree that a checkout of another commit would replace. These are untracked
 * files, including ignored ones, and tracked files with changes. An untracked file with the same
 * content as in the commit is no conflict.
 *
 * <p>Git protects ignored files only on request, and a forced checkout replaces all files. So this
 * class compares the paths. The check changes nothing.
 */
public final class CheckoutConflicts {

  /** The highest number of files named in a message. */
  private static final int MOST_NAMES = 10;

  private static final String GITLINK = "160000";
  private static final String SYMLINK = "120000";

  /** A path that is in the commit, but not in the index. */
  record Addition(String mode, String id, String path) {}

  private final Git git;
  private final Path root;
  private final boolean ignoresCase;

  /** The paths that are in the index, but not in the commit. */
  private final Set<String> tracked = new HashSet<>();

  /** The paths in which the index and the commit differ. */
  private final Set<String> different = new HashSet<>();

  /** The paths that are in the index and, with a different entry, in the commit. */
  private final List<String> updates = new ArrayList<>();

  private final List<Addition> additions = new ArrayList<>();
  private final List<Addition> identical = new ArrayList<>();
  private final Set<String> untracked = new HashSet<>();
  private final Set<String> changed = new HashSet<>();

  private CheckoutConflicts(Git git, Path root) throws InterruptedException {
    this.git = git;
    this.root = root;
    this.ignoresCase =
        git.run("config", "--type=bool", "--get", "core.ignoreCase").line().equals("true");
  }

  /**
   * Finds the untracked files that a checkout would replace, but no changed tracked files.
   *
   * @param git runs in the work tree's top folder
   * @param root the top folder of the work tree
   * @param commit the commit to check out
   */
  public static CheckoutConflicts untracked(Git git, Path root, String commit)
      throws InterruptedException {
    CheckoutConflicts conflicts = new CheckoutConflicts(git, root);
    conflicts.readIndex(commit);
    conflicts.compareFiles();
    return conflicts;
  }

  /** Finds the untracked files, and the changed files that prevent the checkout. */
  static CheckoutConflicts all(Git git, Path root, String commit) throws InterruptedException {
    CheckoutConflicts conflicts = untracked(git, root, commit);
    conflicts.findChanged(commit);
    return conflicts;
  }

  /** Returns whether the checkout replaces no files. */
  public boolean isEmpty() {
    return untracked.isEmpty() && changed.isEmpty();
  }

  /** Returns the untracked files that the checkout would replace, relative to the top folder. */
  public Set<String> untracked() {
    return Set.copyOf(untracked);
  }

  /** Returns the untracked files with the same content as in the commit. */
  List<Addition> identical() {
    return List.copyOf(identical);
  }

  /** Returns the names of at most ten files, and the number of the others, in one line. */
  public String names() {
    List<String> all = new ArrayList<>(untracked);
    all.addAll(changed);
    return names(all);
  }

  /** Returns at most ten names in sorted order, and the number of the others, in one line. */
  public static String names(Iterable<String> paths) {
    List<String> all = new ArrayList<>();
    paths.forEach(all::add);
    all.sort(null);
    String named = String.join(", ", all.subList(0, Math.min(MOST_NAMES, all.size())));
    int more = all.size() - MOST_NAMES;
    return more > 0 ? named + " and " + more + " more" : named;
  }

  /** Reads the differences between the index and the commit. */
  private void readIndex(String commit) throws InterruptedException {
    String[] fields =
        ask("diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", commit)
            .split("\0");
    // Each entry is ":MODE MODE ID ID STATUS" and the path. The mode and id of the commit are
    // first.
    for (int i = 0; i + 1 < fields.length; i += 2) {
      String[] entry = fields[i].split(" ");
      if (!fields[i].startsWith(":") || entry.length < 5) {
        throw RalphException.invalid("too many files change in " + root + " to compare them");
      }
      String path = fields[i + 1];
      different.add(path);
      switch (entry[4].charAt(0)) {
        case 'D' -> additions.add(new Addition(entry[0].substring(1), entry[2], path));
        case 'A' -> {
          if (!entry[1].equals(GITLINK)) {
            tracked.add(folded(path));
          }
        }
        default -> {
          updates.add(path);
          if (entry[1].equals(GITLINK) && !entry[0].equals(":" + GITLINK)) {
            addFolder(root.resolve(path)); // Git would delete the files of the submodule
          }
        }
      }
    }
  }

  private String folded(String path) {
    return ignoresCase ? path.toLowerCase(Locale.ROOT) : path;
  }

  private boolean isTracked(String path) {
    return tracked.contains(folded(path));
  }

  private void compareFiles() throws InterruptedException {
    List<Addition> files = new ArrayList<>();
    for (String update : updates) {
      String parent = fileAbove(update); // Git replaces a link in place of the folder
      if (parent != null && !isTracked(parent)) {
        untracked.add(parent);
      }
    }
    for (Addition addition : additions) {
      String parent = fileAbove(addition.path());
      Path file = TreeChanges.path(root, addition.path());
      if (file.equals(root)) {
        continue; // The name can't be encoded; Git protects files that are not ignored.
      }
      if (parent != null) {
        if (!isTracked(parent)) {
          untracked.add(parent);
        }
      } else if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
        if (!addition.mode().equals(GITLINK)) {
          addFolder(file);
        }
      } else if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !isTracked(addition.path())) {
        files.add(addition);
      }
    }
    for (Addition addition : files) {
      if (hasContent(addition)) {
        identical.add(addition);
      } else {
        untracked.add(addition.path());
      }
    }
  }

  /** Returns the first prefix of a path that is a file; null if none exists. */
  private @Nullable String fileAbove(String path) {
    for (int end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
      String part = path.substring(0, end);
      Path parent = TreeChanges.path(root, part);
      if (!Files.isDirectory(parent, LinkOption.NOFOLLOW_LINKS)) {
        return Files.exists(parent, LinkOption.NOFOLLOW_LINKS) ? part : null;
      }
    }
    return null;
  }

  /** Adds all files below a folder to be deleted, except the tracked files. */
  private void addFolder(Path folder) {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
              if (dir.endsWith(".git")) { // a repository counts as one file
                untracked.add(name(dir));
                return FileVisitResult.SKIP_SUBTREE;
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              if (!isTracked(name(file))) {
                untracked.add(name(file));
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw GitTrees.failed("can't look into " + folder, e);
    }
  }

  private String name(Path file) {
    return root.relativize(file).toString().replace('\\', '/');
  }

  private boolean hasContent(Addition addition) throws InterruptedException {
    Path file = root.resolve(addition.path());
    if (addition.mode().equals(SYMLINK)) {
      try {
        return Files.isSymbolicLink(file)
            && git.query("cat-file", "blob", addition.id())
                .filter(Files.readSymbolicLink(file).toString()::equals)
                .isPresent();
      } catch (IOException gone) {
        return false;
      }
    }
    // Reading a named pipe would block.
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
        && git.run("hash-object", "--", addition.path()).line().equals(addition.id());
  }

  private void findChanged(String commit) throws InterruptedException {
    Set<String> touched = new HashSet<>(paths("--no-renames", "HEAD", commit));
    touched.retainAll(different);
    if (touched.isEmpty()) {
      return;
    }
    // Git restores deleted files.
    List<String> edited = paths("--diff-filter=d");
    edited.addAll(paths("--cached", "--no-renames", "HEAD"));
    edited.stream().filter(touched::contains).forEach(changed::add);
  }

  private List<String> paths(String... arguments) throws InterruptedException {
    List<String> diff =
        new ArrayList<>(
            List.of("diff", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=all"));
    diff.addAll(List.of(arguments));
    diff.add("--");
    String names = ask(diff.toArray(new String[0]));
    return new ArrayList<>(names.isEmpty() ? List.of() : List.of(names.split("\0")));
  }

  /** Returns the whole output of Git. */
  private String ask(String... arguments) throws InterruptedException {
    CommandResult answer =
        GitTrees.require("git " + arguments[0] + " in " + root, git.run(arguments));
    return answer.output();
  }

  @Override
  public String toString() {
    return names();
  }

  /** Creates the exception for a checkout with conflicts. */
  public RalphException refusal(String remedy) {
    List<String> parts = new ArrayList<>();
    if (!untracked.isEmpty()) {
      parts.add(
          untracked.size()
              + (untracked.size() == 1 ? " file" : " files")
              + " in "
              + root
              + " would be replaced, and Git does not track "
              + (untracked.size() == 1 ? "it: " : "them: ")
              + names(untracked)
              + ". Move "
              + (untracked.size() == 1 ? "it" : "them")
              + " away");
    }
    if (!changed.isEmpty()) {
      parts.add(
          changed.size()
              + (changed.size() == 1 ? " file" : " files")
              + " in "
              + root
              + (changed.size() == 1 ? " has" : " have")
              + " changes that are not committed, and would be updated: "
              + names(changed)
              + ". Commit or stash "
              + (changed.size() == 1 ? "this change" : "these changes"));
    }
    return RalphException.invalid(String.join("; ", parts) + ", then " + remedy);
  }
}

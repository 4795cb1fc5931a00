package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Common Git operations and checks, with messages for people. */
public final class GitTrees {

  /** Excludes the folder whose untracked files are not work. */
  public static final String DATA = ":(top,exclude).ralph";

  /** Excludes an internal folder of Ralph, which is never committed. */
  public static final String NO_STORE = ":(top,exclude).ralph/store";

  /** Excludes an internal folder, like {@link #NO_STORE}. */
  public static final String NO_WORKTREES = ":(top,exclude).ralph/worktrees";

  /** Excludes an internal folder, like {@link #NO_STORE}. */
  public static final String NO_HOSTED = ":(top,exclude).ralph/hosted";

  /** The internal folders of Ralph. */
  static final List<String> OWN =
      List.of(":(top).ralph/store", ":(top).ralph/worktrees", ":(top).ralph/hosted");

  /** The files below {@code .ralph} that are work if they are tracked. */
  static final List<String> TRACKED = List.of(":(top).ralph", NO_STORE, NO_WORKTREES, NO_HOSTED);

  /** The marker file in the Git folder of a work tree whose creation is complete. */
  public static final String WHOLE = "ralph-whole";

  /** The ignore file in the folder of the work trees. */
  public static final String IGNORE = ".gitignore";

  private static final int LAST_LINES = 20;

  /** The messages of Git and the system about a full disk; some of them omit the reason. */
  private static final List<String> NO_ROOM =
      List.of(
          "No space left on device",
          "Out of diskspace",
          "Disk quota exceeded",
          "couldn't write ",
          "unable to write file ",
          "unable to write new");

  private static final List<String> NO_ACCESS =
      List.of("Permission denied", "Read-only file system");

  /** The longest wait for a lock file that another Git process holds. */
  private static final Duration LONGEST_LOCK = Duration.ofSeconds(10);

  /** The longest wait for another Git process that changes the list of work trees. */
  private static final Duration LONGEST_CHANGE = Duration.ofSeconds(3);

  private static final long FIRST_PAUSE_MILLIS = 25;
  private static final long LONGEST_PAUSE_MILLIS = 400;

  /** The beginnings of lines of {@code git worktree list --porcelain}. */
  private static final String TREE = "worktree ";

  private static final String BRANCH = "branch refs/heads/";

  /** The exit code of Git for an unknown option. */
  private static final int WRONG_USAGE = 129;

  private GitTrees() {}

  /**
   * Checks that no environment variable redirects an agent's git to another folder.
   *
   * @throws RalphException INVALID if a variable does
   */
  public static void requireNotLedElsewhere() {
    List<String> elsewhere = Git.leadingElsewhere();
    if (!elsewhere.isEmpty()) {
      throw RalphException.invalid(
          "git would not work in the agent's work tree, because "
              + String.join(" and ", elsewhere)
              + (elsewhere.size() == 1 ? " is" : " are")
              + " set (git hooks set such variables); start ralph with: env -u "
              + String.join(" -u ", elsewhere));
    }
  }

  /** Returns whether a reference or a named commit exists. */
  public static boolean has(Git git, String ref) throws InterruptedException {
    return git.run("rev-parse", "--verify", "--quiet", ref).isGood();
  }

  /** Returns the path without symbolic links. */
  public static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException notThere) {
      return path.toAbsolutePath().normalize();
    }
  }

  /**
   * Returns a successful answer.
   *
   * @throws RepositoryLockedException if a lock file blocks Git
   * @throws RalphException INVALID if the answer is a failure; FULL if the disk is full
   */
  public static CommandResult require(String what, CommandResult answer) {
    if (answer.isGood()) {
      return answer;
    }
    throw refused(what, answer);
  }

  /** Creates the exception for a failure of Git. */
  public static RalphException refused(String what, CommandResult answer) {
    String why = answer.why();
    if (NO_ROOM.stream().anyMatch(why::contains)) {
      return RalphException.full(
          what + " failed, because nothing can be written; is the disk full? " + lastLines(why));
    }
    Path lock = RepositoryLockedException.lockIn(answer).orElse(null);
    return lock == null
        ? RalphException.invalid(what + " failed: " + lastLines(why))
        : new RepositoryLockedException(what, lock);
  }

  /** Creates the exception for a failure of the file system, with its message. */
  public static RalphException failed(String what, IOException e) {
    String reason = e instanceof FileSystemException file ? file.getReason() : e.getMessage();
    if (e instanceof AccessDeniedException) {
      reason = "permission denied";
    } else if (e instanceof FileAlreadyExistsException) {
      reason = "a file is in the way";
    }
    return RalphException.io(reason == null ? what : what + ": " + reason, e);
  }

  private static String lastLines(String text) {
    List<String> lines = text.lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
  }

  /** Returns the top folder of the checkout around a folder. */
  public static Path checkout(Git git, Path project) throws InterruptedException {
    CommandResult top = git.run("rev-parse", "--show-toplevel");
    if (!top.isGood()) {
      throw RalphException.invalid(
          "a work tree requires a Git repository (git init creates one), and git can't use one in "
              + project
              + ": "
              + top.why());
    }
    return Path.of(top.line());
  }

  /** Returns the repository's Git folder, which is the same for all of its work trees. */
  public static Path common(Git git, Path project) throws InterruptedException {
    return common(git);
  }

  private static Path common(Git git) throws InterruptedException {
    String[] ask = {"rev-parse", "--path-format=absolute", "--git-common-dir"};
    return real(Path.of(require("git rev-parse", git.run(ask)).line()));
  }

  /** Returns the folder with the repository's Git folder, the same for all work trees. */
  public static Path home(Git git, Path project, Path checkout) throws InterruptedException {
    CommandResult told = require("git rev-parse", git.run("rev-parse", "--git-common-dir"));
    Path common = project.resolve(told.line()).normalize();
    Path parent = common.getParent();
    return common.endsWith(".git") && parent != null ? parent : checkout;
  }

  /** Returns whether a normalized relative path stays below its base folder. */
  public static boolean isInside(Path plain) {
    return !plain.isAbsolute() && !plain.startsWith("..") && !plain.toString().isEmpty();
  }

  /**
   * Validates a path relative to the top of a repository.
   *
   * @throws RalphException INVALID if the path leads out of the repository, or is the top itself
   */
  public static Path inside(Path path) {
    Path plain = path.normalize();
    if (!isInside(plain)) {
      throw RalphException.invalid(
          "the path must be relative to the top of the repository, and inside it; found "
              + RalphException.quote(path.toString()));
    }
    return plain;
  }

  /**
   * Checks that Git will work in linked work trees of a repository. Call before creating any. A
   * submodule's shared configuration sets {@code core.worktree} to its folder. With {@code
   * extensions.worktreeConfig}, Git applies this setting to all work trees.
   *
   * @param common the Git folder of the repository
   * @throws RalphException INVALID if Git would work in another folder
   */
  public static void requireLinkedTrees(Git git, Path common) throws InterruptedException {
    String file = common.resolve("config").toString();
    String extension =
        git.run("config", "--file", file, "--type=bool", "--get", "extensions.worktreeConfig")
            .line();
    CommandResult elsewhere = git.run("config", "--file", file, "--get", "core.worktree");
    if (extension.equals("true") && elsewhere.isGood()) {
      throw RalphException.invalid(
          "core.worktree in "
              + file
              + " would also apply to agents' work trees, because extensions.worktreeConfig is"
              + " set. Move the setting: git config --file "
              + CommandLineWords.join(List.of(common.resolve("config.worktree").toString()))
              + " core.worktree "
              + CommandLineWords.join(List.of(elsewhere.line()))
              + " && git config --file "
              + CommandLineWords.join(List.of(file))
              + " --unset core.worktree");
    }
  }

  /**
   * Checks that Git works in a work tree. Call before the first checkout there.
   *
   * @param git runs in the work tree
   * @param root the top folder of the work tree
   * @throws RalphException INVALID if Git would work on other files
   */
  public static void requireTop(Git git, Path root) throws InterruptedException {
    CommandResult top = git.run("rev-parse", "--show-toplevel");
    if (!top.isGood() || !real(Path.of(top.line())).equals(real(root))) {
      throw RalphException.invalid(
          "git uses the work tree "
              + (top.isGood() ? top.line() : "none: " + top.why())
              + " instead of "
              + root
              + ", so no files were checked out; check core.worktree: git config --show-origin"
              + " --get-all core.worktree");
    }
  }

  /** Checks that the repository has a commit. */
  public static void requireCommit(Git git, Path checkout) throws InterruptedException {
    if (!has(git, "HEAD^{commit}")) {
      throw RalphException.invalid(
          "the repository " + checkout + " has no commit yet; commit first");
    }
  }

  /**
   * Returns the number of changed and untracked files of a checkout, without {@code .ralph}. The
   * ignore rules of its commit and of the user apply.
   */
  public static int changed(Git git) throws InterruptedException {
    Path top = Path.of(require("git rev-parse", git.run("rev-parse", "--show-toplevel")).line());
    return changed(git, top, IgnoreRules.of(git, common(git), "HEAD"));
  }

  /** Returns the number of changed and untracked files of a tree, without {@code .ralph}. */
  public static int changed(Git git, Path root, IgnoreRules rules) throws InterruptedException {
    return new TreeChanges(git, root, rules).all().size();
  }

  /** Checks that Git has a committer identity. */
  public static void requireCommitter(Git git) throws InterruptedException {
    if (!git.run("var", "GIT_COMMITTER_IDENT").isGood()) {
      throw RalphException.invalid(
          "git has no committer identity; run: git config user.name NAME, and: git config"
              + " user.email ADDRESS");
    }
  }

  /** Returns the existing work tree that has checked out a branch; null if none exists. */
  public static @Nullable Path checkedOutIn(Git git, String branch) throws InterruptedException {
    return allCheckedOutIn(git, branch).stream().findFirst().orElse(null);
  }

  /** Returns the existing work trees that have checked out a branch. */
  public static List<Path> allCheckedOutIn(Git git, String branch) throws InterruptedException {
    return trees(git).entrySet().stream()
        .filter(tree -> tree.getValue().equals(branch) && Files.exists(tree.getKey()))
        .map(tree -> real(tree.getKey()))
        .toList();
  }

  /**
   * Returns the branch of each registered work tree, in Git's order; empty for a detached HEAD. The
   * folders may be missing. Work trees whose path this locale can't encode are omitted.
   */
  public static Map<Path, String> trees(Git git) throws InterruptedException {
    CommandResult list = patient(git, "worktree", "list", "--porcelain", "-z");
    if (list.exit().code() == WRONG_USAGE) { // Git before 2.36
      CommandResult lines = patient(git, "worktree", "list", "--porcelain");
      return trees(require("git worktree list", lines).output(), "\n");
    }
    return trees(require("git worktree list", list).output(), "\0");
  }

  /** Returns the work trees of a list whose lines have the given end. */
  static Map<Path, String> trees(String list, String end) {
    Map<Path, String> trees = new LinkedHashMap<>();
    Path tree = null;
    for (String line : list.split(end)) {
      if (line.startsWith(TREE)) {
        tree = path(line.substring(TREE.length()));
        if (tree != null) {
          trees.put(tree, "");
        }
      } else if (tree != null && line.startsWith(BRANCH)) {
        trees.put(tree, line.substring(BRANCH.length()));
      }
    }
    return trees;
  }

  /**
   * Returns the path that git has printed or recorded; null if the text is empty, damaged, or can't
   * be encoded in this locale.
   */
  static @Nullable Path path(String text) {
    try {
      return text.isEmpty() ? null : Path.of(text);
    } catch (InvalidPathException e) {
      return null;
    }
  }

  /** Returns the Git folder of each linked work tree, with the path of its file {@code .git}. */
  static Map<Path, String> linked(Path common) {
    Path folder = common.resolve("worktrees");
    if (!Files.isDirectory(folder)) {
      return Map.of();
    }
    Map<Path, String> linked = new TreeMap<>();
    try (Stream<Path> all = Files.list(folder)) {
      all.forEach(each -> linked.put(each, ReferenceWatch.text(each.resolve("gitdir")).strip()));
    } catch (IOException e) {
      throw failed("can't list " + folder, e);
    }
    return linked;
  }

  /**
   * Runs Git, and retries with backoff while another Git process holds a lock file, for at most ten
   * seconds. Retries for at most three seconds while another process changes the list of work
   * trees.
   */
  public static CommandResult patient(Git git, String... arguments) throws InterruptedException {
    return patientWith(null, git, arguments);
  }

  /** Runs Git like {@link #patient}, with a text on the standard input, or null. */
  public static CommandResult patientWith(@Nullable String input, Git git, String... arguments)
      throws InterruptedException {
    return patientWith(input, git, lock -> false, arguments);
  }

  /**
   * Runs Git like {@link #patient}, and removes stale locks.
   *
   * @param removal removes a lock file without a holder, and returns whether the file was removed
   */
  public static CommandResult patientWith(
      @Nullable String input, Git git, Predicate<Path> removal, String... arguments)
      throws InterruptedException {
    long begun = System.nanoTime();
    long pause = FIRST_PAUSE_MILLIS;
    while (true) {
      CommandResult answer = run(input, git, arguments);
      Path lock = RepositoryLockedException.lockIn(answer).orElse(null);
      Duration limit = lock != null ? LONGEST_LOCK : isInTheWay(answer) ? LONGEST_CHANGE : null;
      if (limit == null || System.nanoTime() - begun > limit.toNanos()) {
        return answer;
      }
      if (lock == null || !removal.test(lock)) {
        Thread.sleep(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
      }
    }
  }

  private static CommandResult run(@Nullable String input, Git git, String... arguments)
      throws InterruptedException {
    return input == null ? git.run(arguments) : git.runWith(input, arguments);
  }

  private static boolean isInTheWay(CommandResult answer) {
    String why = answer.isGood() ? "" : answer.why();
    boolean isForbidden = NO_ACCESS.stream().anyMatch(why::contains);
    return !isForbidden && (why.contains("/worktrees/") || why.contains(".lock"));
  }

  /** Creates the exception for an existing branch that the session did not create. */
  public static RalphException taken(SessionNames names) {
    String branch = names.branch();
    return RalphException.invalid(
        "the branch "
            + branch
            + " already exists, and this session did not create it; rename it: git branch -m "
            + branch
            + " "
            + branch
            + "-old; or remove it: ralph branch discard "
            + names.session());
  }

  /** Returns the first unused branch name with a prefix and a number. */
  public static String freeBranch(Git git, String prefix) throws InterruptedException {
    int number = 1;
    while (has(git, "refs/heads/" + prefix + number)) {
      number++;
    }
    return prefix + number;
  }

  /** Returns whether a commit is an ancestor of a second commit, or equal to the second commit. */
  public static boolean isWithin(Git git, String commit, String later) throws InterruptedException {
    return git.run("merge-base", "--is-ancestor", commit, later).isGood();
  }

  /** Checks that a folder is missing or empty, and thus ready for a new work tree. */
  public static void requireFree(Path root) {
    if (!Files.isDirectory(root)) {
      return;
    }
    try (Stream<Path> files = Files.list(root)) {
      if (files.findAny().isPresent()) {
        throw RalphException.invalid(
            "the folder " + root + " exists and is not a work tree; move the folder away");
      }
    } catch (IOException e) {
      throw failed("can't look into " + root, e);
    }
  }

  /** Deletes a folder with its content, without following links. */
  public static void delete(Path folder) {
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.delete(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path each, @Nullable IOException e)
                throws IOException {
              if (e != null) {
                throw e;
              }
              Files.delete(each);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw failed("can't delete " + folder, e);
    }
  }

  /** Excludes all work trees from the checkout around them, by an ignore file. */
  public static void ignore(Path root) {
    Path place = root.resolveSibling(IGNORE);
    try {
      Files.createDirectories(root.getParent());
      if (Files.notExists(place)) {
        Files.writeString(place, "*\n");
      }
    } catch (IOException e) {
      throw failed("can't write " + place, e);
    }
  }
}

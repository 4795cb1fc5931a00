package dev.ralph.core;

import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Git work tree of its own to work in, on a branch of its own: {@code .ralph/worktrees/NAME} and
 * {@code ralph/NAME}. The checkout that it stems from, and what is not committed there, is never
 * touched.
 *
 * <pre>{@code
 * Worktree tree = Worktree.open(project, "add-login");
 * session.loop(agent).directory(tree.folder()).run();
 * tree.commit("Add a login form");
 * }</pre>
 *
 * <p>It stays until somebody removes it; {@link #open} goes on with it. For one thread and one
 * process at a time, besides git itself.
 */
public final class Worktree {

  /** Where they are, beside the repository. */
  public static final Path PLACE = Path.of(".ralph", "worktrees");

  static final String BRANCH = "ralph/";

  /** What is never committed, however it got there. */
  private static final String DATA = ":(top,exclude).ralph";

  /** Hooks may run a project's tests. */
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  /** In a work tree's own folder of Git's: it was made to its end. */
  private static final String WHOLE = "ralph-whole";

  private static final String IGNORE = ".gitignore";

  private static final int LAST_LINES = 20;

  /** About three seconds in all: git needs a moment for what it does to others' work trees. */
  private static final int MOST_TRIES = 16;

  private static final long PAUSE_MILLIS = 25;

  private final String name;
  private final Path root;
  private final Path folder;
  private final Git git;
  private final List<String> notices;

  private Worktree(String name, Path root, Path folder, List<String> notices) {
    this.name = name;
    this.root = root;
    this.folder = folder;
    this.git = new Git(root, PATIENCE);
    this.notices = List.copyOf(notices);
  }

  /**
   * Returns the work tree of that name, made from the newest commit if it is not there.
   *
   * @param project a folder of the repository
   * @param name letters, digits, {@code _} and {@code -}
   * @throws RalphException INVALID if there is no repository or no commit, git does not know who
   *     commits, the environment leads git elsewhere, or something is in the way, such as a link
   *     below the repository's folder; the message says what to do. Nothing was changed then
   * @throws InterruptedException if the thread is interrupted
   */
  public static Worktree open(Path project, String name) throws InterruptedException {
    Topic.checkSegment("the name of a work tree", name);
    return new Opening(project.toAbsolutePath().normalize(), name).open();
  }

  /** Returns its name. */
  public String name() {
    return name;
  }

  /** Returns the folder in it that corresponds to the project's. */
  public Path folder() {
    return folder;
  }

  /** Returns its top folder. */
  public Path root() {
    return root;
  }

  /** Returns its branch. */
  public String branch() {
    return BRANCH + name;
  }

  /** Returns what a person should know of it, each in a sentence. */
  public List<String> notices() {
    return notices;
  }

  /**
   * Commits all that was changed, but for {@code .ralph}, and accepts what the agent has committed
   * itself: neither is {@linkplain #setAside set aside} any more.
   *
   * @return the newest commit, shortened, this one or the agent's; empty if there is none since the
   *     last time
   * @throws RalphException INVALID if git refuses, as where a hook fails: with what that said; if
   *     another branch is checked out in it; or if a repository within it would be left out.
   *     Nothing is lost then
   * @throws InterruptedException if the thread is interrupted
   */
  public Optional<String> commit(String message) throws InterruptedException {
    stage();
    if (!git.run("diff", "--cached", "--quiet").isGood()) {
      require("git commit in " + root, git.run("commit", "--quiet", "-m", message));
    }
    if (ask("rev-parse", "HEAD").equals(ask("rev-parse", "--verify", accepted(name)))) {
      return Optional.empty();
    }
    ask("update-ref", accepted(name), "HEAD");
    return Optional.of(ask("rev-parse", "--short", "HEAD"));
  }

  /**
   * Puts all that was done since the last {@link #commit} on another branch, and goes back to that
   * commit. Files that Git ignores stay as they are.
   *
   * @param part what the branch is called after, such as {@code story-2}
   * @param message of the commit that keeps it
   * @return the branch; empty if nothing was done
   * @throws RalphException INVALID as with {@link #commit}; nothing is lost then
   * @throws InterruptedException if the thread is interrupted
   */
  public Optional<String> setAside(String part, String message) throws InterruptedException {
    stage();
    boolean changed = !git.run("diff", "--cached", "--quiet").isGood();
    String accepted = ask("rev-parse", "--verify", accepted(name));
    if (!changed && ask("rev-parse", "HEAD").equals(accepted)) {
      return Optional.empty();
    }
    String kept = "HEAD";
    if (changed) {
      kept = ask("commit-tree", ask("write-tree"), "-p", "HEAD", "-m", message);
    }
    String branch = freeBranch(branch() + "-" + part + "-failed");
    ask("branch", branch, kept);
    ask("reset", "--quiet", "--hard", accepted);
    return Optional.of(branch);
  }

  private String freeBranch(String prefix) throws InterruptedException {
    int number = 1;
    while (has(git, "refs/heads/" + prefix + "-" + number)) {
      number++;
    }
    return prefix + "-" + number;
  }

  private void stage() throws InterruptedException {
    requireOwn(git, root, branch()); // an agent may have left it
    new NestedRepositories(root, git).requireNoneLeftOut(accepted(name), DATA);
    require("git add in " + root, git.run("add", "--all", "--", ":/", DATA));
  }

  private static void requireOwn(Git git, Path root, String branch) throws InterruptedException {
    Answer top = git.run("rev-parse", "--show-toplevel");
    if (top.isGood() && !real(Path.of(top.line())).equals(real(root))) {
      // Everything would be done to the checkout above.
      throw RalphException.invalid(
          "the work tree "
              + root
              + " has no file .git any more; run: "
              + CommandLineWords.join(List.of("git", "-C", top.line(), "worktree", "repair")));
    }
    Answer head = git.run("symbolic-ref", "--quiet", "--short", "HEAD");
    if (!head.line().equals(branch)) {
      boolean renamed = head.isGood() && !has(git, "refs/heads/" + branch);
      List<String> back =
          renamed ? List.of("branch", "-m", head.line(), branch) : List.of("checkout", branch);
      throw RalphException.invalid(
          "the work tree "
              + root
              + " is "
              + (head.isGood() ? "on the branch " + head.line() : "on no branch")
              + (renamed ? ", and there is no " + branch + " any more" : "")
              + "; run: "
              + CommandLineWords.join(List.of("git", "-C", root.toString()))
              + " "
              + CommandLineWords.join(back));
    }
  }

  static boolean has(Git git, String ref) throws InterruptedException {
    return git.run("rev-parse", "--verify", "--quiet", ref).isGood();
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException notThere) {
      return path.toAbsolutePath().normalize();
    }
  }

  private String ask(String... arguments) throws InterruptedException {
    return require("git " + arguments[0] + " in " + root, git.run(arguments)).line();
  }

  static Answer require(String what, Answer answer) {
    if (answer.isGood()) {
      return answer;
    }
    throw refused(what, answer);
  }

  static RalphException refused(String what, Answer answer) {
    String why = answer.why();
    String advice =
        why.contains(".lock': File exists")
            ? "; if no git runs there, one was killed: remove that file"
            : "";
    return RalphException.invalid(what + " failed: " + lastLines(why) + advice);
  }

  private static String lastLines(String text) {
    List<String> lines = text.lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
  }

  /** Returns the top folder of the checkout that a folder is in. */
  static Path checkout(Git git, Path project) throws InterruptedException {
    Answer top = git.run("rev-parse", "--show-toplevel");
    if (!top.isGood()) {
      throw RalphException.invalid(
          "a work tree needs a Git repository, and git finds none to work with in "
              + project
              + ": "
              + top.why());
    }
    return Path.of(top.line());
  }

  /** Returns the folder beside the repository, the same whichever work tree this is called in. */
  static Path home(Git git, Path project, Path checkout) throws InterruptedException {
    Answer told = require("git rev-parse", git.run("rev-parse", "--git-common-dir"));
    Path common = project.resolve(told.line()).normalize();
    Path parent = common.getParent();
    return common.endsWith(".git") && parent != null ? parent : checkout;
  }

  static void requireCommit(Git git, Path checkout) throws InterruptedException {
    if (!has(git, "HEAD^{commit}")) {
      throw RalphException.invalid(
          "the repository " + checkout + " has no commit yet; commit first");
    }
  }

  /** Returns how many files are changed in a checkout and not committed, but for {@code .ralph}. */
  static int changed(Git git) throws InterruptedException {
    Answer status = git.run("--no-optional-locks", "status", "--porcelain", "--", ":/", DATA);
    String lines = require("git status", status).output();
    return (int) lines.lines().filter(line -> !line.isBlank()).count();
  }

  static void requireCommitter(Git git) throws InterruptedException {
    if (!git.run("var", "GIT_COMMITTER_IDENT").isGood()) {
      throw RalphException.invalid(
          "git does not know who commits; run: git config user.name NAME, and: git config"
              + " user.email ADDRESS");
    }
  }

  /** Returns the work tree that has a branch, and is there; null if none has. */
  static @Nullable Path checkedOutIn(Git git, String branch) throws InterruptedException {
    String tree = "";
    for (String line : list(git)) {
      if (line.startsWith("worktree ")) {
        tree = line.substring("worktree ".length());
      } else if (line.equals("branch refs/heads/" + branch)) {
        return Files.exists(Path.of(tree)) ? real(Path.of(tree)) : null;
      }
    }
    return null;
  }

  /** Returns all work trees, as Git tells them to programs. */
  static List<String> list(Git git) throws InterruptedException {
    Answer trees = patient(git, "worktree", "list", "--porcelain");
    return require("git worktree list", trees).output().lines().toList();
  }

  /**
   * Runs what looks at all work trees or changes which there are. Git fails at that where another
   * git is at it, even an agent's own: then once more.
   */
  static Answer patient(Git git, String... arguments) throws InterruptedException {
    Answer answer = git.run(arguments);
    for (int tries = 1; tries < MOST_TRIES && isInTheWay(answer); tries++) {
      Thread.sleep(PAUSE_MILLIS * tries);
      answer = git.run(arguments);
    }
    return answer;
  }

  private static boolean isInTheWay(Answer answer) {
    String why = answer.isGood() ? "" : answer.why();
    return why.contains("/worktrees/") || why.contains(".lock");
  }

  /** Lets Git ignore all work trees, in the checkout that they are below. */
  static void ignore(Path root) {
    Path place = root.resolveSibling(IGNORE);
    try {
      Files.createDirectories(root.getParent());
      if (Files.notExists(place)) {
        Files.writeString(place, "*\n");
      }
    } catch (IOException e) {
      throw RalphException.io("can't write " + place, e);
    }
  }

  /** Names the commit up to which all is accepted; its being there says whose the branch is. */
  static String accepted(String name) {
    return "refs/ralph/" + name + "/accepted";
  }

  @Override
  public String toString() {
    return branch() + " in " + root;
  }

  /** Finds a work tree, or makes it. */
  private static final class Opening {

    private final Path project;
    private final String name;
    private final String branch;
    private final Git git;
    private final List<String> notices = new ArrayList<>();

    Opening(Path project, String name) {
      this.project = project;
      this.name = name;
      this.branch = BRANCH + name;
      this.git = new Git(project, PATIENCE);
    }

    Worktree open() throws InterruptedException {
      List<String> elsewhere = Git.leadingElsewhere();
      if (!elsewhere.isEmpty()) {
        throw RalphException.invalid(
            "the agent's git would work elsewhere than in the work tree, because "
                + String.join(" and ", elsewhere)
                + (elsewhere.size() == 1 ? " is" : " are")
                + " set, as in a hook of git's; start this by: env -u "
                + String.join(" -u ", elsewhere));
      }
      Path checkout = checkout(git, project);
      requireCommit(git, checkout);
      requireCommitter(git);
      Path home = home(git, project, checkout);
      Path root = home.resolve(PLACE).resolve(name);
      PlainPath.require(home, root); // a clone may have brought links
      PlainPath.requireFile(home, root.resolveSibling(IGNORE));
      if (!isUsable(root)) {
        make(root);
      }
      Path folder = root.resolve(ask("rev-parse", "--show-prefix")).normalize();
      PlainPath.require(root, folder);
      look(checkout, root);
      return new Worktree(name, root, folder, notices);
    }

    /** Returns whether the work tree is there, from its beginning to its end. */
    private boolean isUsable(Path root) throws InterruptedException {
      Path there = checkedOutIn(git, branch);
      if (there != null && !there.equals(real(root))) {
        throw RalphException.invalid(
            "the branch "
                + branch
                + " is checked out in "
                + there
                + "; check out another one there");
      }
      if (!Files.exists(root.resolve(".git"))) {
        if (!isRegistered(root)) {
          return false;
        }
        git.run("worktree", "repair"); // an agent has deleted it, and what it did is still there
      }
      Git own = new Git(root, PATIENCE);
      Answer at = own.run("rev-parse", "--git-dir");
      if (!at.isGood() || !Files.exists(root.resolve(at.line()).resolve(WHOLE))) {
        return false;
      }
      requireOwn(own, root, branch);
      return true;
    }

    private void make(Path root) throws InterruptedException {
      boolean hasBranch = has(git, "refs/heads/" + branch);
      if (hasBranch && !has(git, accepted(name))) {
        throw RalphException.invalid(
            "there is a branch "
                + branch
                + " already, which was not made for this; rename it: git branch -m "
                + branch
                + " "
                + branch
                + "-old");
      }
      if (isRegistered(root)) {
        // What a killed git left half made; nobody has worked in it.
        change("remove", "--force", "--force", root.toString());
      }
      change("prune");
      requireFree(root);
      ignore(root);
      if (!has(git, accepted(name)) || !hasBranch) {
        ask("update-ref", accepted(name), "HEAD");
      }
      if (hasBranch) {
        change("add", "--quiet", root.toString(), branch);
      } else {
        change("add", "--quiet", "--no-track", "-b", branch, root.toString(), accepted(name));
      }
      Path own = root.resolve(new Git(root, PATIENCE).run("rev-parse", "--git-dir").line());
      try {
        Files.writeString(own.resolve(WHOLE), "");
      } catch (IOException e) {
        throw RalphException.io("can't write to " + own, e);
      }
    }

    private void change(String... arguments) throws InterruptedException {
      List<String> all = new ArrayList<>(List.of("worktree"));
      all.addAll(List.of(arguments));
      require(
          "git worktree " + String.join(" ", arguments), patient(git, all.toArray(new String[0])));
    }

    private boolean isRegistered(Path root) throws InterruptedException {
      return Files.exists(root) && list(git).contains("worktree " + real(root));
    }

    private static void requireFree(Path root) {
      if (!Files.isDirectory(root)) {
        return;
      }
      try (Stream<Path> files = Files.list(root)) {
        if (files.findAny().isPresent()) {
          throw RalphException.invalid(
              "the folder " + root + " is in the way and no work tree; move it away");
        }
      } catch (IOException e) {
        throw RalphException.io("can't look into " + root, e);
      }
    }

    /** Finds what a person should know. */
    private void look(Path checkout, Path root) throws InterruptedException {
      int changed = changed(git);
      if (changed > 0) {
        notices.add(
            changed
                + (changed == 1 ? " file" : " files")
                + " changed in "
                + checkout
                + " and not committed: the work tree does not have "
                + (changed == 1 ? "that change" : "those changes"));
      }
      String newer = ask("rev-list", "--count", "refs/heads/" + branch + "..HEAD");
      if (!newer.equals("0")) {
        Answer own = git.run("symbolic-ref", "--quiet", "--short", "HEAD");
        String from = own.isGood() ? own.line() : ask("rev-parse", "--short", "HEAD");
        notices.add(
            newer
                + (newer.equals("1") ? " commit" : " commits")
                + " of "
                + from
                + (newer.equals("1") ? " is" : " are")
                + " not in the work tree; to have "
                + (newer.equals("1") ? "it" : "them")
                + " there: "
                + CommandLineWords.join(List.of("git", "-C", root.toString(), "merge", from)));
      }
      if (Files.exists(root.resolve(".gitmodules"))) {
        notices.add(
            "submodules are empty in a new work tree; to fill them: git -C "
                + root
                + " submodule update --init --recursive");
      }
    }

    private String ask(String... arguments) throws InterruptedException {
      Answer answer = git.run(arguments);
      if (!answer.isGood()) {
        throw refused("git " + String.join(" ", arguments), answer);
      }
      return answer.line();
    }
  }
}

package dev.ralph.core.internal.workspace;

import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.IgnoreRules;
import dev.ralph.core.internal.git.MetadataLock;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.git.StaleLocks;
import dev.ralph.core.internal.git.SubmoduleCopies;
import dev.ralph.core.internal.git.TreeChanges;
import dev.ralph.core.internal.git.WorkElsewhere;
import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A repository, as a session's agents use it: what all the other classes here ask Git by. Safe for
 * use by many threads.
 */
final class SessionRepository {

  /** A large repository may take minutes to be checked out. */
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  private final Git git;
  private final Path checkout;
  private final Path home;
  private final Path common;
  private final Path inside;
  private final SessionNames names;

  /** Decide which untracked files of agents are work; read when the agents' work begins. */
  private @Nullable IgnoreRules rules;

  private final Queue<String> notices = new ConcurrentLinkedQueue<>();

  /** By branch of a task: why a killed loop's work on it can't be merged. */
  private final Map<String, String> returned = new ConcurrentHashMap<>();

  private SessionRepository(Path project, Git git, Path checkout, SessionNames names)
      throws InterruptedException {
    this.git = Git.alone(checkout, PATIENCE);
    this.checkout = checkout;
    this.home = GitTrees.home(git, project, checkout);
    this.common = GitTrees.common(git, project);
    this.inside = Path.of(git.run("rev-parse", "--show-prefix").line());
    this.names = names;
  }

  /**
   * Finds the repository.
   *
   * @param project a folder in it
   * @throws RalphException INVALID if there is none, or it can't be worked in; says what to do
   */
  static SessionRepository of(Path project, SessionNames names) throws InterruptedException {
    GitTrees.requireNotLedElsewhere();
    Path folder = project.toAbsolutePath().normalize();
    Git git = new Git(folder, PATIENCE);
    Path checkout = GitTrees.checkout(git, folder);
    GitTrees.requireCommit(git, checkout);
    GitTrees.requireCommitter(git);
    return new SessionRepository(folder, git, checkout, names);
  }

  SessionNames names() {
    return names;
  }

  /**
   * Reads the ignore rules of the commit at which the session left the user's, and of the user.
   * Rules that agents add from now on do not count.
   */
  synchronized void readRules() throws InterruptedException {
    rules = IgnoreRules.of(git, common, names.base(git, names.accepted()));
  }

  /** Returns the changes of an agent's work tree. */
  synchronized TreeChanges changes(Git where, Path root) throws InterruptedException {
    if (rules == null) {
      readRules();
    }
    return new TreeChanges(where, root, Objects.requireNonNull(rules));
  }

  /** Returns the top folder of what the user has checked out. */
  Path checkout() {
    return checkout;
  }

  /** Returns the repository's own folder, the same for all of its work trees. */
  Path common() {
    return common;
  }

  /** Returns the project's folder, as seen from the repository's top. */
  Path inside() {
    return inside;
  }

  /** Returns the top of a work tree, where one of its folders corresponds to the project's. */
  Path top(Path folder) {
    String up = inside.toString().isEmpty() ? "" : "../".repeat(inside.getNameCount());
    return folder.resolve(up).normalize();
  }

  Git git() {
    return git;
  }

  /** Returns what asks Git in another work tree of the repository. */
  static Git in(Path root) {
    return Git.alone(root, PATIENCE);
  }

  /** Returns where an agent's folder is, with nothing in the way to it that leads elsewhere. */
  Path folder(String name) {
    Path folder = home.resolve(SessionNames.PLACE).resolve(name);
    PlainPath.require(home, folder); // a clone may have brought links
    PlainPath.requireFile(home, folder.resolveSibling(GitTrees.IGNORE));
    return folder;
  }

  /** Returns the folders of agents that are there. */
  List<Path> folders() {
    Path place = folder(names.session()).getParent();
    List<Path> found = new ArrayList<>();
    if (place != null && Files.isDirectory(place)) {
      try (var all = Files.list(place)) {
        all.filter(each -> names.isFolder(String.valueOf(each.getFileName()))).forEach(found::add);
      } catch (IOException e) {
        throw GitTrees.failed("can't look into " + place, e);
      }
    }
    return found;
  }

  /** Checks that Git works in the agents' work trees; see {@link GitTrees#requireLinkedTrees}. */
  void requireLinkedTrees() throws InterruptedException {
    GitTrees.requireLinkedTrees(git, common);
  }

  /** Changes which work trees there are, while nobody else does. */
  void changeTrees(MetadataLock.Change change) throws InterruptedException {
    MetadataLock.holding(common, change);
  }

  /** Returns what Git prints in the user's checkout. */
  String ask(String... arguments) throws InterruptedException {
    return ask(git, arguments);
  }

  /**
   * Returns what Git prints.
   *
   * @throws RalphException INVALID if it refuses
   */
  String ask(Git where, String... arguments) throws InterruptedException {
    return GitTrees.require(words(arguments), run(where, null, arguments)).line();
  }

  /** As {@link #ask}, with a text to read. */
  String tell(Git where, String input, String... arguments) throws InterruptedException {
    return GitTrees.require(words(arguments), run(where, input, arguments)).line();
  }

  private String words(String... arguments) {
    return "git " + arguments[0] + " in " + home;
  }

  /** Runs Git, and removes lock files of the session's own that a killed Git left. */
  private Answer run(Git where, @Nullable String input, String... arguments)
      throws InterruptedException {
    return GitTrees.patientWith(input, where, this::removeOwn, arguments);
  }

  private boolean removeOwn(Path lock) {
    Path path = GitTrees.real(lock.resolveSibling(".")).resolve(lock.getFileName());
    String name = path.startsWith(common) ? common.relativize(path).toString() : "";
    if (StaleLocks.isHosted(common) && !name.isEmpty()) {
      return StaleLocks.remove(path, home);
    }
    boolean isOwn =
        name.startsWith("worktrees/" + names.session() + ".")
            || name.startsWith("refs/heads/" + names.branch() + ".")
            || name.startsWith(names.refs());
    return isOwn && StaleLocks.remove(path, home.resolve(SessionNames.PLACE));
  }

  /** Changes references, all or none: lines as {@code git update-ref --stdin} takes them. */
  void change(List<String> lines) throws InterruptedException {
    if (!lines.isEmpty()) {
      tell(git, String.join("\n", lines) + "\n", "update-ref", "-m", "ralph", "--stdin");
    }
  }

  /** Returns the commit of a reference, in full; null if there is none. */
  @Nullable String commit(String ref) throws InterruptedException {
    return commit(git, ref);
  }

  static @Nullable String commit(Git where, String ref) throws InterruptedException {
    Answer answer = where.run("rev-parse", "--verify", "--quiet", ref + "^{commit}");
    return answer.isGood() ? answer.line() : null;
  }

  /** Returns references that begin so, with their commits. */
  Map<String, String> refs(String... patterns) throws InterruptedException {
    List<String> arguments =
        new ArrayList<>(List.of("for-each-ref", "--format=%(objectname) %(refname)"));
    arguments.addAll(List.of(patterns));
    Map<String, String> refs = new TreeMap<>();
    for (String line : ask(arguments.toArray(new String[0])).lines().toList()) {
      int end = line.indexOf(' ');
      refs.put(line.substring(end + 1), line.substring(0, end));
    }
    return refs;
  }

  boolean isWithin(String commit, String later) throws InterruptedException {
    return commit.equals(later) || GitTrees.isWithin(git, commit, later);
  }

  /**
   * Lets go of a branch in a work tree that has it, without touching a file there. What the branch
   * has need not be kept by that tree's agent, whatever becomes of the branch.
   */
  void letGo(Path root, String commit) throws InterruptedException {
    ask(in(root), "update-ref", SessionNames.LET_GO, commit);
    ask(in(root), "update-ref", "--no-deref", "-m", "ralph: let go", "HEAD", commit);
  }

  /** Returns whether Git knows a work tree there, even if its folder is gone. */
  boolean isRegistered(Path root) throws InterruptedException {
    Path real = GitTrees.real(root.resolveSibling(".")).resolve(root.getFileName());
    return GitTrees.list(git).contains("worktree " + real);
  }

  /** Returns where a branch was when a work tree last let go of one; null if it never did. */
  static @Nullable String letGo(Git where) throws InterruptedException {
    return commit(where, SessionNames.LET_GO);
  }

  /** Returns the work trees that have a branch, and are there. */
  List<Path> checkedOutIn(String branch) throws InterruptedException {
    List<Path> found = new ArrayList<>();
    Path root = home;
    for (String line : GitTrees.list(git)) {
      if (line.startsWith("worktree ")) {
        root = Path.of(line.substring("worktree ".length()));
      } else if (line.equals("branch " + SessionNames.head(branch)) && Files.exists(root)) {
        found.add(GitTrees.real(root));
      }
    }
    return found;
  }

  /** Returns whether a work tree is one of this session's agents', or was. */
  boolean isAgents(Path root) {
    String folder = String.valueOf(root.getFileName());
    return (names.isFolder(folder) || names.isAside(folder))
        && GitTrees.real(home.resolve(SessionNames.PLACE)).equals(root.getParent());
  }

  /**
   * Keeps a commit on a branch of its own.
   *
   * @return the branch
   */
  String keepBeside(String branch, String commit) throws InterruptedException {
    String left = GitTrees.freeBranch(git, branch + "-left-");
    change(List.of("create " + SessionNames.head(left) + " " + commit));
    return left;
  }

  /** Tells of files that are committed though the tree's ignore rules name them. */
  void noticeOfIgnored(Path root, List<String> files) {
    if (!files.isEmpty()) {
      notice(TreeChanges.ignoredByAgent(root, files));
    }
  }

  /** Returns the user's modules, for commits of submodules. */
  SubmoduleCopies submodules() {
    return new SubmoduleCopies(checkout, names.refs(), this::notice);
  }

  /** Remembers that the stash entries with a branch's label are older than its task. */
  void rememberStashes(String branch) throws InterruptedException {
    List<String> lines = new ArrayList<>();
    for (String entry : new WorkElsewhere(git, common).stashes(branch)) {
      lines.add("update " + names.stashed(branch) + entry + " " + entry);
    }
    change(lines);
  }

  /** Returns the stash entries of {@link #rememberStashes}. */
  Collection<String> stashed(String branch) throws InterruptedException {
    return refs(names.stashed(branch)).values();
  }

  /** Keeps a branch from being merged until {@link #release}. */
  void hold(String branch, String reason) {
    returned.put(branch, reason);
  }

  /** Returns why a branch was held, or null; it is not held any more. */
  @Nullable String release(String branch) {
    return returned.remove(branch);
  }

  /** Remembers a sentence for a person. */
  void notice(String sentence) {
    notices.add(sentence);
  }

  /** Returns the sentences since the last time. */
  List<String> notices() {
    List<String> all = new ArrayList<>();
    for (String each = notices.poll(); each != null; each = notices.poll()) {
      all.add(each);
    }
    return all;
  }
}

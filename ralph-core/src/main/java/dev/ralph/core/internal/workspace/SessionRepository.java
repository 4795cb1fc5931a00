package dev.ralph.core.internal.workspace;

import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.IgnoreRules;
import dev.ralph.core.internal.git.MetadataLock;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.git.StaleLocks;
import dev.ralph.core.internal.git.TreeChanges;
import dev.ralph.core.internal.git.WorkElsewhere;
import dev.ralph.core.internal.git.submodule.SubmoduleCopies;
import dev.ralph.core.internal.process.CommandResult;
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
 * The repository of a session's agents, through which all classes of this package run Git. Safe for
 * use by many threads.
 */
final class SessionRepository {

  /** The time limit of a call; the checkout of a large repository may take minutes. */
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  private final Git git;
  private final Path checkout;
  private final Path home;
  private final Path common;
  private final Path inside;
  private final SessionNames names;

  /** The rules that select the agents' untracked files; read when the agents' work begins. */
  private @Nullable IgnoreRules rules;

  private final Queue<String> notices = new ConcurrentLinkedQueue<>();

  /** The reasons why the work of a killed loop can't be merged, by branch of a task. */
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
   * @param project a folder in the repository
   * @throws RalphException INVALID if there is no repository, or it is not usable; the message has
   *     the remedy
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
   * Reads the ignore rules of the user, and of the commit at which the session's branch began.
   * Rules that agents add later are ignored.
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

  /** Returns the top folder of the user's checkout. */
  Path checkout() {
    return checkout;
  }

  /** Returns the repository's Git folder, which is the same for all of its work trees. */
  Path common() {
    return common;
  }

  /** Returns the project's folder, relative to the repository's top. */
  Path inside() {
    return inside;
  }

  /** Returns the top of a work tree, given the counterpart of the project's folder in it. */
  Path top(Path folder) {
    String up = inside.toString().isEmpty() ? "" : "../".repeat(inside.getNameCount());
    return folder.resolve(up).normalize();
  }

  Git git() {
    return git;
  }

  /** Creates a runner of Git in another work tree of the repository. */
  static Git in(Path root) {
    return Git.alone(root, PATIENCE);
  }

  /** Returns an agent's folder after checking that no link on its path leads elsewhere. */
  Path folder(String name) {
    Path folder = home.resolve(SessionNames.PLACE).resolve(name);
    PlainPath.require(home, folder); // a clone may contain links
    PlainPath.requireFile(home, folder.resolveSibling(GitTrees.IGNORE));
    return folder;
  }

  /** Returns the existing folders of agents. */
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

  /** Changes the list of work trees under the lock. */
  void changeTrees(MetadataLock.Change change) throws InterruptedException {
    MetadataLock.holding(common, change);
  }

  /** Returns the output of Git in the user's checkout. */
  String ask(String... arguments) throws InterruptedException {
    return ask(git, arguments);
  }

  /**
   * Returns the output of Git.
   *
   * @throws RalphException INVALID if Git fails
   */
  String ask(Git where, String... arguments) throws InterruptedException {
    return GitTrees.require(words(arguments), run(where, null, arguments)).line();
  }

  /** Returns the output of Git like {@link #ask}, with a text on the standard input. */
  String feed(Git where, String input, String... arguments) throws InterruptedException {
    return GitTrees.require(words(arguments), run(where, input, arguments)).line();
  }

  private String words(String... arguments) {
    return "git " + arguments[0] + " in " + home;
  }

  /** Runs Git, and removes the session's lock files that a killed Git left. */
  private CommandResult run(Git where, @Nullable String input, String... arguments)
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

  /** Changes references atomically, with lines of {@code git update-ref --stdin}. */
  void change(List<String> lines) throws InterruptedException {
    if (!lines.isEmpty()) {
      feed(git, String.join("\n", lines) + "\n", "update-ref", "-m", "ralph", "--stdin");
    }
  }

  /** Returns the full id of a reference's commit; null if none exists. */
  @Nullable String commit(String ref) throws InterruptedException {
    return commit(git, ref);
  }

  static @Nullable String commit(Git where, String ref) throws InterruptedException {
    CommandResult answer = where.run("rev-parse", "--verify", "--quiet", ref + "^{commit}");
    return answer.isGood() ? answer.line() : null;
  }

  /** Returns the references that match a pattern or prefix, with their commits. */
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
   * Releases a branch from a work tree without changing its files. The agent of that work tree need
   * not preserve the commits of the branch, even if the branch is deleted.
   */
  void releaseBranch(Path root, String commit) throws InterruptedException {
    ask(in(root), "update-ref", SessionNames.LET_GO, commit);
    ask(in(root), "update-ref", "--no-deref", "-m", "ralph: let go", "HEAD", commit);
  }

  /** Returns whether Git has registered a work tree, even if its folder is missing. */
  boolean isRegistered(Path root) throws InterruptedException {
    Path real = GitTrees.real(root.resolveSibling(".")).resolve(root.getFileName());
    return GitTrees.trees(git).containsKey(real);
  }

  /** Returns the commit of the last release of a branch by a work tree; null if none exists. */
  static @Nullable String lastRelease(Git where) throws InterruptedException {
    return commit(where, SessionNames.LET_GO);
  }

  /** Returns the existing work trees that have checked out a branch. */
  List<Path> checkedOutIn(String branch) throws InterruptedException {
    return GitTrees.allCheckedOutIn(git, branch);
  }

  /** Returns whether a work tree belongs, or belonged, to an agent of this session. */
  boolean isAgents(Path root) {
    String folder = String.valueOf(root.getFileName());
    return (names.isFolder(folder) || names.isAside(folder))
        && GitTrees.real(home.resolve(SessionNames.PLACE)).equals(root.getParent());
  }

  /**
   * Keeps a commit on a new branch.
   *
   * @return the branch
   */
  String keepBeside(String branch, String commit) throws InterruptedException {
    String left = GitTrees.freeBranch(git, branch + "-left-");
    change(List.of("create " + SessionNames.head(left) + " " + commit));
    return left;
  }

  /** Adds a notice about files that are committed although the tree's ignore rules name them. */
  void noticeOfIgnored(Path root, List<String> files) {
    if (!files.isEmpty()) {
      notice(TreeChanges.ignoredByAgent(root, files));
    }
  }

  /** Returns the user's modules, for commits of submodules. */
  SubmoduleCopies submodules() {
    return new SubmoduleCopies(checkout, names.refs(), this::notice);
  }

  /** Records the stash entries with a branch's label that are older than its task. */
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

  /** Prevents the merge of a branch until {@link #release}. */
  void hold(String branch, String reason) {
    returned.put(branch, reason);
  }

  /** Releases a branch, and returns the reason why it was held, or null. */
  @Nullable String release(String branch) {
    return returned.remove(branch);
  }

  /** Adds a sentence for a person. */
  void notice(String sentence) {
    notices.add(sentence);
  }

  /** Returns and removes the sentences. */
  List<String> notices() {
    List<String> all = new ArrayList<>();
    for (String each = notices.poll(); each != null; each = notices.poll()) {
      all.add(each);
    }
    return all;
  }
}

package dev.ralph.core;

import dev.ralph.Gate;
import dev.ralph.Verdict;
import dev.ralph.core.internal.git.BranchOwner;
import dev.ralph.core.internal.git.CheckoutConflicts;
import dev.ralph.core.internal.git.DeletedTree;
import dev.ralph.core.internal.git.FastForward;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.IgnoreRules;
import dev.ralph.core.internal.git.IncompleteTree;
import dev.ralph.core.internal.git.MetadataLock;
import dev.ralph.core.internal.git.ReplacedGit;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.git.SpecialFiles;
import dev.ralph.core.internal.git.StaleLocks;
import dev.ralph.core.internal.git.TreeChanges;
import dev.ralph.core.internal.git.UnmergedFiles;
import dev.ralph.core.internal.git.WorkElsewhere;
import dev.ralph.core.internal.git.submodule.CheckedOutSubmodules;
import dev.ralph.core.internal.git.submodule.NestedRepositories;
import dev.ralph.core.internal.git.submodule.SubmoduleCopies;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.FrameLog;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A separate Git work tree on a separate branch: {@code .ralph/worktrees/NAME} and {@code
 * ralph/NAME}. The user's checkout and its uncommitted changes are never touched.
 *
 * <pre>{@code
 * Worktree tree = Worktree.open(project, "add-login");
 * session.loop(agent).directory(tree.folder()).run();
 * tree.commit("Add a login form");
 * }</pre>
 *
 * <p>The work tree is kept until a user removes it; {@link #open} reuses it. For one thread and one
 * process at a time, besides Git itself.
 */
public final class Worktree {

  /** The folder of all work trees, relative to the repository. */
  public static final Path PLACE = Path.of(SessionNames.PLACE);

  /** The checkout of a large repository may take minutes. */
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  private final SessionNames names;
  private final Path root;
  private final Path folder;
  private final Git git;
  private final Path checkout;
  private final TreeCommits commits;
  private final List<String> notices;
  private final TreeChanges changes;

  /** Finds work of an agent outside the branch, since a position in the reflog. */
  private final WorkElsewhere elsewhere;

  private final long position;
  private final List<String> stashes;

  private Worktree(Opening opening, Path root, Path folder, TreeCommits commits, IgnoreRules rules)
      throws InterruptedException {
    this.names = opening.names;
    this.root = root;
    this.folder = folder;
    this.checkout = GitTrees.checkout(opening.git, opening.project);
    this.git = Git.alone(root, PATIENCE);
    this.commits = commits;
    this.notices = new CopyOnWriteArrayList<>(opening.notices);
    this.changes = new TreeChanges(git, root, rules);
    this.elsewhere = new WorkElsewhere(git, Path.of(ask("rev-parse", "--absolute-git-dir")));
    Path since = Path.of(ask("rev-parse", "--absolute-git-dir")).resolve(SessionNames.SINCE);
    keepAbandoned(WorkElsewhere.read(since));
    this.position = elsewhere.position();
    WorkElsewhere.write(since, position);
    this.stashes = elsewhere.stashes(branch());
  }

  /**
   * Returns the work tree with a name. Creates it from the newest commit if it does not exist.
   *
   * @param project a folder of the repository
   * @param name letters, digits, {@code _} and {@code -}
   * @throws RalphException INVALID if there is no repository or commit, or if Git has no committer;
   *     also if the environment redirects Git, or if a file or a link blocks the folder. The
   *     message contains the remedy. Nothing is changed
   * @throws InterruptedException if the thread is interrupted
   */
  public static Worktree open(Path project, String name) throws InterruptedException {
    return open(project, name, CommitOptions.DEFAULT);
  }

  /**
   * Returns the work tree as {@link #open(Path, String)}, with options for its commits. Reads the
   * repository's hooks now: later changes of the hooks have no effect. Tests {@code commit-msg}
   * with a sample, and creates a trial signature if {@code commit.gpgsign} is set.
   *
   * @param options the options for commits
   * @throws RalphException as {@link #open(Path, String)}
   * @throws InterruptedException if the thread is interrupted
   */
  public static Worktree open(Path project, String name, CommitOptions options)
      throws InterruptedException {
    Topic.checkSegment("the name of a work tree", name);
    return new Opening(project.toAbsolutePath().normalize(), name, null).open(options);
  }

  /**
   * Returns the work tree of a session as {@link #open(Path, String, CommitOptions)}. Rejects a
   * branch of another session with the same name, for example a deleted session or a session in a
   * second store.
   *
   * @param project a folder of the repository
   * @param session the name of the session
   * @param options the options for commits
   * @param log the log of the session
   * @throws RalphException as above; INVALID if the branch belongs to another session
   * @throws InterruptedException if the thread is interrupted
   */
  public static Worktree open(Path project, String session, CommitOptions options, FrameLog log)
      throws InterruptedException {
    Topic.checkSegment("the session name", session);
    BranchOwner owner = BranchOwner.of(log, session);
    return new Opening(project.toAbsolutePath().normalize(), session, owner).open(options);
  }

  /**
   * Returns the work tree of several sessions as {@link #open(Path, String, CommitOptions,
   * FrameLog)}, for example of all sessions on one change.
   *
   * @param project a folder of the repository
   * @param name letters, digits, {@code _} and {@code -}
   * @param options the options for commits
   * @param log the log of the sessions
   * @param owner the topic of the sessions; the id of its first frame identifies the owner of the
   *     branch
   * @throws RalphException as above; INVALID if the branch has another owner
   * @throws InterruptedException if the thread is interrupted
   */
  public static Worktree open(
      Path project, String name, CommitOptions options, FrameLog log, Topic owner)
      throws InterruptedException {
    Topic.checkSegment("the name of a work tree", name);
    return new Opening(project.toAbsolutePath().normalize(), name, BranchOwner.of(log, owner))
        .open(options);
  }

  /** Returns the name of the work tree. */
  public String name() {
    return names.session();
  }

  /** Returns the folder of the work tree that corresponds to the project's folder. */
  public Path folder() {
    return folder;
  }

  /** Returns the top folder of the work tree. */
  public Path root() {
    return root;
  }

  /** Returns the name of the branch. */
  public String branch() {
    return names.branch();
  }

  /**
   * Returns the notices for people about the work tree and its commits since the last call, each a
   * sentence.
   */
  public List<String> notices() {
    List<String> all = new ArrayList<>(notices);
    all.addAll(commits.notices());
    notices.clear();
    return all;
  }

  /**
   * Returns the hook {@code pre-commit} as a gate. The gate stages all changes, as {@link #commit}
   * does, and runs the hook on them. Tracked files changed by the hook are staged too. Add the gate
   * to a loop before all other gates. The later gates then see the files as committed. Then {@link
   * #commit} runs the hook only for changes made since.
   *
   * @return the gate, for one thread at a time; empty if there is no hook to run
   */
  public Optional<Gate> preCommit() {
    return commits.hasPreCommit()
        ? Optional.of(Gate.named("pre-commit", context -> examined()))
        : Optional.empty();
  }

  private Verdict examined() throws InterruptedException {
    try {
      stage();
      return isStaged() ? commits.preCommit() : Verdict.passed();
    } catch (RalphException e) {
      return Verdict.failed(String.valueOf(e.getMessage()));
    }
  }

  private boolean isStaged() throws InterruptedException {
    return !git.run("diff", "--cached", "--quiet").isGood();
  }

  /**
   * Commits all changes except {@code .ralph}, and accepts the agent's own commits. {@link
   * #setAside} does not remove accepted commits any more. The hook {@code pre-commit} runs without
   * a terminal, for at most 30 minutes; tracked files changed by the hook are committed too. The
   * hook {@code commit-msg} may change the message; if it refuses, the message is used unchanged.
   * No further hook runs.
   *
   * @param message the first line is the title, for the {@linkplain CommitOptions#title template}
   * @return the short name of the newest commit, created here or by the agent; empty if none exists
   *     since the last call
   * @throws RalphException INVALID if Git or {@code pre-commit} refuses, with its output; if
   *     another branch is checked out; if a merge is unresolved; if a nested repository would be
   *     left out; or if the agent left commits on other branches or in the stash. Nothing is lost
   * @throws InterruptedException if the thread is interrupted
   */
  public Optional<String> commit(String message) throws InterruptedException {
    stage();
    requireNothingElsewhere();
    if (isStaged()) {
      commits.commit(message);
    }
    if (ask("rev-parse", "HEAD").equals(ask("rev-parse", "--verify", names.accepted()))) {
      return Optional.empty();
    }
    ask("update-ref", names.accepted(), "HEAD");
    return Optional.of(ask("rev-parse", "--short", "HEAD"));
  }

  /**
   * Moves all work since the last {@link #commit} to another branch, and resets the work tree to
   * that commit. Keeps ignored files.
   *
   * @param part a part of the branch's name, such as {@code story-2}
   * @param message the message of the commit with the work
   * @return the branch; empty if there was no work
   * @throws RalphException INVALID as {@link #commit}; the work stays in the work tree
   * @throws InterruptedException if the thread is interrupted
   */
  public Optional<String> setAside(String part, String message) throws InterruptedException {
    stage();
    String accepted = ask("rev-parse", "--verify", names.accepted());
    stageIgnored(accepted);
    boolean changed = !git.run("diff", "--cached", "--quiet").isGood();
    if (!changed && ask("rev-parse", "HEAD").equals(accepted)) {
      return Optional.empty();
    }
    String kept = "HEAD";
    if (changed) {
      kept = ask("commit-tree", ask("write-tree"), "-p", "HEAD", "-m", message);
    }
    CheckedOutSubmodules submodules = new CheckedOutSubmodules(root, git, copies());
    String problem = submodules.move(kept, accepted);
    if (problem != null) {
      throw RalphException.invalid(problem + "; commit them there, or move them elsewhere");
    }
    String branch = GitTrees.freeBranch(git, branch() + "-" + part + "-failed-");
    ask("branch", branch, kept);
    ask("reset", "--quiet", "--hard", accepted);
    submodules.restore();
    return Optional.of(branch);
  }

  private void stage() throws InterruptedException {
    requireFolder();
    restoreGit();
    requireOwn(git, root, branch()); // an agent may have switched branches
    StaleLocks.awaitFree(Path.of(ask("rev-parse", "--absolute-git-dir")), root);
    SpecialFiles.removeFrom(root);
    List<String> unresolved = new UnmergedFiles(git, root).unresolved();
    if (!unresolved.isEmpty()) {
      throw RalphException.invalid(
          "a merge in "
              + root
              + " has unresolved conflicts in: "
              + String.join(", ", unresolved)
              + "; resolve and commit them, or run: "
              + CommandLineWords.join(List.of("git", "-C", root.toString(), "merge", "--abort")));
    }
    NestedRepositories nested = new NestedRepositories(root, git, changes);
    requireNone(nested.notCommitted());
    List<String> ignored = changes.stage();
    if (!ignored.isEmpty()) {
      notices.add(TreeChanges.ignoredByAgent(root, ignored));
    }
    List<String> bases = new ArrayList<>(List.of(names.accepted()));
    CommandResult users = new Git(checkout, PATIENCE).run("rev-parse", "--verify", "HEAD^{commit}");
    bases.addAll(users.isGood() ? List.of(users.line()) : List.of());
    requireNone(nested.leftOut(bases, ask("write-tree"), copies()));
  }

  private void requireFolder() throws InterruptedException {
    if (!Files.exists(root)) {
      keepDeleted(Git.alone(checkout, PATIENCE), root, names).ifPresent(notices::add);
      throw RalphException.invalid(
          "the folder "
              + root
              + " was deleted, with all uncommitted work; start the build again to check out the"
              + " committed files");
    }
  }

  /** Creates branches for commits and staged files of a deleted folder; returns a notice. */
  private static Optional<String> keepDeleted(Git git, Path root, SessionNames names)
      throws InterruptedException {
    Path common = GitTrees.common(git, root);
    String prefix = names.branch(0) + "-left-";
    return DeletedTree.notice(root, DeletedTree.keep(git, common, root, names.branch(), prefix));
  }

  private SubmoduleCopies copies() {
    return new SubmoduleCopies(checkout, names.refs(), notices::add);
  }

  private static void requireNone(List<String> reasons) {
    if (!reasons.isEmpty()) {
      throw RalphException.invalid(String.join("\n\n", reasons));
    }
  }

  /** Removes a repository that an agent has created in place of the file {@code .git}. */
  private void restoreGit() throws InterruptedException {
    Git users = Git.alone(checkout, PATIENCE);
    if (ReplacedGit.isAt(root, GitTrees.common(users, checkout))) {
      String notice = ReplacedGit.remove(users, root, branch() + "-left-");
      GitTrees.patient(users, "worktree", "repair", root.toString());
      notices.add(notice);
    }
  }

  /** Creates branches for commits of the agent on no branch. */
  private void keepAbandoned(long since) throws InterruptedException {
    for (String commit : elsewhere.abandoned(branch(), since)) {
      String left = GitTrees.freeBranch(git, names.branch(0) + "-left-");
      ask("branch", "--no-track", left, commit);
      notices.add("commits of an agent on no branch are kept on " + left);
    }
  }

  private void requireNothingElsewhere() throws InterruptedException {
    List<String> reasons = new ArrayList<>();
    keepAbandoned(position);
    for (String ref : elsewhere.references(branch(), position)) {
      if (!ref.startsWith(branch() + "-")) { // branches created by setAside
        reasons.add(WorkElsewhere.reason(ref, branch()));
      }
    }
    for (String entry : elsewhere.stashes(branch())) {
      if (!stashes.contains(entry)) {
        reasons.add(WorkElsewhere.stashReason(entry, branch()));
      }
    }
    requireNone(reasons);
  }

  /** Stages ignored files that a reset to a commit would replace. */
  private void stageIgnored(String commit) throws InterruptedException {
    CheckoutConflicts conflicts = CheckoutConflicts.untracked(git, root, commit);
    if (!conflicts.isEmpty()) {
      String paths = String.join("\0", conflicts.untracked());
      String[] add = {
        "--literal-pathspecs", "add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"
      };
      GitTrees.require("git add in " + root, git.runWith(paths, add));
    }
  }

  private static void requireOwn(Git git, Path root, String branch) throws InterruptedException {
    CommandResult top = git.run("rev-parse", "--show-toplevel");
    if (top.isGood() && !GitTrees.real(Path.of(top.line())).equals(GitTrees.real(root))) {
      // Without .git in the work tree, Git finds the enclosing checkout and would change it.
      throw RalphException.invalid(
          "the work tree "
              + root
              + " has lost the file .git; run: "
              + CommandLineWords.join(List.of("git", "-C", top.line(), "worktree", "repair")));
    }
    CommandResult head = git.run("symbolic-ref", "--quiet", "--short", "HEAD");
    if (!head.line().equals(branch)) {
      boolean renamed = head.isGood() && !GitTrees.has(git, "refs/heads/" + branch);
      List<String> back =
          renamed ? List.of("branch", "-m", head.line(), branch) : List.of("checkout", branch);
      throw RalphException.invalid(
          "the work tree "
              + root
              + " is "
              + (head.isGood() ? "on the branch " + head.line() : "on no branch")
              + (renamed ? ", and " + branch + " no longer exists" : "")
              + "; run: "
              + CommandLineWords.join(List.of("git", "-C", root.toString()))
              + " "
              + CommandLineWords.join(back));
    }
  }

  private String ask(String... arguments) throws InterruptedException {
    return GitTrees.require("git " + arguments[0] + " in " + root, GitTrees.patient(git, arguments))
        .line();
  }

  @Override
  public String toString() {
    return branch() + " in " + root;
  }

  /** Opens a work tree, or creates it. */
  private static final class Opening {

    private final Path project;
    private final SessionNames names;
    private final String branch;
    private final Git git;
    private final @Nullable BranchOwner owner;
    private final List<String> notices = new ArrayList<>();

    Opening(Path project, String name, @Nullable BranchOwner owner) {
      this.owner = owner;
      this.project = project;
      this.names = new SessionNames(name);
      this.branch = names.branch();
      this.git = Git.alone(project, PATIENCE);
    }

    Worktree open(CommitOptions options) throws InterruptedException {
      GitTrees.requireNotLedElsewhere();
      Path checkout = GitTrees.checkout(git, project);
      GitTrees.requireCommit(git, checkout);
      GitTrees.requireCommitter(git);
      Path home = GitTrees.home(git, project, checkout);
      Path root = home.resolve(PLACE).resolve(names.session());
      PlainPath.require(home, root); // a clone may contain links
      PlainPath.requireFile(home, root.resolveSibling(GitTrees.IGNORE));
      GitTrees.requireLinkedTrees(git, GitTrees.common(git, project));
      if (owner != null) {
        owner.require(git, names);
        requireMarked();
      }
      IgnoreRules rules =
          IgnoreRules.of(
              git, GitTrees.common(git, project), names.base(git, SessionNames.head(branch)));
      if (isUsable(root, rules)) {
        follow(root, rules);
      } else {
        make(root);
      }
      if (owner != null) {
        owner.record(git, names);
      }
      Path folder = root.resolve(ask("rev-parse", "--show-prefix")).normalize();
      PlainPath.require(root, folder);
      addNotices(checkout, root);
      TreeCommits commits = new TreeCommits(checkout, root, names.session(), options);
      return new Worktree(this, root, folder, commits, rules);
    }

    /** Returns whether the work tree exists and was created completely. */
    private boolean isUsable(Path root, IgnoreRules rules) throws InterruptedException {
      Path there = GitTrees.checkedOutIn(git, branch);
      if (there != null && !there.equals(GitTrees.real(root))) {
        throw RalphException.invalid(
            "the branch "
                + branch
                + " is checked out in "
                + there
                + "; check out a different branch in that folder");
      }
      if (!Files.exists(root.resolve(".git"))) {
        if (!isRegistered(root)) {
          return false;
        }
        git.run("worktree", "repair"); // an agent deleted the file; its work is still there
      }
      Path common = GitTrees.common(git, project);
      if (ReplacedGit.isAt(root, common)) {
        notices.add(ReplacedGit.remove(git, root, branch + "-left-"));
        GitTrees.patient(git, "worktree", "repair", root.toString());
      }
      Git own = Git.alone(root, PATIENCE);
      CommandResult at = own.run("rev-parse", "--git-dir");
      if (!at.isGood()) {
        return false;
      }
      Path marker = root.resolve(at.line()).resolve(GitTrees.WHOLE);
      if (!Files.exists(marker)) {
        if (!IncompleteTree.hasWork(own, root)) {
          return false;
        }
        mark(marker); // an agent has deleted the marker
      }
      SpecialFiles.removeFrom(root);
      takeUpAgain(own, root, rules);
      requireOwn(own, root, branch);
      return true;
    }

    /** Checks out the branch again after a loop with several agents detached HEAD from it. */
    private void takeUpAgain(Git own, Path root, IgnoreRules rules) throws InterruptedException {
      if (!own.run("symbolic-ref", "--quiet", "HEAD").isGood()
          && GitTrees.isWithin(own, "HEAD", "refs/heads/" + branch)
          && GitTrees.changed(own, root, rules) == 0) {
        own.run(
            "checkout",
            "--quiet",
            "--no-overwrite-ignore",
            branch); // the following check reports a refusal
      }
    }

    /**
     * Updates the work tree to the checked-out commit, like a new one, if that commit contains the
     * whole branch.
     */
    private void follow(Path root, IgnoreRules rules) throws InterruptedException {
      Git own = Git.alone(root, PATIENCE);
      String at = ask("rev-parse", "--verify", "HEAD^{commit}");
      if (!own.run("rev-parse", "HEAD").line().equals(at)
          && GitTrees.isWithin(own, "HEAD", at)
          && GitTrees.changed(own, root, rules) == 0) {
        try {
          FastForward.run(own, root, at, "start again");
          ask("update-ref", names.accepted(), at);
        } catch (RepositoryLockedException e) {
          throw e;
        } catch (RalphException e) {
          notices.add("the work tree was not updated to the newest commit: " + e.getMessage());
        }
      }
    }

    private void make(Path root) throws InterruptedException {
      MetadataLock.holding(GitTrees.common(git, project), () -> makeAlone(root));
    }

    /** Checks that an existing branch was created here. Returns whether the branch exists. */
    private boolean requireMarked() throws InterruptedException {
      boolean hasBranch = GitTrees.has(git, "refs/heads/" + branch);
      if (hasBranch && !GitTrees.has(git, names.accepted())) {
        throw GitTrees.taken(names);
      }
      return hasBranch;
    }

    private void makeAlone(Path root) throws InterruptedException {
      boolean hasBranch = requireMarked();
      if (isRegistered(root)) {
        // Created incompletely by a killed Git, and never used.
        requireUnused(root);
        change("remove", "--force", "--force", root.toString());
      }
      for (Path deleted : deleted(root)) {
        keepDeleted(git, deleted, names).ifPresent(notices::add);
        change("remove", "--force", "--force", deleted.toString());
      }
      GitTrees.requireFree(root);
      GitTrees.ignore(root);
      if (!GitTrees.has(git, names.accepted()) || !hasBranch) {
        mark();
      }
      if (hasBranch) {
        change("add", "--quiet", root.toString(), branch);
      } else {
        change("add", "--quiet", "--no-track", "-b", branch, root.toString(), names.accepted());
      }
      GitTrees.requireTop(Git.alone(root, PATIENCE), root);
      Path own = root.resolve(Git.alone(root, PATIENCE).run("rev-parse", "--git-dir").line());
      mark(own.resolve(GitTrees.WHOLE));
    }

    private static void mark(Path marker) {
      try {
        Files.writeString(marker, "");
      } catch (IOException e) {
        throw GitTrees.failed("can't write " + marker, e);
      }
    }

    /** Checks that a work tree that git can't use, or that is incomplete, has no work. */
    private static void requireUnused(Path root) throws InterruptedException {
      Git own = Git.alone(root, PATIENCE);
      if (IncompleteTree.hasWork(own, root)) {
        throw RalphException.invalid(
            "git can't use the work tree "
                + root
                + ", which has files: "
                + own.run("status").why()
                + "; move the folder away, and run: git worktree prune");
      }
    }

    /** Creates the marker of the branch together with its owner. */
    private void mark() throws InterruptedException {
      List<String> accepted = List.of("update " + names.accepted() + " HEAD");
      List<String> all = owner == null ? accepted : owner.with(accepted, names, "HEAD");
      String lines = String.join("\n", all) + "\n";
      GitTrees.require("git update-ref", GitTrees.patientWith(lines, git, "update-ref", "--stdin"));
    }

    /**
     * Returns the registered work trees with this folder or branch whose folder is missing. Other
     * missing work trees may belong to the user, for example on a disk that is not mounted.
     */
    private Set<Path> deleted(Path root) throws InterruptedException {
      Path own = DeletedTree.registeredPath(root);
      Map<Path, String> trees = GitTrees.trees(git);
      trees.keySet().removeIf(tree -> !tree.equals(own) && !branch.equals(trees.get(tree)));
      trees.keySet().removeIf(Files::exists);
      return trees.keySet();
    }

    private void change(String... arguments) throws InterruptedException {
      List<String> all = new ArrayList<>(List.of("worktree"));
      all.addAll(List.of(arguments));
      GitTrees.require(
          "git worktree " + String.join(" ", arguments),
          GitTrees.patient(git, all.toArray(new String[0])));
    }

    private boolean isRegistered(Path root) throws InterruptedException {
      return Files.exists(root) && GitTrees.trees(git).containsKey(GitTrees.real(root));
    }

    /** Adds the notices about changes and commits missing from the work tree. */
    private void addNotices(Path checkout, Path root) throws InterruptedException {
      int changed = GitTrees.changed(git);
      if (changed > 0) {
        notices.add(
            changed
                + (changed == 1 ? " file" : " files")
                + " changed in "
                + checkout
                + " but not committed; the work tree lacks "
                + (changed == 1 ? "the change" : "the changes"));
      }
      String newer = ask("rev-list", "--count", "refs/heads/" + branch + "..HEAD");
      if (!newer.equals("0")) {
        CommandResult own = git.run("symbolic-ref", "--quiet", "--short", "HEAD");
        String from = own.isGood() ? own.line() : ask("rev-parse", "--short", "HEAD");
        notices.add(
            newer
                + (newer.equals("1") ? " commit" : " commits")
                + " of "
                + from
                + (newer.equals("1") ? " is" : " are")
                + " not in the work tree; run: "
                + CommandLineWords.join(List.of("git", "-C", root.toString(), "merge", from)));
      }
      if (Files.exists(root.resolve(".gitmodules"))) {
        notices.add(
            "submodules are empty in a new work tree; run: git -C "
                + root
                + " submodule update --init --recursive");
      }
    }

    private String ask(String... arguments) throws InterruptedException {
      return GitTrees.require(
              "git " + String.join(" ", arguments), GitTrees.patient(git, arguments))
          .line();
    }
  }
}

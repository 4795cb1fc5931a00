package dev.ralph.core;

import dev.ralph.Gate;
import dev.ralph.Verdict;
import dev.ralph.core.internal.git.BranchOwner;
import dev.ralph.core.internal.git.CheckoutConflicts;
import dev.ralph.core.internal.git.FastForward;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.IgnoreRules;
import dev.ralph.core.internal.git.MetadataLock;
import dev.ralph.core.internal.git.NestedRepositories;
import dev.ralph.core.internal.git.ReplacedGit;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.git.StaleLocks;
import dev.ralph.core.internal.git.SubmoduleCopies;
import dev.ralph.core.internal.git.TreeChanges;
import dev.ralph.core.internal.git.UnmergedFiles;
import dev.ralph.core.internal.git.WorkElsewhere;
import dev.ralph.core.internal.process.Answer;
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
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
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
  public static final Path PLACE = Path.of(SessionNames.PLACE);

  /** A large repository may take minutes to be checked out. */
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  /** In the tree's own folder of Git's: the length of the log of HEAD at which a build began. */
  private static final String SINCE = "ralph-since";

  private final SessionNames names;
  private final Path root;
  private final Path folder;
  private final Git git;
  private final Path checkout;
  private final TreeCommits commits;
  private final List<String> notices;
  private final TreeChanges changes;

  /** Where work of an agent may be besides the branch, and since when it counts. */
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
    Path since = Path.of(ask("rev-parse", "--absolute-git-dir")).resolve(SINCE);
    keepAbandoned(WorkElsewhere.read(since));
    this.position = elsewhere.position();
    WorkElsewhere.write(since, position);
    this.stashes = elsewhere.stashes(branch());
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
    return open(project, name, CommitOptions.DEFAULT);
  }

  /**
   * Returns the work tree as {@link #open(Path, String)}, and sets how it commits. The hooks of the
   * repository are read now: later changes of them do not take effect. {@code commit-msg} is tried
   * with a sample; and a trial signature is made if {@code commit.gpgsign} is set.
   *
   * @param options how commits are made
   * @throws RalphException as {@link #open(Path, String)}
   * @throws InterruptedException if the thread is interrupted
   */
  public static Worktree open(Path project, String name, CommitOptions options)
      throws InterruptedException {
    Topic.checkSegment("the name of a work tree", name);
    return new Opening(project.toAbsolutePath().normalize(), name, null).open(options);
  }

  /**
   * Returns the work tree of a session, as {@link #open(Path, String, CommitOptions)} does, if the
   * branch is not that of another session with the same name: one that was deleted, or is in
   * another store.
   *
   * @param project a folder of the repository
   * @param session its name
   * @param options how commits are made
   * @param log has the session
   * @throws RalphException as above; INVALID if the branch belongs to another session
   * @throws InterruptedException if the thread is interrupted
   */
  public static Worktree open(Path project, String session, CommitOptions options, FrameLog log)
      throws InterruptedException {
    Topic.checkSegment("the name of a session", session);
    BranchOwner owner = BranchOwner.of(log, session);
    return new Opening(project.toAbsolutePath().normalize(), session, owner).open(options);
  }

  /** Returns its name. */
  public String name() {
    return names.session();
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
    return names.branch();
  }

  /**
   * Returns what a person should know of it and of its commits, each in a sentence, since the last
   * call.
   */
  public List<String> notices() {
    List<String> all = new ArrayList<>(notices);
    all.addAll(commits.notices());
    notices.clear();
    return all;
  }

  /**
   * Returns the hook {@code pre-commit} as a gate: it stages all that was changed, as {@link
   * #commit} does, and runs the hook on it. Tracked files that the hook changes are staged as well.
   * Added to a loop before all other gates, these see the files as they will be committed, and
   * {@link #commit} runs the hook only if files were changed since.
   *
   * @return the gate, for one thread at a time; empty if no such hook is to run
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
   * Commits all that was changed, but for {@code .ralph}, and accepts what the agent has committed
   * itself: neither is {@linkplain #setAside set aside} any more. The hook {@code pre-commit} runs
   * without a terminal, for at most 30 minutes; tracked files that it changes are committed too.
   * The message is as {@code commit-msg} leaves it, or as it is where that hook refuses. No other
   * hook runs.
   *
   * @param message its first line is the title, for the {@linkplain CommitOptions#title template}
   * @return the newest commit, shortened, this one or the agent's; empty if there is none since the
   *     last time
   * @throws RalphException INVALID if git or {@code pre-commit} refuses: with what that said; if
   *     another branch is checked out in it; if a merge is not resolved; if a repository within it
   *     would be left out; or if the agent left commits on other branches or in the stash. Nothing
   *     is lost then
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
    String branch = GitTrees.freeBranch(git, branch() + "-" + part + "-failed-");
    ask("branch", branch, kept);
    ask("reset", "--quiet", "--hard", accepted);
    return Optional.of(branch);
  }

  private void stage() throws InterruptedException {
    restoreGit();
    requireOwn(git, root, branch()); // an agent may have left it
    StaleLocks.awaitFree(Path.of(ask("rev-parse", "--absolute-git-dir")), root);
    List<String> unresolved = new UnmergedFiles(git, root).unresolved();
    if (!unresolved.isEmpty()) {
      throw RalphException.invalid(
          "a merge in "
              + root
              + " has conflicts that are not resolved, in: "
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
    Answer users = new Git(checkout, PATIENCE).run("rev-parse", "--verify", "HEAD^{commit}");
    bases.addAll(users.isGood() ? List.of(users.line()) : List.of());
    SubmoduleCopies copies = new SubmoduleCopies(checkout, names.refs(), notices::add);
    requireNone(nested.leftOut(bases, ask("write-tree"), copies));
  }

  private static void requireNone(List<String> reasons) {
    if (!reasons.isEmpty()) {
      throw RalphException.invalid(String.join("\n\n", reasons));
    }
  }

  /** Removes a repository that an agent has made in place of the file {@code .git}. */
  private void restoreGit() throws InterruptedException {
    Git users = Git.alone(checkout, PATIENCE);
    if (ReplacedGit.isAt(root, GitTrees.common(users, checkout))) {
      String notice = ReplacedGit.remove(users, root, branch() + "-left-");
      GitTrees.patient(users, "worktree", "repair", root.toString());
      notices.add(notice);
    }
  }

  /** Keeps commits on no branch, which the agent has left, on branches of their own. */
  private void keepAbandoned(long since) throws InterruptedException {
    for (String commit : elsewhere.abandoned(branch(), since)) {
      String left = GitTrees.freeBranch(git, names.branch(0) + "-left-");
      ask("branch", "--no-track", left, commit);
      notices.add("commits that an agent made on no branch are kept on " + left);
    }
  }

  private void requireNothingElsewhere() throws InterruptedException {
    List<String> reasons = new ArrayList<>();
    keepAbandoned(position);
    for (String ref : elsewhere.references(branch(), position)) {
      if (!ref.startsWith(branch() + "-")) { // as setAside names branches
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
    Answer top = git.run("rev-parse", "--show-toplevel");
    if (top.isGood() && !GitTrees.real(Path.of(top.line())).equals(GitTrees.real(root))) {
      // Everything would be done to the checkout above.
      throw RalphException.invalid(
          "the work tree "
              + root
              + " has no file .git any more; run: "
              + CommandLineWords.join(List.of("git", "-C", top.line(), "worktree", "repair")));
    }
    Answer head = git.run("symbolic-ref", "--quiet", "--short", "HEAD");
    if (!head.line().equals(branch)) {
      boolean renamed = head.isGood() && !GitTrees.has(git, "refs/heads/" + branch);
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

  private String ask(String... arguments) throws InterruptedException {
    return GitTrees.require("git " + arguments[0] + " in " + root, GitTrees.patient(git, arguments))
        .line();
  }

  @Override
  public String toString() {
    return branch() + " in " + root;
  }

  /** Finds a work tree, or makes it. */
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
      PlainPath.require(home, root); // a clone may have brought links
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
      look(checkout, root);
      TreeCommits commits = new TreeCommits(checkout, root, names.session(), options);
      return new Worktree(this, root, folder, commits, rules);
    }

    /** Returns whether the work tree is there, from its beginning to its end. */
    private boolean isUsable(Path root, IgnoreRules rules) throws InterruptedException {
      Path there = GitTrees.checkedOutIn(git, branch);
      if (there != null && !there.equals(GitTrees.real(root))) {
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
      Path common = GitTrees.common(git, project);
      if (ReplacedGit.isAt(root, common)) {
        notices.add(ReplacedGit.remove(git, root, branch + "-left-"));
        GitTrees.patient(git, "worktree", "repair", root.toString());
      }
      Git own = Git.alone(root, PATIENCE);
      Answer at = own.run("rev-parse", "--git-dir");
      if (!at.isGood() || !Files.exists(root.resolve(at.line()).resolve(GitTrees.WHOLE))) {
        return false;
      }
      takeUpAgain(own, root, rules);
      requireOwn(own, root, branch);
      return true;
    }

    /** Checks its branch out again that was let go of, because several agents landed on it. */
    private void takeUpAgain(Git own, Path root, IgnoreRules rules) throws InterruptedException {
      if (!own.run("symbolic-ref", "--quiet", "HEAD").isGood()
          && GitTrees.isWithin(own, "HEAD", "refs/heads/" + branch)
          && GitTrees.changed(own, root, rules) == 0) {
        own.run(
            "checkout",
            "--quiet",
            "--no-overwrite-ignore",
            branch); // refused, the next says what is to be done
      }
    }

    /** Begins at what is checked out, as a new one does, where all of its branch is in that. */
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

    /** Checks that the branch was made here, if it exists; returns whether it does. */
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
        // What a killed git left half made; nobody has worked in it.
        change("remove", "--force", "--force", root.toString());
      }
      change("prune");
      GitTrees.requireFree(root);
      GitTrees.ignore(root);
      if (!GitTrees.has(git, names.accepted()) || !hasBranch) {
        ask("update-ref", names.accepted(), "HEAD");
      }
      if (hasBranch) {
        change("add", "--quiet", root.toString(), branch);
      } else {
        change("add", "--quiet", "--no-track", "-b", branch, root.toString(), names.accepted());
      }
      GitTrees.requireTop(Git.alone(root, PATIENCE), root);
      Path own = root.resolve(Git.alone(root, PATIENCE).run("rev-parse", "--git-dir").line());
      try {
        Files.writeString(own.resolve(GitTrees.WHOLE), "");
      } catch (IOException e) {
        throw GitTrees.failed("can't write to " + own, e);
      }
    }

    private void change(String... arguments) throws InterruptedException {
      List<String> all = new ArrayList<>(List.of("worktree"));
      all.addAll(List.of(arguments));
      GitTrees.require(
          "git worktree " + String.join(" ", arguments),
          GitTrees.patient(git, all.toArray(new String[0])));
    }

    private boolean isRegistered(Path root) throws InterruptedException {
      return Files.exists(root) && GitTrees.list(git).contains("worktree " + GitTrees.real(root));
    }

    /** Finds what a person should know. */
    private void look(Path checkout, Path root) throws InterruptedException {
      int changed = GitTrees.changed(git);
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
      return GitTrees.require(
              "git " + String.join(" ", arguments), GitTrees.patient(git, arguments))
          .line();
    }
  }
}

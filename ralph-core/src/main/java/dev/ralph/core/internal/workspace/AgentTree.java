package dev.ralph.core.internal.workspace;

import dev.ralph.core.internal.git.CheckoutConflicts;
import dev.ralph.core.internal.git.DeletedTree;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.IncompleteTree;
import dev.ralph.core.internal.git.ProvidedFiles;
import dev.ralph.core.internal.git.ReplacedGit;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.git.SpecialFiles;
import dev.ralph.core.internal.git.StaleLocks;
import dev.ralph.core.internal.git.WorkElsewhere;
import dev.ralph.core.internal.git.submodule.CheckedOutSubmodules;
import dev.ralph.core.internal.git.submodule.NestedRepositories;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An agent's folder: a work tree that is created once and then checks out the branches of
 * successive tasks, so build output is kept. All files that an agent leaves are preserved. Not
 * thread-safe.
 */
final class AgentTree {

  /** The file in the work tree's Git folder with the agent's present branch. */
  static final String BRANCH = "ralph-branch";

  /**
   * The file in the Git folder that names the file which only the merge queue changes; empty for
   * none.
   */
  static final String EXEMPT = "ralph-exempt";

  private static final String COMMIT = "# branch.oid ";
  private static final String HEAD = "# branch.head ";

  /** The files in the Git folder that mark an unfinished operation. */
  private static final List<String> UNFINISHED =
      List.of(
          "MERGE_HEAD",
          "CHERRY_PICK_HEAD",
          "REVERT_HEAD",
          "BISECT_LOG",
          "rebase-merge",
          "rebase-apply");

  private static final String KEPT = "Keep the work of an ended agent";

  /** Some work can't be committed and stays in the folder. The other work is committed. */
  private static final class LeftOutException extends RalphException {
    private static final long serialVersionUID = 1L;

    private LeftOutException(List<String> reasons) {
      super(Code.INVALID, String.join("\n\n", reasons), null);
    }
  }

  private final SessionRepository repository;
  private final Path root;
  private final Git git;

  /** The Git folder of the work tree; null until it is known. */
  private @Nullable Path own;

  AgentTree(SessionRepository repository, Path root) {
    this.repository = repository;
    this.root = root;
    this.git = SessionRepository.in(root);
  }

  Path root() {
    return root;
  }

  /**
   * Checks out a branch. First preserves the remaining work, and creates the folder if it does not
   * exist. Moves the folder aside if the branch would replace ignored files.
   *
   * @param exempt the file that only the merge queue changes, relative to the repository's top;
   *     empty for none
   */
  void enter(String branch, String exempt) throws InterruptedException {
    recover(branch);
    CheckedOutSubmodules submodules = new CheckedOutSubmodules(root, git, repository.submodules());
    if (isWhole()) {
      String problem = conflict(branch);
      if (problem == null) {
        String left = submodules.move("HEAD", SessionNames.head(branch));
        problem = branch.equals(entered()) ? null : left; // its own work stays in the folder
      }
      if (problem != null) {
        setAside(problem);
      }
    }
    if (!isWhole()) {
      make(SessionNames.head(branch));
    }
    boolean isNext = !branch.equals(entered());
    repository.ask(git, "checkout", "--quiet", "--force", branch, "--");
    submodules.restore();
    if (isNext || !Files.exists(own().resolve(SessionNames.SINCE))) {
      write(own().resolve(SessionNames.SINCE), new WorkElsewhere(git, own()).position() + "\n");
    }
    write(own().resolve(BRANCH), branch);
    write(own().resolve(EXEMPT), exempt);
  }

  /**
   * Preserves the work of a killed loop. A task that is not completely on its branch is not merged.
   */
  void recover() throws InterruptedException {
    recover(null);
  }

  /**
   * Preserves the remaining work. Moves the folder aside if the work can't be committed, so that
   * other agents can work.
   *
   * @param next the branch of the next task, or null; its own work stays in the folder
   * @throws RalphException FULL or IO if the disk is full or access is denied; the folder is
   *     unchanged
   */
  void recover(@Nullable String next) throws InterruptedException {
    if (!Files.exists(root)) {
      keepDeleted(repository.names().branch(Workspaces.NO_TASK));
      return;
    }
    restoreGit();
    if (isHalfMade()) {
      return;
    }
    String branch = null;
    try {
      if (!isWhole()) {
        GitTrees.patient(repository.git(), "worktree", "repair", root.toString());
      }
      if (isWhole()) {
        branch = entered();
        ProvidedFiles.recordOfKilled(root, repository.changes(git, root));
        List<String> beside = new ArrayList<>(keepHere(branch, KEPT));
        if (next == null) {
          beside.addAll(elsewhere(branch));
        }
        if (!beside.isEmpty()) {
          repository.hold(branch, String.join("\n\n", beside));
        }
        return;
      }
      setAside("the folder is no longer a registered work tree");
    } catch (RalphException e) {
      if (e.code() != RalphException.Code.INVALID || e instanceof RepositoryLockedException) {
        throw e;
      }
      if (!(e instanceof LeftOutException && next != null && next.equals(branch))) {
        Path aside = setAside(e.getMessage());
        if (branch != null && next == null) {
          String reason = String.valueOf(e.getMessage()).replace(root.toString(), aside.toString());
          repository.hold(branch, "part of the work is only in " + aside + ": " + reason);
        }
      }
    }
  }

  /** Removes a repository that an agent created in place of the file {@code .git}. */
  private void restoreGit() throws InterruptedException {
    if (ReplacedGit.isAt(root, repository.common())) {
      String prefix = repository.names().branch(Workspaces.NO_TASK) + "-left-";
      repository.notice(ReplacedGit.remove(repository.git(), root, prefix));
      own = null;
    }
  }

  private Path setAside(@Nullable String why) throws InterruptedException {
    int number = 1;
    Path aside = root.resolveSibling(root.getFileName() + "-left-1");
    while (Files.exists(aside)) {
      number++;
      aside = root.resolveSibling(root.getFileName() + "-left-" + number);
    }
    Path there = aside;
    repository.changeTrees(
        () -> {
          String[] move = {"worktree", "move", "--force", "--force", root.toString(), "" + there};
          if (!GitTrees.patient(repository.git(), move).isGood()) { // for example with a submodule
            rename(there);
            GitTrees.patient(repository.git(), "worktree", "repair", "" + there);
          }
        });
    own = null;
    repository.notice(
        "can't keep the work of an agent in "
            + root
            + " on a branch: "
            + why
            + "; the folder was moved to "
            + aside);
    return aside;
  }

  private void rename(Path aside) {
    try {
      Files.move(root, aside);
    } catch (IOException e) {
      throw GitTrees.failed("can't move " + root + " to " + aside, e);
    }
  }

  /** Returns whether the creation of the work tree is complete. */
  private boolean isWhole() throws InterruptedException {
    return isOwnTop() && Files.exists(own().resolve(GitTrees.WHOLE));
  }

  /**
   * Returns whether a killed git left the work tree incomplete, before any agent worked there.
   * Restores the marker of a complete work tree if an agent has deleted it.
   */
  private boolean isHalfMade() throws InterruptedException {
    if (!isOwnTop() || isWhole()) {
      return false;
    }
    boolean hasWork = IncompleteTree.hasWork(git, root);
    if (hasWork) {
      write(own().resolve(GitTrees.WHOLE), "");
    }
    return !hasWork;
  }

  /**
   * Returns whether git works in this folder. Without the file .git, git would work in the checkout
   * around it.
   */
  private boolean isOwnTop() throws InterruptedException {
    if (own == null && Files.exists(root.resolve(".git"))) {
      CommandResult told = git.run("rev-parse", "--show-toplevel", "--absolute-git-dir");
      List<String> lines = told.line().lines().toList();
      boolean isOwn =
          told.isGood() && GitTrees.real(Path.of(lines.get(0))).equals(GitTrees.real(root));
      own = isOwn ? Path.of(lines.get(1)) : null;
    }
    return own != null;
  }

  /** Returns the Git folder of the work tree. */
  private Path own() throws InterruptedException {
    if (!isOwnTop() || own == null) {
      throw RalphException.invalid("the folder " + root + " is no longer a work tree");
    }
    return own;
  }

  private void make(String commit) throws InterruptedException {
    GitTrees.ignore(root);
    repository.changeTrees(() -> register(commit));
    GitTrees.requireTop(git, root);
    repository.ask(git, "reset", "--quiet", "--hard");
    write(own().resolve(GitTrees.WHOLE), "");
  }

  private void register(String commit) throws InterruptedException {
    // A registered work tree has lost its folder, or is incomplete.
    if (repository.isRegistered(root)) {
      repository.ask("worktree", "remove", "--force", "--force", root.toString());
    }
    GitTrees.requireFree(root);
    String[] add = {
      "worktree", "add", "--quiet", "--no-checkout", "--detach", root.toString(), commit
    };
    repository.ask(repository.git(), add);
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw GitTrees.failed("can't write " + file, e);
    }
  }

  /**
   * Commits all changes of the folder to the entered branch, independent of the checked-out branch.
   * For an agent without a task, work on other branches only prevents the merge.
   *
   * @throws RalphException INVALID if work of the agent is not on the branch, with the reason
   */
  void keep(String branch, String message) throws InterruptedException {
    if (!Files.exists(root)) {
      repository.notice("the folder " + root + " was deleted, with all uncommitted work");
      List<String> kept = keepDeleted(branch);
      if (!kept.isEmpty()) {
        throw new LeftOutException(
            kept.stream().map(left -> WorkElsewhere.reason(left, branch)).toList());
      }
      return;
    }
    restoreGit();
    if (isOwnTop() && !isWhole()) {
      write(own().resolve(GitTrees.WHOLE), ""); // the agent has deleted the marker
    }
    if (!isWhole()) {
      recover();
      return;
    }
    List<String> beside = new ArrayList<>(keepHere(branch, message));
    beside.addAll(elsewhere(branch));
    if (beside.isEmpty()) {
      repository.release(branch);
    } else if (repository.names().branch(Workspaces.NO_TASK).equals(branch)) {
      repository.hold(branch, String.join("\n\n", beside));
    } else {
      throw new LeftOutException(beside);
    }
  }

  /** Creates branches for commits and staged files of the deleted folder; returns the names. */
  private List<String> keepDeleted(String branch) throws InterruptedException {
    String prefix = branch + "-left-";
    List<String> kept =
        DeletedTree.keep(repository.git(), repository.common(), root, branch, prefix);
    DeletedTree.notice(root, kept).ifPresent(repository::notice);
    return kept;
  }

  /**
   * Commits all changes of the folder to a branch.
   *
   * @return sentences about work kept on another branch
   * @throws LeftOutException if some work can't be committed; the other work is committed
   */
  private List<String> keepHere(String branch, String message) throws InterruptedException {
    StaleLocks.awaitFree(own(), root);
    SpecialFiles.removeFrom(root);
    NestedRepositories nested = new NestedRepositories(root, git, repository.changes(git, root));
    List<String> reasons = new ArrayList<>();
    List<String> beside = new ArrayList<>();
    if (!isClean(branch)) {
      commitAll(branch, message, beside);
      reasons.addAll(nested.notCommitted());
    }
    String tip = repository.commit(SessionNames.head(branch));
    String began = began(branch);
    String newest = repository.commit(repository.names().accepted());
    if (tip != null && began != null && newest != null) {
      reasons.addAll(nested.leftOut(List.of(began, newest), tip, repository.submodules()));
    }
    if (!reasons.isEmpty()) {
      throw new LeftOutException(reasons);
    }
    return beside;
  }

  private void commitAll(String branch, String message, List<String> beside)
      throws InterruptedException {
    String kept = new UnfinishedMerge(repository, git, root, own()).end(branch);
    if (kept != null) {
      beside.add(kept);
    }
    String head = SessionNames.head(branch);
    if (git.run("symbolic-ref", "--quiet", "HEAD").line().equals(head)) {
      if (repository.commit(head) == null) {
        restore(head);
      }
      stage();
      if (isChanged()) {
        repository.feed(
            git, message, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "-F", "-");
      }
      return;
    }
    bringBack(branch, message, beside);
  }

  /** Returns the agent's work that is missing on the branch, as sentences with the remedy. */
  private List<String> elsewhere(String branch) throws InterruptedException {
    WorkElsewhere elsewhere = new WorkElsewhere(git, own());
    List<String> since = since();
    long position = since.isEmpty() ? 0 : Long.parseLong(since.get(0));
    List<String> reasons = new ArrayList<>();
    for (String commit : elsewhere.abandoned(branch, position)) {
      if (!since.contains(commit)) {
        repository.keepBeside(branch, commit);
        write(own().resolve(SessionNames.SINCE), String.join("\n", since) + "\n" + commit + "\n");
      }
    }
    for (String ref : elsewhere.references(branch, position)) {
      reasons.add(WorkElsewhere.reason(ref, branch));
    }
    Collection<String> old = repository.stashed(branch);
    for (String entry : elsewhere.stashes(branch)) {
      if (!old.contains(entry)) {
        reasons.add(WorkElsewhere.stashReason(entry, branch));
      }
    }
    return reasons;
  }

  private List<String> since() throws InterruptedException {
    Path file = own().resolve(SessionNames.SINCE);
    try {
      List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
      boolean isNumber = !lines.isEmpty() && lines.get(0).matches("\\d{1,15}");
      return isNumber ? lines : List.of("0");
    } catch (IOException e) {
      throw GitTrees.failed("can't read " + file, e);
    }
  }

  /**
   * Returns whether there is no work to keep, which is the usual case and needs one call of Git.
   */
  private boolean isClean(String branch) throws InterruptedException {
    if (!repository.changes(git, root).reveal().isEmpty()) {
      return false;
    }
    String[] status = {
      "status",
      "--porcelain=v2",
      "--branch",
      "-z",
      "--",
      ":/",
      GitTrees.NO_STORE,
      GitTrees.NO_WORKTREES,
      GitTrees.NO_HOSTED
    };
    String commit = "";
    String head = "";
    Set<String> untracked = new TreeSet<>();
    for (String entry : repository.ask(git, status).split("\0")) {
      if (entry.startsWith("? ")) {
        untracked.add(entry.substring(2));
      } else if (!entry.startsWith("# ")) {
        return false;
      }
      commit = entry.startsWith(COMMIT) ? entry.substring(COMMIT.length()) : commit;
      head = entry.startsWith(HEAD) ? entry.substring(HEAD.length()) : head;
    }
    untracked.removeIf(path -> path.startsWith(".ralph/"));
    ProvidedFiles.removeFrom(untracked, root);
    if (!untracked.isEmpty()) {
      return false;
    }
    Path folder = own();
    if (UNFINISHED.stream().anyMatch(name -> Files.exists(folder.resolve(name)))) {
      return false;
    }
    return head.equals(branch) && !commit.equals("(initial)")
        || head.equals("(detached)")
            && (isLetGo(commit) || repository.isWithin(commit, SessionNames.head(branch)));
  }

  private String entered() throws InterruptedException {
    Path file = own().resolve(BRANCH);
    try {
      String branch = Files.exists(file) ? Files.readString(file).strip() : "";
      return repository.names().number(branch).isPresent()
          ? branch
          : repository.names().branch(Workspaces.NO_TASK);
    } catch (IOException e) {
      throw GitTrees.failed("can't read " + file, e);
    }
  }

  /** Restores a branch that was deleted while it was checked out here. */
  private void restore(String head) throws InterruptedException {
    Path log = own().resolve("logs/HEAD");
    try {
      List<String> moves = Files.exists(log) ? Files.readAllLines(log) : List.of();
      String last = moves.isEmpty() ? "" : moves.get(moves.size() - 1);
      String[] fields = last.split(" ", 3);
      if (fields.length > 1) {
        boolean isDeletion = fields[1].matches("0+");
        repository.change(List.of("create " + head + " " + fields[isDeletion ? 0 : 1]));
      }
    } catch (IOException e) {
      throw GitTrees.failed("can't read " + log, e);
    }
  }

  /** Stages all changes that a commit can contain. */
  private void stage() throws InterruptedException {
    repository.noticeOfIgnored(root, repository.changes(git, root).stage());
  }

  private boolean isChanged() throws InterruptedException {
    return !git.run("diff", "--cached", "--quiet").isGood()
        || Files.exists(own().resolve("MERGE_HEAD"));
  }

  /** Checks out the branch again, from any commit that the agent has checked out. */
  private void bringBack(String branch, String message, List<String> beside)
      throws InterruptedException {
    String head = SessionNames.head(branch);
    String own = repository.commit(head);
    String began = own == null ? began(branch) : own;
    String at = SessionRepository.commit(git, "HEAD");
    stage();
    String top = at;
    if (at == null || isChanged()) {
      String tree = repository.ask(git, "write-tree");
      top =
          at == null
              ? repository.feed(git, message, "commit-tree", tree, "-F", "-")
              : repository.feed(git, message, "commit-tree", tree, "-p", at, "-F", "-");
    }
    // The task may now belong to another agent; do not move the branch in its work tree.
    boolean isElsewhere = !repository.checkedOutIn(branch).isEmpty();
    if (!isElsewhere && top != null && began != null && repository.isWithin(began, top)) {
      // Commits made elsewhere count as work on the task.
      String how =
          own == null ? "create " + head + " " + top : "update " + head + " " + top + " " + own;
      repository.change(List.of(how));
    } else if (top != null && !isLetGo(top) && !isOnABranch(top)) {
      String kept = repository.keepBeside(branch, top);
      String sentence = "an agent left the branch " + branch + "; the work is kept on " + kept;
      repository.notice(sentence);
      beside.add(sentence + "; merge " + kept + " (git merge " + kept + "), or delete it");
    }
    String back = isElsewhere || repository.commit(head) == null ? "--detach" : branch;
    String conflict = back.equals(branch) ? conflict(branch) : null;
    if (conflict != null) {
      throw RalphException.invalid(conflict);
    }
    repository.ask(git, "checkout", "--quiet", "--force", back);
  }

  /**
   * Returns a message about the ignored files that a forced checkout would replace; null if there
   * are none. All other files are already committed.
   */
  private @Nullable String conflict(String branch) throws InterruptedException {
    Set<String> files = new TreeSet<>(CheckoutConflicts.untracked(git, root, branch).untracked());
    ProvidedFiles.removeFrom(files, root);
    return files.isEmpty()
        ? null
        : branch
            + " would replace ignored files in "
            + root
            + ": "
            + CheckoutConflicts.names(files);
  }

  private @Nullable String began(String branch) throws InterruptedException {
    return repository.refs(repository.names().began(branch, "*")).values().stream()
        .findFirst()
        .orElse(null);
  }

  private boolean isLetGo(String commit) throws InterruptedException {
    String letGo = SessionRepository.lastRelease(git);
    return letGo != null && repository.isWithin(commit, letGo);
  }

  private boolean isOnABranch(String commit) throws InterruptedException {
    return !repository
        .ask("for-each-ref", "--count=1", "--contains", commit, "refs/heads", "refs/remotes")
        .isEmpty();
  }
}

package dev.ralph.core.internal.workspace;

import dev.ralph.Redactor;
import dev.ralph.Verdict;
import dev.ralph.core.BranchMerger;
import dev.ralph.core.BranchMerger.Result;
import dev.ralph.core.BranchMerger.Status;
import dev.ralph.core.CommitOptions;
import dev.ralph.core.internal.branch.BranchHold;
import dev.ralph.core.internal.commit.CommitHooks;
import dev.ralph.core.internal.commit.CommitMessages;
import dev.ralph.core.internal.commit.CommitTitle;
import dev.ralph.core.internal.git.BranchOwner;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.ProvidedFiles;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.core.internal.git.RepositoryWatch;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.git.UserBranch;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.GitHead;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A branch for each task, a work tree for each agent, and a branch of the session into which tasks
 * are merged. Examples are {@code ralph/SESSION.t4}, {@code .ralph/worktrees/SESSION.2} and {@code
 * ralph/SESSION}. The user's checkout is never changed.
 */
public final class GitWorkspaces implements Workspaces {

  private static final String GIT_SETTINGS = "GIT_CONFIG_COUNT";

  /** Disables gc, because a git killed during gc would leave a lock that blocks all others. */
  private static final Map<String, String> NO_CLEANING_UP =
      Map.of(GIT_SETTINGS, "1", "GIT_CONFIG_KEY_0", "gc.auto", "GIT_CONFIG_VALUE_0", "0");

  /** A time limit without effect, because the gates have their own limit. */
  private static final Duration UNLIMITED = Duration.ofDays(36_500);

  private final Path project;
  private final SessionRepository repository;
  private final SessionNames names;
  private final SessionBranch branch;
  private final TreePreparation preparation;
  private final PortBlocks ports;
  private final @Nullable BranchPush push;
  private final CommitOptions commits;
  private final CommitHooks.Limits hookLimits;

  /** Held while branches of tasks are created, released or deleted; never while a command runs. */
  private final ReentrantLock branches = new ReentrantLock();

  /** Held during a merge. */
  private final ReentrantLock mergeLock = new ReentrantLock();

  private @Nullable BranchMerger merger;

  /** The hooks as of {@link #open}; null before. */
  private @Nullable CommitHooks hooks;

  private @Nullable CommitMessages messages;

  /** Prevents other processes from discarding the branches while this object is open. */
  private @Nullable BranchHold hold;

  /** Guarded by {@link #branches} while agents work. */
  private @Nullable RepositoryWatch watch;

  /**
   * The file that only the merge queue changes, relative to the repository's top; null for none.
   */
  private @Nullable Path mergedFile;

  /** Whether changes of agents to {@link #mergedFile} are merged. */
  private boolean keepsEdits;

  /** Returns the new text of that file after the merge of a task, by the task's id. */
  private BiFunction<String, String, String> mergedText = (task, text) -> text;

  /** The reason why the check folder could not be prepared; null otherwise. */
  private @Nullable RalphException unprepared;

  /** Returns the session that must own the branch; null if any session may own it. */
  private @Nullable Supplier<BranchOwner> owner;

  /** The user's checked-out branch at the start. */
  private final UserBranch user;

  /** The kept branches that a notice has named, and commits of the user's branch. */
  private final Set<String> told = new HashSet<>();

  /**
   * Finds the repository without changing anything.
   *
   * @param project a folder of the repository
   * @param session the session of the agents
   * @param mark the mark of the commands that prepare folders
   * @param redactor removes secrets from the output of these commands
   * @throws RalphException INVALID if there is no repository, or it has no commit, or the settings
   *     are invalid; the message has the remedy
   * @throws InterruptedException if the thread is interrupted
   */
  public GitWorkspaces(
      Path project, String session, WorkspaceSettings settings, ProcessMark mark, Redactor redactor)
      throws InterruptedException {
    this.project = project;
    this.names = new SessionNames(Topic.checkSegment("the session name", session));
    this.repository = SessionRepository.of(project, names);
    this.branch = new SessionBranch(repository);
    this.user = UserBranch.of(repository.checkout());
    this.preparation = new TreePreparation(repository, settings, mark, redactor);
    this.ports = new PortBlocks(settings.portBase());
    this.push = settings.push() == null ? null : new BranchPush(repository, settings.push());
    this.commits = settings.commits();
    this.hookLimits = new CommitHooks.Limits(UNLIMITED, mark, redactor);
    preparation.requirePaths();
    if (push != null) {
      push.requireRemote();
    }
  }

  /**
   * Makes later calls of {@link #open} reject a branch of another session with the same name.
   *
   * @param owner returns the session; called by {@link #open}
   */
  public void ownedBy(Supplier<BranchOwner> owner) {
    this.owner = owner;
  }

  /**
   * Registers a file that the merge queue changes. Call before {@link #open}.
   *
   * @param file the path relative to the repository's top
   * @param keepsEdits whether changes of agents to the file are merged
   * @param text returns the new text after the merge of a task, from the task's id and the old
   *     text; called with the lock of merges held
   */
  public void onMerge(Path file, boolean keepsEdits, BiFunction<String, String, String> text) {
    this.mergedFile = file;
    this.keepsEdits = keepsEdits;
    this.mergedText = text;
  }

  @Override
  public String branch(int number) {
    return names.branch(number);
  }

  @Override
  public boolean hasCommits(int number, String task) {
    String own = names.branch(number);
    String head = SessionNames.head(own);
    String mark = mark(own, task);
    try {
      Map<String, String> refs = repository.refs(head, names.accepted(), mark, names.merged(own));
      String tip = refs.get(head);
      String newest = refs.get(names.accepted());
      return tip != null
          && newest != null
          && refs.containsKey(mark)
          && !tip.equals(refs.get(names.merged(own)))
          && !repository.isWithin(tip, newest);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private String mark(String own, String task) {
    return names.began(own, task.isEmpty() ? "none" : Topic.checkSegment("a task's id", task));
  }

  @Override
  public Path directory(int agent) {
    return tree(agent).root().resolve(repository.inside()).normalize();
  }

  @Override
  public Path own(int agent, Path file) {
    // Use the path without resolving symbolic links, unlike Git.
    Path top = repository.top(project.toAbsolutePath().normalize());
    Path root = tree(agent).root();
    if (!file.startsWith(top)) {
      return file;
    }
    Path inside = top.relativize(file);
    Path own = root.resolve(inside);
    boolean isThere = Files.exists(root) ? Files.exists(own) : isCommitted(inside);
    return isThere ? own : file;
  }

  /** Returns whether the start commit of the first work tree contains a file. */
  private boolean isCommitted(Path inside) {
    try {
      String begin = repository.commit(names.accepted());
      String path = inside.toString().replace(inside.getFileSystem().getSeparator(), "/");
      return repository
          .git()
          .run("cat-file", "-e", (begin == null ? "HEAD" : begin) + ":" + path)
          .isGood();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void open() throws InterruptedException {
    mergeLock.lockInterruptibly();
    try {
      hold = BranchHold.take(project, names.session());
      repository.requireLinkedTrees();
      branch.open(owner == null ? null : owner.get());
      watch = RepositoryWatch.begin(repository.common(), names.session());
      repository.readRules();
      for (Path folder : repository.folders()) {
        tree(folder).recover();
      }
      Path checkout = repository.checkout();
      CommitHooks found = CommitHooks.find(checkout, commits.hooks(), repository::notice);
      CommitMessages checked =
          new CommitMessages(
              found, checkout, hookLimits.within(CommitMessages.LIMIT), repository::notice);
      String sample = CommitTitle.ofTask(commits.title(), "Add a sample", "t1");
      checked.trySample(
          SessionBranch.message(new Piece("sample", "sample", "", sample)),
          commits.title() != null);
      hooks = found;
      messages = checked;
      merger = BranchMerger.onto(project, names.branch()).sign(repository::notice);
    } catch (RepositoryLockedException e) {
      throw e;
    } catch (RalphException e) {
      // A loop treats some other codes as errors of its store, and retries.
      throw RalphException.invalid(String.valueOf(e.getMessage()), e);
    } finally {
      if (merger == null) {
        closeWatchAndHold();
      }
      mergeLock.unlock();
    }
  }

  private void closeWatchAndHold() {
    if (watch != null) {
      watch.close();
      watch = null;
    }
    if (hold != null) {
      hold.close();
      hold = null;
    }
  }

  private AgentTree tree(Path folder) {
    return new AgentTree(repository, repository.folder(String.valueOf(folder.getFileName())));
  }

  private AgentTree tree(int agent) {
    return new AgentTree(repository, repository.folder(names.folder(agent)));
  }

  @Override
  public Workspace enter(int agent, int number, String task) throws InterruptedException {
    AgentTree tree = tree(agent);
    String own = names.branch(number);
    boolean isTakenUp;
    branches.lockInterruptibly();
    try {
      tree.recover(own); // first, because it may add to the branch
      isTakenUp = begin(own, task);
      tree.enter(own, mergedFile == null ? "" : mergedFile.toString().replace('\\', '/'));
    } finally {
      branches.unlock();
    }
    Map<String, String> variables = new HashMap<>(ports.variables(agent));
    if (System.getenv(GIT_SETTINGS) == null) {
      variables.putAll(NO_CLEANING_UP);
    }
    preparation.prepare(tree.root(), variables);
    Path rules =
        variables.containsKey(GIT_SETTINGS)
            ? ProvidedFiles.rules(repository.git(), tree.root())
            : null;
    if (rules != null) {
      variables.put(GIT_SETTINGS, "2");
      variables.put("GIT_CONFIG_KEY_1", "core.excludesFile");
      variables.put("GIT_CONFIG_VALUE_1", rules.toString());
    }
    Path directory = directory(agent);
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw GitTrees.failed("can't make " + directory, e);
    }
    return new Workspace(agent, directory, own, isTakenUp, variables);
  }

  /** Creates or updates a task's branch; returns whether the branch has unmerged work. */
  private boolean begin(String own, String task) throws InterruptedException {
    String head = SessionNames.head(own);
    String mark = mark(own, task);
    Map<String, String> refs = repository.refs(head, names.accepted(), mark, names.merged(own));
    String marked = refs.get(names.accepted());
    String newest = marked == null ? branch.accepted() : marked;
    String tip = refs.get(head);
    if (tip != null) {
      freeOf(own, tip);
    }
    if (tip != null && !refs.containsKey(mark)) {
      String kept = repository.keepBeside(own, tip);
      repository.notice(
          "the branch " + own + " existed with unrelated commits, now renamed to " + kept);
      repository.change(List.of("delete " + head + " " + tip));
      tip = null;
    }
    if (tip == null) {
      repository.change(List.of("create " + head + " " + newest, "update " + mark + " " + newest));
      repository.rememberStashes(own);
      return false;
    }
    if (!tip.equals(refs.get(names.merged(own))) && !repository.isWithin(tip, newest)) {
      return true;
    }
    if (!tip.equals(newest)) {
      repository.change(List.of("update " + head + " " + newest + " " + tip));
    }
    return false;
  }

  /** Releases a branch from the folder of another agent, but not from the user's work trees. */
  private void freeOf(String own, String tip) throws InterruptedException {
    for (Path root : repository.checkedOutIn(own)) {
      if (!repository.isAgents(root)) {
        throw RalphException.invalid(
            "the branch "
                + own
                + " is checked out in "
                + root
                + ", but an agent needs the branch; check out a different branch: "
                + CommandLineWords.join(
                    List.of("git", "-C", root.toString(), "switch", "--detach")));
      }
      repository.releaseBranch(root, tip);
    }
  }

  @Override
  public void keep(Workspace workspace, String message) throws InterruptedException {
    AgentTree tree = tree(workspace.agent());
    branches.lockInterruptibly();
    try {
      if (watch != null) {
        // First: git may fail until the settings are restored.
        watch.compare(tree.root()).forEach(repository::notice);
      }
      branch.accepted(); // restores the reference if an agent deleted it
      tree.keep(Objects.requireNonNull(workspace.branch(), "branch"), message);
      if (watch != null) {
        watch.committed(tree.root());
      }
      checkUserBranch();
    } finally {
      branches.unlock();
    }
  }

  /** Detects that an agent has moved the user's checked-out branch. */
  private void checkUserBranch() throws InterruptedException {
    GitHead now = GitHead.of(repository.checkout());
    if (!Objects.equals(now.commit(), user.commit()) && told.add("user " + now.commit())) {
      user.problem().ifPresent(repository::notice);
    }
  }

  @Override
  public List<MergeOutcome> merge(List<Piece> pieces, Trial check, Predicate<Piece> fence)
      throws InterruptedException {
    mergeLock.lockInterruptibly();
    try {
      BranchMerger open = merger();
      unprepared = null;
      CommitHooks own = hooks;
      open.beforeCommit(
          own != null && own.hasPreCommit() ? folder -> preCommit(own, check, folder) : null);
      BranchMerger.Check prepared = prepared(check);
      String before = branch.tip();
      boolean isPushed = push != null && push.pull(open, prepared, branch);
      boolean isJoined = !before.equals(branch.tip());
      List<MergeOutcome> outcomes = merge(open, pieces, prepared, fence, isJoined);
      if (push != null && isPushed) {
        push.push(
            open,
            prepared,
            branch,
            () -> {
              boolean unused = fence.test(pieces.get(0)); // only its exceptions count
            });
      }
      return outcomes;
    } finally {
      mergeLock.unlock();
    }
  }

  private BranchMerger merger() {
    if (merger == null) {
      throw RalphException.closed("the agents' work trees");
    }
    return merger;
  }

  private List<MergeOutcome> merge(
      BranchMerger open,
      List<Piece> pieces,
      BranchMerger.Check check,
      Predicate<Piece> fence,
      boolean isJoined)
      throws InterruptedException {
    Map<String, String> tips = repository.refs(SessionNames.head(names.branch()) + ".t*");
    List<String> changes = new ArrayList<>();
    Map<Piece, MergeOutcome> outcomes = new HashMap<>();
    Map<BranchMerger.Piece, Piece> works = new LinkedHashMap<>();
    for (Piece piece : pieces) {
      String tip = tips.get(SessionNames.head(piece.branch()));
      String commit = branch.merged(piece.token());
      String reason = repository.release(piece.branch());
      if (reason != null) {
        Result result = new Result(Status.REFUSED, null, List.of(), reason);
        outcomes.put(piece, new MergeOutcome(piece, result, null, false));
      } else if (commit == null && (tip != null || !piece.task().isEmpty())) {
        works.put(work(piece, tip), piece);
      } else {
        Status status = commit == null ? Status.NOTHING : Status.MERGED;
        Result result = new Result(status, commit, List.of(), "");
        outcomes.put(piece, new MergeOutcome(piece, result, null, isJoined));
        if (tip != null && isMergedCommit(tip, piece)) {
          changes.add("update " + names.merged(piece.branch()) + " " + tip);
        }
      }
    }
    if (mergedFile != null) {
      BiFunction<BranchMerger.Piece, String, String> merged =
          (work, text) -> {
            String task = Objects.requireNonNull(works.get(work)).task();
            return task.isEmpty() ? text : mergedText.apply(task, text);
          };
      if (keepsEdits) {
        open.onMergeWithEdits(mergedFile, merged);
      } else {
        open.onMerge(mergedFile, merged);
      }
    }
    Map<BranchMerger.Piece, Result> results =
        open.merge(
            List.copyOf(works.keySet()),
            check,
            work -> fence.test(Objects.requireNonNull(works.get(work))));
    branch.tip();
    for (Map.Entry<BranchMerger.Piece, Piece> each : works.entrySet()) {
      Piece piece = each.getValue();
      Result result = Objects.requireNonNull(results.get(each.getKey()));
      boolean isUnchanged = result.status() == Status.NOTHING && !piece.task().isEmpty();
      Verdict base = null;
      if (unprepared == null && (isUnchanged || result.status() == Status.REFUSED)) {
        base = verdict(open, check);
        if (isUnchanged && !base.isPassed()) {
          result = new Result(Status.REFUSED, null, List.of(), base.reason());
        }
      }
      String commit = result.commit();
      if (commit != null && !piece.token().isEmpty()) {
        branch.merged(piece.token(), commit);
      }
      if (result.isThere()) {
        changes.add("update " + names.merged(piece.branch()) + " " + each.getKey().work());
      }
      Verdict rejected = result.status() == Status.REFUSED ? base : null;
      outcomes.put(piece, new MergeOutcome(piece, result, rejected, isJoined));
    }
    repository.change(changes);
    if (unprepared != null) {
      throw unprepared; // not caused by the work
    }
    return pieces.stream().map(piece -> Objects.requireNonNull(outcomes.get(piece))).toList();
  }

  /** Returns the present commit of a piece to merge, even if its branch moves meanwhile. */
  private BranchMerger.Piece work(Piece piece, @Nullable String tip) throws InterruptedException {
    String message = SessionBranch.message(piece);
    int number = names.number(piece.branch()).orElse(NO_TASK);
    return new BranchMerger.Piece(
        tip == null ? piece.branch() : tip,
        messages == null ? message : messages.checked(message),
        number == NO_TASK ? "" : "t" + number);
  }

  /** Returns the verdict on the session's branch. Each commit is checked once. */
  private Verdict verdict(BranchMerger open, BranchMerger.Check check) throws InterruptedException {
    Verdict known = branch.verdict();
    if (known == null) {
      known = open.check(check);
      branch.judged(known);
    }
    return known;
  }

  /**
   * Returns whether a branch contains only its merged work. Its merge queue may have been killed
   * before it recorded the merge.
   */
  private boolean isMergedCommit(String tip, Piece piece) throws InterruptedException {
    String commit = branch.merged(piece.token());
    if (commit == null) {
      return false;
    }
    // The file that only the merge queue changes may have a conflict, and may differ.
    CommandResult again =
        repository.git().run("merge-tree", "--write-tree", "-z", commit + "^", tip);
    int end = again.output().indexOf('\0');
    List<String> compare =
        new ArrayList<>(
            List.of("diff", "--quiet", again.output().substring(0, Math.max(0, end)), commit));
    if (mergedFile != null) {
      compare.addAll(List.of("--", ":/", ":(top,exclude,literal)" + mergedFile));
    }
    return end > 0 && repository.git().run(compare.toArray(new String[0])).isGood();
  }

  /** Runs the hook {@code pre-commit} in the folder and under the limits of the gates. */
  private Verdict preCommit(CommitHooks own, Trial check, Path folder) throws InterruptedException {
    return isPrepared(folder)
        ? check.hook(CommitHooks.PRE_COMMIT, root -> own.preCommit(root, hookLimits), folder)
        : Verdict.failed("");
  }

  /** Returns a check in a prepared folder, which records passed commits. */
  private BranchMerger.Check prepared(BranchMerger.Check check) {
    return folder -> {
      Path root = repository.top(folder);
      if (!isPrepared(root)) {
        return Verdict.failed("");
      }
      Verdict verdict = check.check(folder);
      String commit = GitHead.of(root).commit();
      if (verdict.isPassed() && commit != null) {
        branch.passed(commit);
      }
      return verdict;
    };
  }

  private boolean isPrepared(Path root) throws InterruptedException {
    try {
      if (unprepared == null) {
        preparation.prepare(root, Map.of());
      }
    } catch (RalphException e) {
      unprepared = e;
    }
    return unprepared == null;
  }

  @Override
  public void forget(IntPredicate isSettled) throws InterruptedException {
    branches.lockInterruptibly();
    try {
      String newest = branch.accepted();
      Map<String, String> refs =
          repository.refs(
              SessionNames.head(names.branch()) + ".t*",
              names.refs() + "began",
              names.refs() + "stashed",
              names.refs() + "landed");
      for (Map.Entry<String, String> each : refs.entrySet()) {
        String own = each.getKey().replaceFirst("^" + SessionNames.head(""), "");
        OptionalInt number = names.number(own);
        if (number.isPresent() && isSettled.test(number.getAsInt())) {
          forget(own, each.getValue(), newest, refs);
        }
      }
    } finally {
      branches.unlock();
    }
  }

  private void forget(String own, String tip, String newest, Map<String, String> refs)
      throws InterruptedException {
    if (!tip.equals(refs.get(names.merged(own))) && !repository.isWithin(tip, newest)) {
      if (told.add(own + tip)) {
        repository.notice(own + " has new commits since its merge; the branch is kept");
      }
      return;
    }
    for (Path root : repository.checkedOutIn(own)) {
      repository.releaseBranch(root, tip);
    }
    List<String> lines = new ArrayList<>(List.of("delete " + SessionNames.head(own) + " " + tip));
    for (String ref : refs.keySet()) {
      if (ref.equals(names.merged(own))
          || ref.startsWith(names.began(own, ""))
          || ref.startsWith(names.stashed(own))) {
        lines.add("delete " + ref);
      }
    }
    repository.change(lines);
  }

  @Override
  public Verdict check(BranchMerger.Check check, Runnable fence) throws InterruptedException {
    mergeLock.lockInterruptibly();
    try {
      BranchMerger open = merger();
      unprepared = null;
      BranchMerger.Check prepared = prepared(check);
      boolean isPushed = push != null && push.pull(open, prepared, branch);
      Verdict verdict = branch.isPassed() ? Verdict.passed() : open.check(prepared);
      if (unprepared != null) {
        throw unprepared;
      }
      if (push != null && isPushed && verdict.isPassed()) {
        push.push(open, prepared, branch, fence);
      }
      return verdict;
    } finally {
      mergeLock.unlock();
    }
  }

  @Override
  public Verdict tryCheck(BranchMerger.Check check) throws InterruptedException {
    mergeLock.lockInterruptibly();
    try {
      unprepared = null;
      branch.tip();
      Verdict verdict =
          merger()
              .check(
                  folder ->
                      isPrepared(repository.top(folder))
                          ? check.check(folder)
                          : Verdict.failed(""));
      if (unprepared != null) {
        throw unprepared;
      }
      return verdict;
    } finally {
      mergeLock.unlock();
    }
  }

  @Override
  public List<String> notices() {
    return repository.notices();
  }

  @Override
  public void close() {
    mergeLock.lock();
    try {
      if (merger != null) {
        merger.close();
        merger = null;
      }
      closeWatchAndHold();
      ports.close();
    } finally {
      mergeLock.unlock();
    }
  }
}

package dev.ralph.core;

import dev.ralph.Verdict;
import dev.ralph.core.internal.commit.CommitSigning;
import dev.ralph.core.internal.git.ConflictBlock;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.MetadataLock;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.git.StaleLocks;
import dev.ralph.core.internal.git.submodule.CheckedOutSubmodules;
import dev.ralph.core.internal.git.submodule.GitLinks;
import dev.ralph.core.internal.git.submodule.NestedRepositories;
import dev.ralph.core.internal.git.submodule.SubmoduleCopies;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Merges finished work into a branch whose every commit passed a check. Each piece of work becomes
 * a single commit on top of the branch; several pieces get a merge commit. The result is checked
 * before the branch moves to it. On a failure, the branch, the work's own branch and all checkouts
 * stay unchanged.
 *
 * <pre>{@code
 * try (BranchMerger merger = BranchMerger.onto(project, "ralph/add-login")) {
 *   BranchMerger.Result result =
 *       merger.merge("ralph/form", "Add a login form", folder -> tests(folder));
 * }
 * }</pre>
 *
 * <p>Checks run in a separate work tree below {@code .ralph/worktrees}, which is kept until {@link
 * #close}. Ignored files stay in the work tree between pieces, so that builds are incremental.
 * Submodules are empty; submodules filled by a check follow later pieces. No Git hook runs except
 * {@link #beforeCommit}. Commits are signed after {@link #sign}.
 *
 * <p>Several instances, in other processes too, may merge into a branch at the same time. If the
 * branch has moved during a check, the merge is repeated on its newest commit. Safe for use by many
 * threads; only a single thread merges at a time.
 */
public final class BranchMerger implements AutoCloseable {

  /** The outcome for a piece of work. */
  public enum Status {
    /** The piece was merged into the branch. */
    MERGED,
    /** The branch already contains all changes of the piece. */
    NOTHING,
    /** The piece and the branch change the same places. */
    CONFLICT,
    /** A file contains conflict markers of a merge. */
    MARKERS,
    /** The piece failed a check, or could not be tried. */
    REFUSED,
    /**
     * The fence rejected the piece after the check, directly before the branch would have moved.
     */
    WITHDRAWN
  }

  /** Checks the files of a candidate for the branch's newest commit. */
  @FunctionalInterface
  public interface Check {

    /**
     * Checks the files.
     *
     * @param folder the project's folder in a checkout of the candidate; changes in the folder are
     *     discarded
     * @throws Exception if the check can't run; counts as a failed verdict with the exception's
     *     message
     */
    Verdict check(Path folder) throws Exception;

    /**
     * Checks the files, and converts an exception to a failed verdict.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    default Verdict verdict(Path folder) throws InterruptedException {
      try {
        return Objects.requireNonNull(check(folder), "the check returned null");
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        return Verdict.failed(String.valueOf(e.getMessage()));
      }
    }
  }

  /**
   * A piece of work.
   *
   * @param work a branch or a commit; its changes since the merge base with the target become a
   *     single commit
   * @param message the message of the commit; its first line is short
   * @param name the name in the title of a merge commit, such as {@code t7}; empty for none
   */
  public record Piece(String work, String message, String name) {

    /** Creates a piece of work. */
    public Piece {
      Objects.requireNonNull(work, "work");
      Objects.requireNonNull(message, "message");
      Objects.requireNonNull(name, "name");
    }

    /** Creates a piece of work without a name. */
    public Piece(String work, String message) {
      this(work, message, "");
    }

    String subject() {
      return message.strip().lines().findFirst().orElse("");
    }
  }

  /**
   * The result for a piece of work.
   *
   * @param status the outcome
   * @param commit the full name of the branch's commit with the piece; null if the piece was not
   *     merged
   * @param files the files in conflict, as paths from the repository's top folder; empty for none
   * @param reason the problem, for the author of the work; empty for none
   */
  public record Result(Status status, @Nullable String commit, List<String> files, String reason) {

    /** Creates a result; copies the list. */
    public Result {
      files = List.copyOf(files);
    }

    /** Returns whether the branch contains all of the work now. */
    public boolean isThere() {
      return status == Status.MERGED || status == Status.NOTHING;
    }
  }

  /** The checkout of a large repository may take minutes. */
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  private static final String PREFIX = ".landing-";

  private static final Pattern OWN = Pattern.compile("\\.landing-(\\d+)-[0-9a-f]+");

  /**
   * The limit for the reported sides of a file in conflict, in characters, and the maximum number
   * of such files.
   */
  private static final int LONGEST_SIDES = 4_000;

  private static final int MOST_FILES = 10;

  private static final String MERGE_TREE = "merge-tree";

  private static final String BEGINS = "^<<<<<<<";

  /** Git's label for the second side of an applied stash. */
  private static final String STASHED = "Stashed changes";

  /** A branch, tag or commit in the label of a conflict block. */
  private static final Pattern NAMED = Pattern.compile("[\\p{L}\\p{N}_][\\p{L}\\p{N}_./+-]{0,200}");

  private static final String MOST_MERGES = "--max-count=50";

  private final Path home;
  private final Path common;
  private final Path inside;
  private final String branch;
  private final String ref;
  private final Git git;
  private final ReentrantLock lock = new ReentrantLock();

  /** The file that only merges change; null for none. */
  private @Nullable MergedFile mergedFile;

  /** The examination before each commit; null for none. */
  private @Nullable Check beforeCommit;

  /** The results of {@link #beforeCommit}, by base tree and tree. */
  private final Map<String, String> examined = new HashMap<>();

  private @Nullable CommitSigning signing;

  /** The work tree for checks; null before the first check. */
  private @Nullable Path tree;

  /** The submodules of the user's checkout; null before the first check. */
  private @Nullable SubmoduleCopies submodules;

  private boolean closed;

  private BranchMerger(Path home, Path common, Path inside, String branch, Git git) {
    this.home = home;
    this.common = common;
    this.inside = inside;
    this.branch = branch;
    this.ref = "refs/heads/" + branch;
    this.git = git;
  }

  /**
   * Creates an instance for a branch. Does not change the repository.
   *
   * @param project a folder of the repository
   * @param branch an existing branch, such as {@code ralph/add-login}, that no work tree has
   *     checked out during a merge
   * @throws RalphException INVALID if there is no repository or branch, or if Git has no committer;
   *     the message contains the remedy
   * @throws InterruptedException if the thread is interrupted
   */
  public static BranchMerger onto(Path project, String branch) throws InterruptedException {
    Path folder = project.toAbsolutePath().normalize();
    Git git = new Git(folder, PATIENCE);
    Path checkout = GitTrees.checkout(git, folder);
    if (!git.run("check-ref-format", "--branch", branch).isGood()
        || !GitTrees.has(git, "refs/heads/" + branch)) {
      throw RalphException.invalid(
          "the repository "
              + checkout
              + " has no branch "
              + RalphException.quote(branch)
              + "; create the branch: git branch NAME");
    }
    GitTrees.requireCommitter(git);
    Path inside = Path.of(git.run("rev-parse", "--show-prefix").line());
    Path home = GitTrees.home(git, folder, checkout);
    Path common = GitTrees.common(git, folder);
    return new BranchMerger(home, common, inside, branch, Git.alone(checkout, PATIENCE));
  }

  /**
   * Declares a file that every piece would change and thus cause conflicts, such as a list of
   * finished work. The pieces' own changes of the file are dropped. Each merge writes the text from
   * the function instead.
   *
   * @param file the path from the top of the repository of a UTF-8 text file; may be missing
   * @param text returns the file's new text for a piece, from the text before; the text before is
   *     empty for a missing file. Called for each attempt, under this object's lock: must be fast,
   *     and return equal texts for equal arguments. Exceptions are rethrown
   * @return this
   * @throws RalphException INVALID if the path leads out of the repository
   */
  public BranchMerger onMerge(Path file, BiFunction<Piece, String, String> text) {
    return onMerge(new MergedFile(git, GitTrees.inside(file), text, false));
  }

  /**
   * Declares a file as {@link #onMerge}, but merges the pieces' own changes of the file before the
   * function is called. Lines that both the piece and the branch have changed are kept from both,
   * so the file is never in conflict. Ticks of existing check boxes and a removal of the file are
   * dropped.
   *
   * @param file the path from the top of the repository of a UTF-8 text file; may be missing. A
   *     piece with another kind of file there is refused
   * @param text as in {@link #onMerge}
   * @return this
   * @throws RalphException INVALID if the path leads out of the repository
   */
  public BranchMerger onMergeWithEdits(Path file, BiFunction<Piece, String, String> text) {
    return onMerge(new MergedFile(git, GitTrees.inside(file), text, true));
  }

  private BranchMerger onMerge(MergedFile file) {
    lock.lock();
    try {
      this.mergedFile = file;
    } finally {
      lock.unlock();
    }
    return this;
  }

  /**
   * Sets an examination of each piece before its commit and before the check, similar to the hook
   * {@code pre-commit}. In the folder, the piece is staged on the branch's newest commit. Changes
   * of tracked files and of the index become part of the commit. A failed verdict refuses the piece
   * with its reason.
   *
   * @param examination called under this object's lock, with the top folder of the files; null for
   *     none
   * @return this
   */
  public BranchMerger beforeCommit(@Nullable Check examination) {
    lock.lock();
    try {
      this.beforeCommit = examination;
      examined.clear();
    } finally {
      lock.unlock();
    }
    return this;
  }

  /**
   * Signs the created commits if {@code commit.gpgsign} is set and a trial signature succeeds
   * within 10 seconds without a terminal.
   *
   * @param notice receives a sentence if commits can't be signed, now or later; such commits are
   *     created without a signature
   * @return this
   * @throws InterruptedException if the thread is interrupted
   */
  public BranchMerger sign(Consumer<String> notice) throws InterruptedException {
    CommitSigning found = CommitSigning.find(git, notice);
    lock.lock();
    try {
      this.signing = found;
    } finally {
      lock.unlock();
    }
    return this;
  }

  /**
   * Merges a piece of work if the merged result passes the check.
   *
   * @param work a branch or a commit; its changes since the merge base become a single commit
   * @param message the message of the commit
   * @param check called again if the branch has moved during the check
   * @throws RalphException INVALID if the work does not exist or has no merge base with the branch;
   *     also if the branch is checked out, or if Git refuses, with the remedy. CLOSED after {@link
   *     #close}
   * @throws InterruptedException if the thread is interrupted; the branch is unchanged
   */
  public Result merge(String work, String message, Check check) throws InterruptedException {
    MergeBatch batch = new MergeBatch(List.of(new Piece(work, message)));
    merge(batch, check, piece -> true);
    return batch.only();
  }

  /**
   * Merges pieces of work together if the merged result passes the check. Several pieces are merged
   * with a merge commit, so that every first parent of the branch was checked. The title of the
   * merge commit names the pieces; its body contains the first line of each message. If the check
   * fails, bisection finds the failing pieces, and the other pieces are merged. A missing or
   * conflicting piece does not block other pieces.
   *
   * @param pieces the first on top of the branch, the second on top of the first, and so on
   * @param check called for each tried combination of pieces
   * @param fence called for each piece directly before the branch moves; false excludes the piece.
   *     An exception is rethrown and ends the merge. Called without a Git lock
   * @return the result of each piece; equal pieces have one result. A missing piece, or a piece
   *     without a merge base, is refused
   * @throws RalphException INVALID if the branch is checked out or Git refuses, with the remedy;
   *     CLOSED after {@link #close}
   * @throws InterruptedException if the thread is interrupted; pieces merged before stay merged, as
   *     the branch's commits show
   */
  public Map<Piece, Result> merge(List<Piece> pieces, Check check, Predicate<Piece> fence)
      throws InterruptedException {
    MergeBatch batch = new MergeBatch(pieces);
    merge(batch, check, fence);
    return batch.results();
  }

  private void merge(MergeBatch batch, Check check, Predicate<Piece> fence)
      throws InterruptedException {
    Objects.requireNonNull(check, "check");
    Objects.requireNonNull(fence, "fence");
    alone();
    try {
      while (!batch.isDone()) {
        String before = ask("rev-parse", "--verify", ref);
        List<Squashed> chain = chain(before, batch);
        if (!chain.isEmpty()) {
          String commit = commit(before, chain);
          Verdict verdict = check.verdict(checkedOut(commit).resolve(inside));
          if (!verdict.isPassed()) {
            batch.refuse(chain, verdict.reason());
          } else if (batch.withdraw(chain, fence) && move(before, commit)) {
            batch.merge(chain);
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Checks the branch's newest commit in the same way as a merge.
   *
   * @throws RalphException as {@link #merge}
   * @throws InterruptedException if the thread is interrupted
   */
  public Verdict check(Check check) throws InterruptedException {
    Objects.requireNonNull(check, "check");
    alone();
    try {
      return check.verdict(checkedOut(ask("rev-parse", "--verify", ref)).resolve(inside));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Merges a source branch into this branch. Moves this branch forward to the source branch if the
   * source branch contains this branch. Otherwise creates a checked merge commit with the source
   * branch as first parent. The source branch can then fast-forward to this branch.
   *
   * @param other a branch or a commit
   * @return NOTHING if this branch already contains the other
   * @throws RalphException as {@link #merge}
   * @throws InterruptedException if the thread is interrupted; the branch is unchanged
   */
  public Result join(String other, String message, Check check) throws InterruptedException {
    Objects.requireNonNull(check, "check");
    alone();
    try {
      String what = commit(other);
      while (true) {
        String before = ask("rev-parse", "--verify", ref);
        Result result = joined(before, what, message, check);
        String commit = result.commit();
        if (commit == null || move(before, commit)) {
          return result;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private Result joined(String before, String other, String message, Check check)
      throws InterruptedException {
    if (GitTrees.isWithin(git, other, before)) {
      return new Result(Status.NOTHING, null, List.of(), "");
    }
    if (GitTrees.isWithin(git, before, other)) {
      return new Result(Status.MERGED, other, List.of(), "");
    }
    CommandResult merged = git.run(MERGE_TREE, "--write-tree", "-z", "--name-only", other, before);
    String[] parts = merged.output().split("\0", -1);
    if (!merged.isGood()) {
      return conflict(merged, parts);
    }
    String commit = commitTree(parts[0].strip(), message, other, before);
    Verdict verdict = check.verdict(checkedOut(commit).resolve(inside));
    return verdict.isPassed()
        ? new Result(Status.MERGED, commit, List.of(), "")
        : new Result(Status.REFUSED, null, List.of(), verdict.reason());
  }

  private void alone() throws InterruptedException {
    lock.lockInterruptibly();
    if (closed) {
      lock.unlock();
      throw RalphException.closed("the merge");
    }
  }

  private String commit(String work) throws InterruptedException {
    CommandResult answer =
        git.run("rev-parse", "--verify", "--quiet", "--end-of-options", work + "^{commit}");
    if (!answer.isGood()) {
      throw RalphException.invalid(
          "no branch or commit " + RalphException.quote(work) + " in " + home);
    }
    return answer.line();
  }

  /** A piece as a commit on top of the branch or of the previous piece. */
  record Squashed(Piece piece, String commit) {}

  /**
   * Returns commits for the next combination of pieces, each on top of the previous. A piece that
   * conflicts with the pieces below waits until these were merged or refused.
   */
  private List<Squashed> chain(String before, MergeBatch batch) throws InterruptedException {
    List<Squashed> chain = new ArrayList<>();
    String top = before;
    for (Piece piece : batch.next()) {
      try {
        Result result = examined(top, piece, squash(top, piece));
        String commit = result.commit();
        if (commit != null) {
          chain.add(new Squashed(piece, commit));
          top = commit;
        } else if (chain.isEmpty()) {
          batch.end(piece, result);
        }
      } catch (MissingWork e) {
        batch.fail(piece, e.reason);
      }
    }
    return chain;
  }

  /** A piece that can't be tried. Other pieces are not affected. */
  private static final class MissingWork extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient RalphException reason;

    MissingWork(RalphException reason) {
      super(reason);
      this.reason = reason;
    }
  }

  /** Returns the commit to check: the only commit, or a merge commit of a longer chain. */
  private String commit(String before, List<Squashed> chain) throws InterruptedException {
    String last = chain.get(chain.size() - 1).commit();
    if (chain.size() == 1) {
      return last;
    }
    List<Piece> pieces = chain.stream().map(Squashed::piece).toList();
    String message = MergeBatch.mergeMessage(pieces);
    return commitTree(ask("rev-parse", last + "^{tree}"), message, before, last);
  }

  private String commitTree(String tree, String message, String... parents)
      throws InterruptedException {
    List<String> arguments = new ArrayList<>(List.of("commit-tree"));
    for (String parent : parents) {
      arguments.addAll(List.of("-p", parent));
    }
    arguments.addAll(List.of("-F", "-", tree));
    String[] command = arguments.toArray(new String[0]);
    String input = message.strip() + "\n";
    CommitSigning own = signing;
    CommandResult answer =
        own == null ? git.runWith(input, command) : own.commit(git, input, command);
    return GitTrees.require("git commit-tree in " + home, answer).line();
  }

  /**
   * Returns a piece as a single commit with status MERGED, or the reason that there is no commit.
   */
  private Result squash(String top, Piece piece) throws InterruptedException, MissingWork {
    String work;
    try {
      work = commit(piece.work());
    } catch (RalphException e) {
      throw new MissingWork(e);
    }
    MergedFile own = mergedFile;
    String problem = own == null ? null : own.problem(work);
    if (problem != null) {
      return new Result(Status.REFUSED, null, List.of(), problem);
    }
    String rest = own == null ? work : own.leftOut(top, work);
    CommandResult merged = git.run(MERGE_TREE, "--write-tree", "-z", "--name-only", top, rest);
    // In both cases the output starts with the tree. After a conflict, the files and messages
    // follow.
    String[] parts = merged.output().split("\0", -1);
    if (!merged.isGood()) {
      if (git.run("merge-base", top, rest).exit().code() == 1) {
        throw new MissingWork(GitTrees.refused("git merge-tree in " + home, merged));
      }
      return conflict(merged, parts);
    }
    String tree = parts[0].strip();
    if (own != null) {
      tree = own.edited(tree, piece, top, work);
    }
    if (tree.equals(ask("rev-parse", top + "^{tree}"))) {
      return new Result(Status.NOTHING, null, List.of(), "");
    }
    String commit = commitTree(tree, piece.message(), top);
    List<String> unregistered = unregistered(top, commit);
    if (!unregistered.isEmpty()) {
      return new Result(Status.REFUSED, null, List.of(), String.join("\n\n", unregistered));
    }
    List<String> marked = marked(top, commit, work);
    if (!marked.isEmpty()) {
      return new Result(
          Status.MARKERS,
          null,
          marked,
          "A merge left conflict markers (<<<<<<< and >>>>>>>) in: "
              + String.join(", ", marked)
              + ". Resolve them.");
    }
    return new Result(Status.MERGED, commit, List.of(), "");
  }

  /** Returns a squashed piece after {@link #beforeCommit}, or its refusal. */
  private Result examined(String top, Piece piece, Result squashed) throws InterruptedException {
    Check examination = beforeCommit;
    String commit = squashed.commit();
    if (examination == null || commit == null) {
      return squashed;
    }
    String tree = ask("rev-parse", commit + "^{tree}");
    String base = ask("rev-parse", top + "^{tree}");
    String made = examined.get(base + tree);
    if (made == null) {
      Path folder = checkedOut(commit);
      Git there = Git.alone(folder, PATIENCE);
      change(there, "reset", "--quiet", "--soft", top);
      Verdict verdict = examination.verdict(folder);
      if (!verdict.isPassed()) {
        return new Result(Status.REFUSED, null, List.of(), verdict.reason());
      }
      change(there, "add", "--update", "--", ":/", GitTrees.DATA);
      made = GitTrees.require("git write-tree in " + folder, there.run("write-tree")).line();
      examined.put(base + tree, made);
    }
    if (made.equals(base)) {
      return new Result(Status.NOTHING, null, List.of(), "");
    }
    return made.equals(tree)
        ? squashed
        : new Result(Status.MERGED, commitTree(made, piece.message(), top), List.of(), "");
  }

  private Result conflict(CommandResult merged, String[] parts) {
    if (merged.exit().code() != 1 || parts.length < 2) {
      throw GitTrees.refused("git merge-tree in " + home, merged);
    }
    List<String> files = new ArrayList<>();
    int at = 1;
    while (at < parts.length && !parts[at].isEmpty()) {
      files.add(parts[at++]);
    }
    StringBuilder reason = new StringBuilder("The work and " + branch + " change the same lines.");
    for (String file : files.subList(0, Math.min(MOST_FILES, files.size()))) {
      reason.append("\n\n").append(file).append(":\n").append(sides(parts[0], file));
    }
    if (files.size() > MOST_FILES) {
      reason.append("\n\nand ").append(files.size() - MOST_FILES).append(" files more");
    }
    return new Result(Status.CONFLICT, null, files, reason.toString());
  }

  /** Returns both sides of a file in conflict, with Git's markers. */
  private String sides(String tree, String file) {
    String text = text(tree + ":" + file);
    int from = text.indexOf("<<<<<<< ");
    int to = text.lastIndexOf(">>>>>>> ");
    if (from < 0 || to < from) {
      return "(one side removed, renamed or replaced the whole file)";
    }
    int end = text.indexOf('\n', to);
    String sides = text.substring(from, end < 0 ? text.length() : end);
    return sides.length() > LONGEST_SIDES
        ? sides.substring(0, LONGEST_SIDES) + "\n(and more)"
        : sides;
  }

  /** Returns reasons for refused links to repositories that are no submodules. */
  private List<String> unregistered(String before, String commit) throws InterruptedException {
    List<String> reasons = new ArrayList<>();
    Map<String, String> links = GitLinks.of(git::run, commit);
    if (!links.isEmpty()) {
      links.entrySet().removeAll(GitLinks.of(git::run, before).entrySet());
      links.keySet().removeAll(GitLinks.modules(git::run, commit).keySet());
      links.keySet().forEach(path -> reasons.add(NestedRepositories.unregistered(path)));
    }
    return reasons;
  }

  /**
   * Returns the changed files with a conflict block written by a merge. Conflict blocks in
   * documentation are ignored.
   */
  private List<String> marked(String before, String commit, String work)
      throws InterruptedException {
    List<String> marked = new ArrayList<>();
    List<String> merged = null;
    String changed = ask("diff", "--name-only", "--no-renames", "-z", "-G", BEGINS, before, commit);
    for (String file : changed.isEmpty() ? new String[0] : changed.split("\0")) {
      for (ConflictBlock block : ConflictBlock.in(text(commit + ":" + file))) {
        String label = labelled(block, file);
        boolean isMerged = label != null && block.isFrom(text(label));
        if (!isMerged && !block.theirs().isEmpty()) {
          merged = merged == null ? mergedInto(before, work) : merged;
          isMerged = merged.stream().anyMatch(each -> block.isFrom(text(each + ":" + file)));
        }
        if (isMerged) {
          marked.add(file);
          break;
        }
      }
    }
    return marked;
  }

  /** Returns the blob of the version named in a block's label, or null. */
  private @Nullable String labelled(ConflictBlock block, String file) throws InterruptedException {
    String label = block.label().equals(STASHED) ? "refs/stash" : block.label().split(" ", 2)[0];
    String[] parts = label.split(":", 2);
    if (!NAMED.matcher(parts[0]).matches()) {
      return null;
    }
    CommandResult commit =
        git.run("rev-parse", "--verify", "--quiet", "--end-of-options", parts[0] + "^{commit}");
    String blob = commit.line() + ":" + (parts.length > 1 ? parts[1] : file);
    return commit.isGood() && git.run("cat-file", "-e", blob).isGood() ? blob : null;
  }

  /** Returns the commits merged into a piece of work, the newest first. */
  private List<String> mergedInto(String before, String work) throws InterruptedException {
    List<String> others = new ArrayList<>();
    String[] list = {"rev-list", "--merges", "--parents", MOST_MERGES, work, "^" + before};
    for (String line : ask(list).lines().toList()) {
      List<String> commits = List.of(line.split(" "));
      others.addAll(commits.subList(2, commits.size()));
    }
    return others;
  }

  private String text(String blob) {
    return git.query("cat-file", "blob", blob).orElse("");
  }

  /** Moves the branch if it has not moved and is not checked out. */
  private boolean move(String before, String commit) throws InterruptedException {
    requireCheckedOutNowhere();
    Path own = common.resolve(ref + ".lock");
    boolean isSessions = SessionNames.ofBranch(branch) != null;
    CommandResult moved =
        GitTrees.patientWith(
            null,
            git,
            lock ->
                isSessions
                    && lock.equals(own)
                    && StaleLocks.remove(lock, home.resolve(Worktree.PLACE)),
            "update-ref",
            "-m",
            "ralph: landed",
            ref,
            commit,
            before);
    if (!moved.isGood() && ask("rev-parse", "--verify", ref).equals(before)) {
      throw GitTrees.refused("git update-ref " + ref + " in " + home, moved);
    }
    return moved.isGood();
  }

  private void requireCheckedOutNowhere() throws InterruptedException {
    Path where = GitTrees.checkedOutIn(git, branch);
    if (where != null) {
      throw RalphException.invalid(
          "the branch "
              + branch
              + " is checked out in "
              + where
              + ", so a merge would change the checkout; check out a different branch: "
              + CommandLineWords.join(
                  List.of("git", "-C", where.toString(), "switch", "--detach")));
    }
  }

  /**
   * Returns a folder with the files of a commit, and with the ignored files of earlier checkouts.
   */
  private Path checkedOut(String commit) throws InterruptedException {
    requireCheckedOutNowhere(); // before a long check
    Path known = tree;
    if (known != null && isAt(known, commit)) {
      return known;
    }
    if (known != null) { // deleted, or left locked by a killed Git
      tree = null;
      MetadataLock.holding(common, () -> remove(known));
    }
    Path place = home.resolve(Worktree.PLACE);
    Path made =
        place.resolve(
            PREFIX + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime()));
    PlainPath.require(home, made); // a clone may contain links
    GitTrees.ignore(made);
    MetadataLock.holding(
        common,
        () -> {
          removeLeft();
          change(
              git,
              "worktree",
              "add",
              "--quiet",
              "--no-checkout",
              "--detach",
              made.toString(),
              commit);
        });
    GitTrees.requireTop(Git.alone(made, PATIENCE), made);
    change(Git.alone(made, PATIENCE), "reset", "--quiet", "--hard", commit);
    submodules(made).restore();
    tree = made;
    return made;
  }

  private CheckedOutSubmodules submodules(Path tree) throws InterruptedException {
    if (submodules == null) {
      Path checkout = GitTrees.checkout(git, home);
      submodules = new SubmoduleCopies(checkout, "refs/ralph/", notice -> {});
    }
    return new CheckedOutSubmodules(tree, Git.alone(tree, PATIENCE), submodules);
  }

  /** Checks out a commit in the work tree. Returns whether the checkout succeeded. */
  private boolean isAt(Path tree, String commit) throws InterruptedException {
    Git there = Git.alone(tree, PATIENCE);
    if (!Files.exists(tree.resolve(".git"))) {
      return false;
    }
    GitTrees.requireTop(there, tree);
    CheckedOutSubmodules submodules = submodules(tree);
    if (submodules.move("HEAD", commit) != null
        || !there.run("reset", "--quiet", "--hard", commit).isGood()
        || !there.run("clean", "--quiet", "-ffd").isGood()) {
      return false;
    }
    submodules.restore();
    return true;
  }

  private void change(Git where, String... arguments) throws InterruptedException {
    GitTrees.require("git " + arguments[0] + " in " + home, GitTrees.patient(where, arguments));
  }

  /** Removes the work trees of killed processes. */
  private void removeLeft() throws InterruptedException {
    for (Path there : GitTrees.trees(git).keySet()) {
      Matcher name = OWN.matcher(String.valueOf(there.getFileName()));
      if (name.matches() && isGone(name.group(1))) {
        remove(there);
      }
    }
  }

  private void remove(Path there) throws InterruptedException {
    GitTrees.patient(git, "worktree", "remove", "--force", "--force", there.toString());
  }

  private static boolean isGone(String pid) {
    try {
      return ProcessHandle.of(Long.parseLong(pid)).isEmpty();
    } catch (NumberFormatException tooLong) {
      return true;
    }
  }

  private String ask(String... arguments) throws InterruptedException {
    return GitTrees.require("git " + arguments[0] + " in " + home, git.run(arguments)).line();
  }

  /** Removes the work tree for checks. Waits for a running merge. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      Path made = tree;
      if (made != null) {
        MetadataLock.holding(common, () -> remove(made));
        tree = null;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // removed by the next instance
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return "onto " + branch + " in " + home;
  }
}

package dev.ralph.core;

import dev.ralph.Verdict;
import dev.ralph.core.internal.commit.CommitSigning;
import dev.ralph.core.internal.git.ConflictBlock;
import dev.ralph.core.internal.git.GitLinks;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.MetadataLock;
import dev.ralph.core.internal.git.NestedRepositories;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.git.StaleLocks;
import dev.ralph.core.internal.process.Answer;
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
 * Brings finished work onto a branch that is good at every commit: each piece of work becomes one
 * commit on the branch's newest, is tried there as it will be, and the branch moves only if it is
 * good; several at once as one merge commit. Nothing else changes, whatever goes wrong: neither the
 * work's own branch nor any checkout.
 *
 * <pre>{@code
 * try (Landing landing = Landing.onto(project, "ralph/add-login")) {
 *   Landing.Result result =
 *       landing.land("ralph/form", "Add a login form", folder -> tests(folder));
 * }
 * }</pre>
 *
 * <p>It is tried in a work tree of its own below {@code .ralph/worktrees}, which stays until this
 * is closed. Files that Git ignores stay in it from one piece of work to the next, so that a build
 * need not begin at nothing. Submodules are empty in it. No hook of Git runs, but what {@link
 * #beforeCommit} sets; a commit is signed where {@link #sign} says so.
 *
 * <p>Many may land on one branch at the same time, in other processes too: whose branch has moved
 * meanwhile tries again on what is newest. Safe for use by many threads; one lands at a time.
 */
public final class Landing implements AutoCloseable {

  /** How a piece of work fared. */
  public enum Status {
    /** It is on the branch. */
    LANDED,
    /** All that it changes is on the branch already. */
    NOTHING,
    /** It and the branch change the same places. */
    CONFLICT,
    /** A file has conflict markers that a merge wrote. */
    MARKERS,
    /** It was tried on the branch, and is not good. */
    REFUSED,
    /** It was tried, and was no longer to land when the branch would have moved. */
    WITHDRAWN
  }

  /** Says whether what would be the branch's newest commit is good. */
  @FunctionalInterface
  public interface Check {

    /**
     * Looks at it.
     *
     * @param folder its files, the project's folder in them; what is changed there is thrown away
     * @throws Exception if it can't be checked; that counts as not good, with the exception's
     *     message
     */
    Verdict check(Path folder) throws Exception;

    /**
     * Looks at it, and takes an exception for a verdict.
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
   * @param work a branch or a commit; what it has changed since it left the branch lands, as one
   *     commit
   * @param message of that commit; its first line is short
   * @param name for the title of a merge commit, such as {@code t7}; empty for none
   */
  public record Piece(String work, String message, String name) {

    /** Makes a piece. */
    public Piece {
      Objects.requireNonNull(work, "work");
      Objects.requireNonNull(message, "message");
      Objects.requireNonNull(name, "name");
    }

    /** Makes a piece without a name. */
    public Piece(String work, String message) {
      this(work, message, "");
    }

    String subject() {
      return message.strip().lines().findFirst().orElse("");
    }
  }

  /**
   * How a piece of work fared.
   *
   * @param status how
   * @param commit the branch's commit that has it, in full; null where it did not land
   * @param files that are in conflict, as Git has them, from the repository's top; empty where none
   *     is
   * @param reason what is wrong, for the one who did the work; empty where nothing is
   */
  public record Result(Status status, @Nullable String commit, List<String> files, String reason) {

    /** Makes a result; the list is copied. */
    public Result {
      files = List.copyOf(files);
    }

    /** Returns whether the branch has all of the work now. */
    public boolean isThere() {
      return status == Status.LANDED || status == Status.NOTHING;
    }
  }

  /** A large repository may take minutes to be checked out. */
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  private static final String PREFIX = ".landing-";

  private static final Pattern OWN = Pattern.compile("\\.landing-(\\d+)-[0-9a-f]+");

  /** Of each file in conflict, so much of both sides is told, and of so many files. */
  private static final int LONGEST_SIDES = 4_000;

  private static final int MOST_FILES = 10;

  private static final String MERGE_TREE = "merge-tree";

  private static final String BEGINS = "^<<<<<<<";

  /** The label of git for the second side, where a stash was applied. */
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

  /** The file that only landing changes; null where there is none. */
  private @Nullable LandedFile landedFile;

  /** Examines what is staged for a commit; null where nothing does. */
  private @Nullable Check beforeCommit;

  /** What {@link #beforeCommit} has made of a tree on top of another one. */
  private final Map<String, String> examined = new HashMap<>();

  private @Nullable CommitSigning signing;

  /** Where it is tried; null before the first time. */
  private @Nullable Path tree;

  private boolean closed;

  private Landing(Path home, Path common, Path inside, String branch, Git git) {
    this.home = home;
    this.common = common;
    this.inside = inside;
    this.branch = branch;
    this.ref = "refs/heads/" + branch;
    this.git = git;
  }

  /**
   * Begins to bring work onto a branch. Nothing is made yet.
   *
   * @param project a folder of the repository
   * @param branch a branch that is there, such as {@code ralph/add-login}, and is checked out
   *     nowhere when something lands
   * @throws RalphException INVALID if there is no repository, no such branch, or git does not know
   *     who commits; the message says what to do
   * @throws InterruptedException if the thread is interrupted
   */
  public static Landing onto(Path project, String branch) throws InterruptedException {
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
              + "; make one: git branch NAME");
    }
    GitTrees.requireCommitter(git);
    Path inside = Path.of(git.run("rev-parse", "--show-prefix").line());
    Path home = GitTrees.home(git, folder, checkout);
    Path common = GitTrees.common(git, folder);
    return new Landing(home, common, inside, branch, Git.alone(checkout, PATIENCE));
  }

  /**
   * Names a file that every piece of work would change, such as a list of what is done, so that all
   * would be in conflict. What a piece makes of it is left out; instead it lands with what the
   * function makes of it.
   *
   * @param file a text in UTF-8, as seen from the top of the repository; may be missing
   * @param text returns what is to stand there with a piece on the branch, from what stood there
   *     before; an empty text where it was missing. Called as often as a piece is tried, under this
   *     landing's lock: it must be quick, and return the same text each time. What it throws is
   *     thrown on
   * @return this
   * @throws RalphException INVALID if the path leads out of the repository
   */
  public Landing onLanding(Path file, BiFunction<Piece, String, String> text) {
    LandedFile named = new LandedFile(git, GitTrees.inside(file), text);
    lock.lock();
    try {
      this.landedFile = named;
    } finally {
      lock.unlock();
    }
    return this;
  }

  /**
   * Sets what examines each piece before it becomes a commit, as the hook {@code pre-commit} does,
   * and before the check. The piece is staged in the folder on the branch's newest commit. Tracked
   * files that are changed there, and all that is staged there, become part of the commit. A
   * verdict that is not passed refuses the piece with its reason.
   *
   * @param examination is called under this landing's lock, with the top folder of the files; null
   *     for none
   * @return this
   */
  public Landing beforeCommit(@Nullable Check examination) {
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
   * Signs the commits that are made here, if {@code commit.gpgsign} is set and a trial signature
   * succeeds within 10 seconds without a terminal.
   *
   * @param notice receives a sentence where commits can't be signed, now or later; they are made
   *     without a signature then
   * @return this
   * @throws InterruptedException if the thread is interrupted
   */
  public Landing sign(Consumer<String> notice) throws InterruptedException {
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
   * Tries a piece of work on the branch, and moves the branch to it if it is good.
   *
   * @param work a branch or a commit; what it has changed since it left the branch lands, as one
   *     commit
   * @param message of that commit
   * @param check is asked as often as the branch has moved meanwhile
   * @throws RalphException INVALID if there is no such work, it has nothing in common with the
   *     branch, the branch is checked out somewhere, or git refuses: the message says what to do;
   *     CLOSED after {@link #close}
   * @throws InterruptedException if the thread is interrupted; the branch is as it was then
   */
  public Result land(String work, String message, Check check) throws InterruptedException {
    LandingBatch batch = new LandingBatch(List.of(new Piece(work, message)));
    land(batch, check, piece -> true);
    return batch.only();
  }

  /**
   * Tries pieces of work on the branch, all at once, and moves the branch to them if they are good
   * together: then to a merge of their commits, so that the branch's first parents were all tried.
   * The merge commit's title names the pieces, and its body has the first line of each message. If
   * they are not, those that are not good are found by halves, and the others land. A piece that is
   * in conflict with the branch, or is missing, holds no other up.
   *
   * @param pieces the first on top of the branch, the second on that, and so on
   * @param check is asked about so many of them as are tried at once
   * @param fence is asked about each piece right before the branch moves: false leaves it out; what
   *     it throws is thrown on, and no more lands. Called without any lock of git's
   * @return one for each piece, in their order. A piece that is missing or has nothing in common
   *     with the branch is refused
   * @throws RalphException INVALID if the branch is checked out somewhere, or git refuses: the
   *     message says what to do; CLOSED after {@link #close}
   * @throws InterruptedException if the thread is interrupted; what has landed until then has
   *     landed, which its commits say
   */
  public List<Result> land(List<Piece> pieces, Check check, Predicate<Piece> fence)
      throws InterruptedException {
    LandingBatch batch = new LandingBatch(pieces);
    land(batch, check, fence);
    return batch.results();
  }

  private void land(LandingBatch batch, Check check, Predicate<Piece> fence)
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
            batch.land(chain);
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether the branch's newest commit is good, which is tried as what lands is.
   *
   * @throws RalphException as {@link #land}
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
   * Takes over what another branch has that this one has not: moves to it if it has all of this
   * one, or else to a merge of both that is good, whose first parent is the other. So the other can
   * move to this one afterwards.
   *
   * @param other a branch or a commit
   * @return NOTHING if this one has all of it already
   * @throws RalphException as {@link #land}
   * @throws InterruptedException if the thread is interrupted; the branch is as it was then
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
      return new Result(Status.LANDED, other, List.of(), "");
    }
    Answer merged = git.run(MERGE_TREE, "--write-tree", "-z", "--name-only", other, before);
    String[] parts = merged.output().split("\0", -1);
    if (!merged.isGood()) {
      return conflict(merged, parts);
    }
    String commit = commitTree(parts[0].strip(), message, other, before);
    Verdict verdict = check.verdict(checkedOut(commit).resolve(inside));
    return verdict.isPassed()
        ? new Result(Status.LANDED, commit, List.of(), "")
        : new Result(Status.REFUSED, null, List.of(), verdict.reason());
  }

  private void alone() throws InterruptedException {
    lock.lockInterruptibly();
    if (closed) {
      lock.unlock();
      throw RalphException.closed("the landing");
    }
  }

  private String commit(String work) throws InterruptedException {
    Answer answer =
        git.run("rev-parse", "--verify", "--quiet", "--end-of-options", work + "^{commit}");
    if (!answer.isGood()) {
      throw RalphException.invalid(
          "there is no branch or commit " + RalphException.quote(work) + " in " + home);
    }
    return answer.line();
  }

  /** A piece as a commit on top of the branch, or of the piece before it. */
  record Squashed(int index, String commit, Piece piece) {}

  /**
   * Returns commits of the pieces that are to be tried now, each on top of the one before. What
   * does not fit on top of others waits until these have landed or were refused.
   */
  private List<Squashed> chain(String before, LandingBatch batch) throws InterruptedException {
    List<Squashed> chain = new ArrayList<>();
    String top = before;
    for (int piece : batch.next()) {
      try {
        Result result = examined(top, batch.piece(piece), squash(top, batch.piece(piece)));
        String commit = result.commit();
        if (commit != null) {
          chain.add(new Squashed(piece, commit, batch.piece(piece)));
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

  /** A piece that can't be tried at all, though the others can. */
  private static final class MissingWork extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient RalphException reason;

    MissingWork(RalphException reason) {
      super(reason);
      this.reason = reason;
    }
  }

  /** Returns the commit to try, in a chain as the branch's first parent or as a merge of it. */
  private String commit(String before, List<Squashed> chain) throws InterruptedException {
    String last = chain.get(chain.size() - 1).commit();
    if (chain.size() == 1) {
      return last;
    }
    List<Piece> pieces = chain.stream().map(Squashed::piece).toList();
    String message = LandingBatch.mergeMessage(pieces);
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
    Answer answer = own == null ? git.runWith(input, command) : own.commit(git, input, command);
    return GitTrees.require("git commit-tree in " + home, answer).line();
  }

  /** Returns a piece as one commit, which is said to have landed; or why there is none. */
  private Result squash(String top, Piece piece) throws InterruptedException, MissingWork {
    String work;
    try {
      work = commit(piece.work());
    } catch (RalphException e) {
      throw new MissingWork(e);
    }
    LandedFile own = landedFile;
    String rest = own == null ? work : own.leftOut(top, work);
    Answer merged = git.run(MERGE_TREE, "--write-tree", "-z", "--name-only", top, rest);
    // Both begin with the tree; one in conflict goes on with its files and what there is to say.
    String[] parts = merged.output().split("\0", -1);
    if (!merged.isGood()) {
      if (git.run("merge-base", top, rest).exit().code() == 1) {
        throw new MissingWork(GitTrees.refused("git merge-tree in " + home, merged));
      }
      return conflict(merged, parts);
    }
    String tree = parts[0].strip();
    if (own != null) {
      tree = own.edited(tree, piece);
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
    return new Result(Status.LANDED, commit, List.of(), "");
  }

  /** Returns a squashed piece as {@link #beforeCommit} leaves it, or its refusal. */
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
        : new Result(Status.LANDED, commitTree(made, piece.message(), top), List.of(), "");
  }

  private Result conflict(Answer merged, String[] parts) {
    if (merged.exit().code() != 1 || parts.length < 2) {
      throw GitTrees.refused("git merge-tree in " + home, merged);
    }
    List<String> files = new ArrayList<>();
    int at = 1;
    while (at < parts.length && !parts[at].isEmpty()) {
      files.add(parts[at++]);
    }
    StringBuilder reason = new StringBuilder("It and " + branch + " change the same places.");
    for (String file : files.subList(0, Math.min(MOST_FILES, files.size()))) {
      reason.append("\n\n").append(file).append(":\n").append(sides(parts[0], file));
    }
    if (files.size() > MOST_FILES) {
      reason.append("\n\nand ").append(files.size() - MOST_FILES).append(" files more");
    }
    return new Result(Status.CONFLICT, null, files, reason.toString());
  }

  /** Returns both sides of a file that is in conflict, as Git marks them. */
  private String sides(String tree, String file) {
    String text = text(tree + ":" + file);
    int from = text.indexOf("<<<<<<< ");
    int to = text.lastIndexOf(">>>>>>> ");
    if (from < 0 || to < from) {
      return "(one of them has removed, renamed or replaced it as a whole)";
    }
    int end = text.indexOf('\n', to);
    String sides = text.substring(from, end < 0 ? text.length() : end);
    return sides.length() > LONGEST_SIDES
        ? sides.substring(0, LONGEST_SIDES) + "\n(and more)"
        : sides;
  }

  /** Returns why links to repositories that are no submodules can't be merged. */
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
   * Returns the changed files with a conflict block that a merge wrote. Blocks of documents do not
   * count.
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

  /** Returns the blob of the version that a block's label names, or null. */
  private @Nullable String labelled(ConflictBlock block, String file) throws InterruptedException {
    String label = block.label().equals(STASHED) ? "refs/stash" : block.label().split(" ", 2)[0];
    String[] parts = label.split(":", 2);
    if (!NAMED.matcher(parts[0]).matches()) {
      return null;
    }
    Answer commit =
        git.run("rev-parse", "--verify", "--quiet", "--end-of-options", parts[0] + "^{commit}");
    String blob = commit.line() + ":" + (parts.length > 1 ? parts[1] : file);
    return commit.isGood() && git.run("cat-file", "-e", blob).isGood() ? blob : null;
  }

  /** Returns the commits that were merged into a piece of work, the newest first. */
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
    return git.look("cat-file", "blob", blob).orElse("");
  }

  /** Moves the branch if it is where it was, and is checked out nowhere. */
  private boolean move(String before, String commit) throws InterruptedException {
    requireCheckedOutNowhere();
    Path own = common.resolve(ref + ".lock");
    boolean isSessions = SessionNames.ofBranch(branch) != null;
    Answer moved =
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
              + ", and would move under those who work there; check out another one: "
              + CommandLineWords.join(
                  List.of("git", "-C", where.toString(), "switch", "--detach")));
    }
  }

  /** Returns the folder that has the files of that commit, and of those ignored what was left. */
  private Path checkedOut(String commit) throws InterruptedException {
    requireCheckedOutNowhere(); // before a check that takes its time
    Path known = tree;
    if (known != null && isAt(known, commit)) {
      return known;
    }
    if (known != null) { // somebody has deleted it, or a git that was killed has left it locked
      tree = null;
      MetadataLock.holding(common, () -> remove(known));
    }
    Path place = home.resolve(Worktree.PLACE);
    Path made =
        place.resolve(
            PREFIX + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime()));
    PlainPath.require(home, made); // a clone may have brought links
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
    tree = made;
    return made;
  }

  /** Brings it there, and returns whether that went well. */
  private static boolean isAt(Path tree, String commit) throws InterruptedException {
    Git there = Git.alone(tree, PATIENCE);
    if (!Files.exists(tree.resolve(".git"))) {
      return false;
    }
    GitTrees.requireTop(there, tree);
    return there.run("reset", "--quiet", "--hard", commit).isGood()
        && there.run("clean", "--quiet", "-ffd").isGood();
  }

  private void change(Git where, String... arguments) throws InterruptedException {
    GitTrees.require("git " + arguments[0] + " in " + home, GitTrees.patient(where, arguments));
  }

  /** Removes what processes have left that were killed. */
  private void removeLeft() throws InterruptedException {
    for (String line : GitTrees.list(git)) {
      if (line.startsWith("worktree ")) {
        Path there = Path.of(line.substring("worktree ".length()));
        Matcher name = OWN.matcher(String.valueOf(there.getFileName()));
        if (name.matches() && isGone(name.group(1))) {
          remove(there);
        }
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

  /** Removes the work tree in which was tried. Waits for what lands just now. */
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
      Thread.currentThread().interrupt(); // the next one removes it
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return "onto " + branch + " in " + home;
  }
}

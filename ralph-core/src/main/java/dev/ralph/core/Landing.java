package dev.ralph.core;

import dev.ralph.Verdict;
import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Brings finished work onto a branch that is good at every commit: each piece of work becomes one
 * commit on the branch's newest, is tried there as it will be, and the branch moves only if it is
 * good. Nothing else changes, whatever goes wrong: neither the work's own branch nor any checkout.
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
 * need not begin at nothing. Submodules are empty in it. Hooks do not run.
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
    /** It holds the marks of a conflict that somebody has left in a file. */
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
   * How a piece of work fared.
   *
   * @param status how
   * @param commit the branch's commit that has it, in full; null where it did not land
   * @param files that are in conflict, as Git has them, from the repository's top; empty where none
   *     is
   * @param reason what is wrong, for whoever did the work; empty where nothing is
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

  private static final String BEGINS = "^<<<<<<< ";
  private static final String ENDS = "^>>>>>>> ";

  /** Another's hooks are not run. */
  private static final String[] NO_HOOKS = {"-c", "core.hooksPath=/dev/null"};

  private final Path home;
  private final Path inside;
  private final String branch;
  private final String ref;
  private final Git git;
  private final ReentrantLock lock = new ReentrantLock();

  /** Where it is tried; null before the first time. */
  private @Nullable Path tree;

  private boolean closed;

  private Landing(Path home, Path inside, String branch, Git git) {
    this.home = home;
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
    Path checkout = Worktree.checkout(git, folder);
    if (!git.run("check-ref-format", "--branch", branch).isGood()
        || !Worktree.has(git, "refs/heads/" + branch)) {
      throw RalphException.invalid(
          "the repository "
              + checkout
              + " has no branch "
              + RalphException.quote(branch)
              + "; make one: git branch NAME");
    }
    Worktree.requireCommitter(git);
    Path inside = Path.of(git.run("rev-parse", "--show-prefix").line());
    Path home = Worktree.home(git, folder, checkout);
    return new Landing(home, inside, branch, new Git(checkout, PATIENCE));
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
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(check, "check");
    lock.lockInterruptibly();
    try {
      if (closed) {
        throw RalphException.closed("the landing");
      }
      String what = commit(work);
      while (true) {
        String before = ask("rev-parse", "--verify", ref);
        Result result = tryOn(before, what, message, check);
        String commit = result.commit();
        if (commit == null || move(before, commit)) {
          return result;
        }
      }
    } finally {
      lock.unlock();
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

  /** Returns what would become of the work on that commit. */
  private Result tryOn(String before, String work, String message, Check check)
      throws InterruptedException {
    Answer merged = git.run("merge-tree", "--write-tree", "-z", "--name-only", before, work);
    // Both begin with the tree; one in conflict goes on with its files and what there is to say.
    String[] parts = merged.output().split("\0", -1);
    if (!merged.isGood()) {
      if (merged.exit().code() != 1 || parts.length < 2) {
        throw Worktree.refused("git merge-tree in " + home, merged);
      }
      return conflict(parts);
    }
    String tree = parts[0].strip();
    if (tree.equals(ask("rev-parse", before + "^{tree}"))) {
      return new Result(Status.NOTHING, null, List.of(), "");
    }
    String commit = ask("commit-tree", tree, "-p", before, "-m", message);
    List<String> marked = marked(before, commit);
    if (!marked.isEmpty()) {
      return new Result(
          Status.MARKERS,
          null,
          marked,
          "Marks of a conflict (<<<<<<< and >>>>>>>) are left in: "
              + String.join(", ", marked)
              + ".");
    }
    return tried(commit, check);
  }

  private Result conflict(String[] parts) throws InterruptedException {
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
    String text = git.look("cat-file", "blob", tree + ":" + file).orElse("");
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

  /** Returns the changed files in which both marks of a conflict stand. */
  private List<String> marked(String before, String commit) throws InterruptedException {
    String changed = ask("diff", "--name-only", "--no-renames", "-z", "-G", BEGINS, before, commit);
    if (changed.isEmpty()) {
      return List.of();
    }
    List<String> search =
        new ArrayList<>(List.of("--literal-pathspecs", "grep", "-I", "-z", "--files-with-matches"));
    search.addAll(List.of("--all-match", "-e", BEGINS, "-e", ENDS, commit, "--"));
    search.addAll(List.of(changed.split("\0")));
    List<String> marked = new ArrayList<>();
    for (String found : git.run(search.toArray(new String[0])).output().split("\0")) {
      if (found.startsWith(commit)) {
        marked.add(found.substring(commit.length() + 1));
      }
    }
    return marked;
  }

  private Result tried(String commit, Check check) throws InterruptedException {
    Path folder = checkedOut(commit).resolve(inside);
    Verdict verdict = check.verdict(folder);
    return verdict.isPassed()
        ? new Result(Status.LANDED, commit, List.of(), "")
        : new Result(Status.REFUSED, null, List.of(), verdict.reason());
  }

  /** Moves the branch if it is where it was, and is checked out nowhere. */
  private boolean move(String before, String commit) throws InterruptedException {
    requireCheckedOutNowhere();
    Answer moved = git.run("update-ref", "-m", "ralph: landed", ref, commit, before);
    if (!moved.isGood() && ask("rev-parse", "--verify", ref).equals(before)) {
      throw Worktree.refused("git update-ref " + ref + " in " + home, moved);
    }
    return moved.isGood();
  }

  private void requireCheckedOutNowhere() throws InterruptedException {
    Path where = Worktree.checkedOutIn(git, branch);
    if (where != null) {
      throw RalphException.invalid(
          "the branch "
              + branch
              + " is checked out in "
              + where
              + ", and would move under whoever works there; check out another one: "
              + CommandLineWords.join(
                  List.of("git", "-C", where.toString(), "switch", "--detach")));
    }
  }

  /** Returns the folder that has the files of that commit, and of those ignored what was left. */
  private Path checkedOut(String commit) throws InterruptedException {
    requireCheckedOutNowhere(); // before a check that takes its time
    Path known = tree;
    if (known != null && Files.exists(known.resolve(".git"))) {
      Git there = new Git(known, PATIENCE);
      hookless(there, "reset", "--quiet", "--hard", commit);
      hookless(there, "clean", "--quiet", "-ffd");
      return known;
    }
    Path place = home.resolve(Worktree.PLACE);
    Path made =
        place.resolve(
            PREFIX + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime()));
    PlainPath.require(home, made); // a clone may have brought links
    Worktree.ignore(made);
    removeLeft();
    hookless(git, "worktree", "add", "--quiet", "--detach", made.toString(), commit);
    tree = made;
    return made;
  }

  private void hookless(Git where, String... arguments) throws InterruptedException {
    List<String> all = new ArrayList<>(List.of(NO_HOOKS));
    all.addAll(List.of(arguments));
    Worktree.require(
        "git " + arguments[0] + " in " + home, Worktree.patient(where, all.toArray(new String[0])));
  }

  /** Removes what processes have left that were killed. */
  private void removeLeft() throws InterruptedException {
    for (String line : Worktree.list(git)) {
      if (line.startsWith("worktree ")) {
        Path there = Path.of(line.substring("worktree ".length()));
        Matcher name = OWN.matcher(String.valueOf(there.getFileName()));
        if (name.matches() && isGone(name.group(1))) {
          Worktree.patient(git, "worktree", "remove", "--force", "--force", there.toString());
        }
      }
    }
  }

  private static boolean isGone(String pid) {
    try {
      return ProcessHandle.of(Long.parseLong(pid)).isEmpty();
    } catch (NumberFormatException tooLong) {
      return true;
    }
  }

  private String ask(String... arguments) throws InterruptedException {
    return Worktree.require("git " + arguments[0] + " in " + home, git.run(arguments)).line();
  }

  /** Removes the work tree in which was tried. Waits for what lands just now. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      if (tree != null) {
        Worktree.patient(git, "worktree", "remove", "--force", "--force", tree.toString());
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

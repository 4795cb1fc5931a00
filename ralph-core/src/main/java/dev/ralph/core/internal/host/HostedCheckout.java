package dev.ralph.core.internal.host;

import dev.ralph.core.CommitOptions;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.branch.BranchHold;
import dev.ralph.core.internal.commit.CommitSigning;
import dev.ralph.core.internal.git.BranchOwner;
import dev.ralph.core.internal.git.CheckoutConflicts;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.RemoteBranch;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.git.StaleLocks;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.FrameLog;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A session's repository in a private folder of this host. The host fetches the repository, works
 * in a work tree of the branch {@code ralph/SESSION}, and pushes the branch. Fetched hooks and
 * settings are not used. Not thread-safe.
 */
final class HostedCheckout implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(30);

  private static final String NOT_PUSHED = "Keep the unpushed work";
  private static final String BASE = "refs/remotes/host/base";
  private static final String THERE = "refs/remotes/host/session";

  private final SessionOffer offer;
  private final Path place;
  private final String session;
  private Worktree tree;
  private final Git git;
  private final RemoteBranch there;
  private final BranchHold hold;

  /** The notices about the checkout around the work tree, which no person uses. */
  private final List<String> ofCheckout;

  /** The notices that were not returned yet. */
  private final List<String> notices = new ArrayList<>();

  private HostedCheckout(
      SessionOffer offer, Path place, Worktree tree, Git git, RemoteBranch there, BranchHold hold) {
    this.offer = offer;
    this.place = place;
    this.session = tree.name();
    this.tree = tree;
    this.ofCheckout = tree.notices();
    this.git = git;
    this.there = there;
    this.hold = hold;
  }

  /**
   * Fetches a session's repository, and creates a work tree. The work tree contains the last pushed
   * work of the session, or the commit at which the session begins. Unpushed work of this host's
   * earlier runs is kept: in the work tree, or on a separate branch if other hosts have continued
   * meanwhile.
   *
   * @param parent the parent of the session's folder
   * @param offer an offer with a repository
   * @param log the log of the session; null if the branch may belong to any session of that name
   * @throws RalphException INVALID if Git refuses, with its output; CONTENDED if another host with
   *     the same folder works there
   */
  static HostedCheckout open(
      Path parent, String session, SessionOffer offer, @Nullable FrameLog log)
      throws InterruptedException {
    Path place = parent.resolve(session);
    PlainPath.require(parent, place.resolve(".git"));
    Git git = new Git(place, PATIENCE, RemoteBranch.ONLY_THESE);
    if (!Files.exists(place.resolve(".git"))) {
      make(place);
      require("git init", git, "init", "--quiet", "--template=");
    }
    BranchHold hold = BranchHold.take(place, session);
    try {
      StaleLocks.removeAll(place.resolve(".git"), place);
      return open(place, session, offer, git, hold, log);
    } catch (RuntimeException | InterruptedException e) {
      hold.close();
      throw e;
    }
  }

  private static HostedCheckout open(
      Path place,
      String session,
      SessionOffer offer,
      Git git,
      BranchHold hold,
      @Nullable FrameLog log)
      throws InterruptedException {
    String repository = Objects.requireNonNull(offer.repository(), "repository");
    String commit = Objects.requireNonNull(offer.commit(), "commit");
    RemoteBranch there =
        new RemoteBranch(git, repository, new SessionNames(session).branch(), THERE);
    String newest = there.readCommit() == null ? null : there.fetch();
    if (newest == null) {
      fetchBase(git, repository, offer.branch(), commit);
    } else if (log != null && !BranchOwner.of(log, session).hasWorked()) {
      requireNothingOfOthers(git, offer, session, newest);
    }
    String begin = newest == null ? commit : newest;
    require("git update-ref", git, "update-ref", "--no-deref", "HEAD", begin);
    require("git update-ref", git, "update-ref", new SessionNames(session).base(), commit);
    Worktree tree =
        log == null
            ? Worktree.open(place, session, CommitOptions.NO_HOOKS)
            : Worktree.open(place, session, CommitOptions.NO_HOOKS, log);
    Git own = new Git(tree.root(), PATIENCE, RemoteBranch.ONLY_THESE);
    HostedCheckout checkout = new HostedCheckout(offer, place, tree, own, there, hold);
    checkout.align(newest);
    return checkout;
  }

  /**
   * Checks that the branch has no commits beyond the offered one, because the session has not
   * worked yet.
   */
  private static void requireNothingOfOthers(
      Git git, SessionOffer offer, String session, String newest) throws InterruptedException {
    String commit = Objects.requireNonNull(offer.commit(), "commit");
    if (!GitTrees.isWithin(git, newest, commit)) {
      throw RalphException.invalid(
          "the branch "
              + new SessionNames(session).branch()
              + " in "
              + offer.repository()
              + " has commits, but session "
              + session
              + " has not worked yet. Rename or delete the branch, or use a different session name");
    }
  }

  private static void make(Path place) {
    try {
      Files.createDirectories(place);
    } catch (IOException e) {
      throw GitTrees.failed("can't create the folder " + place, e);
    }
  }

  private static void fetchBase(Git git, String repository, @Nullable String branch, String commit)
      throws InterruptedException {
    if (branch != null) {
      require(
          "the branch of the session, " + RalphException.quote(branch) + ",",
          git,
          "check-ref-format",
          "refs/heads/" + branch);
      fetch(git, repository, "+refs/heads/" + branch + ":" + BASE);
    }
    if (!has(git, commit)) {
      fetch(git, repository, commit); // may be on no branch, or meanwhile on another branch
    }
    if (!has(git, commit)) {
      throw RalphException.invalid("commit " + commit + " is missing in " + repository);
    }
  }

  private static void fetch(Git git, String repository, String what) throws InterruptedException {
    require(
        "git fetch from " + repository,
        git,
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-recurse-submodules",
        "--",
        repository,
        what);
  }

  private static boolean has(Git git, String commit) throws InterruptedException {
    return git.run("cat-file", "-e", commit + "^{commit}").isGood();
  }

  /** Updates the work tree to the work pushed by other hosts since this host's last run. */
  private void align(@Nullable String theirs) throws InterruptedException {
    there.mayReplace(theirs); // this work tree will contain all of it
    if (theirs == null || GitTrees.isWithin(git, theirs, "HEAD")) {
      return;
    }
    tree.commit(NOT_PUSHED);
    if (!GitTrees.isWithin(git, "HEAD", theirs)) {
      ask("branch", GitTrees.freeBranch(git, tree.branch() + "-left-"), "HEAD");
    }
    requireNoConflict(theirs);
    ask("reset", "--quiet", "--hard", theirs);
    tree.commit("Take over " + tree.name());
  }

  /** Checks that no ignored file would be replaced by a file of a commit or a tree. */
  private void requireNoConflict(String commit) throws InterruptedException {
    CheckoutConflicts conflicts = CheckoutConflicts.untracked(git, tree.root(), commit);
    if (!conflicts.isEmpty()) {
      throw conflicts.refusal("start the session again");
    }
  }

  /** Returns the top folder of the work tree. */
  Path top() {
    return tree.root();
  }

  /** Returns the working folder in the work tree. */
  Path folder() {
    return inside(tree.root());
  }

  /**
   * Returns the session's folder in a checkout. Creates the folder if no commit contains it any
   * more.
   */
  private Path inside(Path root) {
    Path folder = root.resolve(Objects.requireNonNullElse(offer.folder(), "")).normalize();
    PlainPath.require(root, folder); // a commit may contain links
    try {
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw GitTrees.failed("can't create the folder " + folder, e);
    }
  }

  /**
   * Prepares the repository for several agents, which have separate work trees and merge into the
   * session's branch. Commits the work of a single agent, and releases the branch.
   *
   * @return the folder for the loop
   */
  Path openForSeveral() throws InterruptedException {
    tree.commit(NOT_PUSHED);
    Git own = new Git(place, PATIENCE, RemoteBranch.ONLY_THESE);
    require("git reset in " + place, own, "reset", "--quiet", "--hard", "HEAD");
    hold.close(); // the loop acquires a hold itself
    return inside(place);
  }

  /** Returns the newest commit whose message contains a line; null for none. */
  @Nullable String find(String line) throws InterruptedException {
    String head = SessionNames.head(tree.branch());
    String grep = "--grep=^" + line + "$";
    String found = ask("log", "--max-count=1", "--format=%H", "--basic-regexp", grep, head);
    return found.isEmpty() ? null : found;
  }

  /** Sets the options of {@link #commit}, with the hooks as of now. */
  void commitBy(CommitOptions options) throws InterruptedException {
    notices.addAll(tree.notices());
    tree = Worktree.open(place, session, options);
    notices.addAll(tree.notices());
    notices.removeAll(ofCheckout);
  }

  /** Returns the notices about commits since the last call. */
  List<String> notices() {
    List<String> all = new ArrayList<>(notices);
    all.addAll(tree.notices());
    notices.clear();
    return all;
  }

  /** Commits all changes; see {@link Worktree#commit}. */
  void commit(String message) throws InterruptedException {
    tree.commit(message);
  }

  /**
   * Pushes the commits. Merges other hosts' pushes to the session's branch first.
   *
   * @param fence called directly before the push; throws if this host may not push any more
   * @return whether a merge was necessary; its result was not checked by gates yet
   * @throws RalphException INVALID if the push or the merge fails, with the remedy
   */
  boolean push(Runnable fence) throws InterruptedException {
    AtomicBoolean merged = new AtomicBoolean();
    there.push(
        () -> ask("rev-parse", "--verify", SessionNames.head(tree.branch())),
        fence,
        () -> {
          merged.set(true);
          return merge();
        });
    return merged.get();
  }

  /** Merges the remote branch, so that a later push loses no remote commit. */
  private String merge() throws InterruptedException {
    String theirs = there.fetch();
    CommandResult merged = git.run("merge-tree", "--write-tree", "HEAD", THERE);
    if (merged.isGood()) {
      requireNoConflict(merged.line()); // a merge that is no fast-forward replaces ignored files
    }
    String before = ask("rev-parse", "HEAD");
    Git own = Git.alone(tree.root(), PATIENCE);
    CommandResult answer = own.run("merge", "--quiet", "--no-edit", "--no-gpg-sign", THERE);
    if (!answer.isGood()) {
      String why = (answer.output() + "\n" + answer.errors()).strip();
      git.run("merge", "--abort");
      throw RalphException.invalid(
          "other commits were pushed to "
              + tree.branch()
              + " of "
              + offer.repository()
              + ", and git can't merge them: "
              + why
              + "; run: "
              + CommandLineWords.join(List.of("git", "-C", tree.root().toString(), "merge", THERE))
              + ", resolve the conflicts and commit");
    }
    if (!ask("rev-parse", "HEAD").equals(before) && has(git, "HEAD^2")) {
      String[] sign = {"commit", "--quiet", "--amend", "--no-edit", "--allow-empty"};
      GitTrees.require(
          "git commit in " + tree.root(),
          CommitSigning.find(own, notices::add).commit(own, null, sign));
    }
    tree.commit("Merge " + THERE);
    return theirs;
  }

  /** Releases the hold on the branch. */
  @Override
  public void close() {
    hold.close();
  }

  private String ask(String... arguments) throws InterruptedException {
    return require("git " + arguments[0] + " in " + tree.root(), git, arguments).line();
  }

  private static CommandResult require(String what, Git git, String... arguments)
      throws InterruptedException {
    return GitTrees.require(what, GitTrees.patient(git.withoutHooks(), arguments));
  }
}

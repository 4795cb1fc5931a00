package dev.ralph.core.internal.workspace;

import dev.ralph.core.Landing;
import dev.ralph.core.Landing.Result;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.time.Duration;

/**
 * Keeps the session's branch of a remote where this one is. It is only moved from where it was seen
 * last, so nothing that somebody else has pushed is ever overwritten: that is taken over first. For
 * the thread that lands.
 */
final class Push {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** How often others may be faster. */
  private static final int MOST_TRIES = 3;

  private final SessionRepository repository;
  private final Git git;
  private final String remote;
  private final boolean isRequired;
  private final String head;

  /** What the remote had when it was seen last; empty if it has no such branch. */
  private String seen = "";

  Push(SessionRepository repository, WorkspaceSettings.Target target) {
    this.repository = repository;
    this.git = new Git(repository.checkout(), PATIENCE);
    this.remote = target.remote();
    this.isRequired = target.isRequired();
    this.head = SessionNames.head(repository.names().branch());
  }

  /**
   * Checks that the remote is known, unless it is an address.
   *
   * @throws RalphException INVALID if not
   */
  void requireRemote() throws InterruptedException {
    if (!isRequired && repository.ask("remote").lines().noneMatch(remote::equals)) {
      throw RalphException.invalid(
          "there is no remote "
              + RalphException.quote(remote)
              + " to push to in "
              + repository.checkout()
              + "; git remote -v shows which there are");
    }
  }

  /**
   * Takes over what the remote has that this branch has not.
   *
   * @return whether this branch has all of it now; if not, a notice says why
   * @throws RalphException INVALID where it must have it, and has not
   */
  boolean pull(Landing landing, Landing.Check check, SessionBranch branch)
      throws InterruptedException {
    Answer there = git.run("ls-remote", "--", remote, head);
    if (!there.isGood()) {
      return fail("can't see what " + remote + " has: " + there.why());
    }
    seen = there.line().isEmpty() ? "" : there.line().split("\\s")[0];
    if (seen.isEmpty() || repository.commit(seen) != null && isWithin(branch)) {
      return true;
    }
    Answer fetched =
        git.run("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", remote, head);
    if (!fetched.isGood()) {
      return fail("can't fetch " + head + " from " + remote + ": " + fetched.why());
    }
    Result joined = landing.join(seen, "Merge what " + remote + " has", check);
    if (!joined.isThere()) {
      return fail(
          remote
              + " has work on "
              + repository.names().branch()
              + " that does not go together with what landed here, so nothing is pushed: "
              + joined.reason());
    }
    if (joined.commit() != null) {
      branch.moved(joined.commit());
    }
    return true;
  }

  private boolean isWithin(SessionBranch branch) throws InterruptedException {
    return repository.isWithin(seen, branch.tip());
  }

  private boolean fail(String sentence) {
    if (isRequired) {
      throw RalphException.invalid(sentence.strip());
    }
    repository.notice(sentence);
    return false;
  }

  /**
   * Moves the remote's branch to where this one is.
   *
   * @param fence asked right before each try; what it throws is thrown on
   * @throws RalphException INVALID where it must be there, and can't be brought there
   */
  void push(Landing landing, Landing.Check check, SessionBranch branch, Runnable fence)
      throws InterruptedException {
    for (int tries = 1; tries <= MOST_TRIES; tries++) {
      String tip = branch.tip();
      if (tip.equals(seen)) {
        return;
      }
      fence.run();
      // Hooks run, because that of Git LFS pushes the files.
      Answer pushed =
          git.run(
              "push",
              "--quiet",
              "--force-with-lease=" + head + ":" + seen,
              "--",
              remote,
              tip + ":" + head);
      if (pushed.isGood()) {
        seen = tip;
        return;
      }
      if (!pushed.why().contains("stale info") && !pushed.why().contains("rejected")) {
        fail("nothing is pushed to " + remote + ": " + pushed.why());
        return;
      }
      if (!pull(landing, check, branch)) {
        return;
      }
    }
    fail("others push to " + remote + " too, and were faster " + MOST_TRIES + " times in a row");
  }
}

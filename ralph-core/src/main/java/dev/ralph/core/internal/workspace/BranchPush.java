package dev.ralph.core.internal.workspace;

import dev.ralph.core.BranchMerger;
import dev.ralph.core.BranchMerger.Result;
import dev.ralph.core.internal.git.RemoteBranch;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.Map;

/** Pushes the session's branch to a remote. For the thread that merges. */
final class BranchPush {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final SessionRepository repository;
  private final String remote;
  private final boolean isRequired;
  private final RemoteBranch there;

  BranchPush(SessionRepository repository, WorkspaceSettings.Target target) {
    this.repository = repository;
    this.remote = target.remote();
    this.isRequired = target.isRequired();
    Map<String, String> variables = isRequired ? RemoteBranch.ONLY_THESE : Map.of();
    this.there =
        new RemoteBranch(
            new Git(repository.checkout(), PATIENCE, variables),
            remote,
            repository.names().branch(),
            repository.names().refs() + "there");
  }

  /**
   * Checks that the remote exists, unless it is an address.
   *
   * @throws RalphException INVALID if the remote does not exist
   */
  void requireRemote() throws InterruptedException {
    if (!isRequired && repository.ask("remote").lines().noneMatch(remote::equals)) {
      throw RalphException.invalid(
          "no remote "
              + RalphException.quote(remote)
              + " to push to in "
              + repository.checkout()
              + "; to list the remotes: git remote -v");
    }
  }

  /**
   * Merges the remote's new commits into the session's branch.
   *
   * @return whether the session's branch has all commits of the remote; otherwise a notice has the
   *     reason
   * @throws RalphException INVALID if the push is required and the merge fails
   */
  boolean pull(BranchMerger merger, BranchMerger.Check check, SessionBranch branch)
      throws InterruptedException {
    try {
      String seen = there.readCommit();
      boolean isHere =
          seen == null
              || repository.commit(seen) != null && repository.isWithin(seen, branch.tip());
      there.mayReplace(isHere ? seen : takeOver(merger, check, branch));
      return true;
    } catch (RalphException e) {
      reportOrThrow(e);
      return false;
    }
  }

  private String takeOver(BranchMerger merger, BranchMerger.Check check, SessionBranch branch)
      throws InterruptedException {
    String theirs = there.fetch();
    Result joined = merger.join(theirs, "Merge the commits of " + remote, check);
    if (!joined.isThere()) {
      throw RalphException.invalid(
          remote
              + " has work on "
              + repository.names().branch()
              + ", in conflict with the work merged here, so nothing is pushed: "
              + joined.reason());
    }
    if (joined.commit() != null) {
      branch.moved(joined.commit());
    }
    return theirs;
  }

  /**
   * Pushes the session's branch. A notice has the reason of a failure.
   *
   * @param fence called right before each attempt; its exceptions are propagated
   * @throws RalphException INVALID if the push is required and fails
   */
  void push(BranchMerger merger, BranchMerger.Check check, SessionBranch branch, Runnable fence)
      throws InterruptedException {
    try {
      there.push(branch::tip, fence, () -> takeOver(merger, check, branch));
    } catch (RalphException e) {
      reportOrThrow(e);
    }
  }

  private void reportOrThrow(RalphException failure) {
    if (isRequired || failure.code() != RalphException.Code.INVALID) {
      throw failure;
    }
    repository.notice(String.valueOf(failure.getMessage()));
  }
}

package dev.ralph.cli.progress;

import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.cli.call.Invocation;
import dev.ralph.core.internal.branch.WorkBranch;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.git.UserBranch;
import dev.ralph.core.internal.process.GitHead;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Merges the work of a team of agents into the user's branch after completion. Otherwise returns
 * commands for the merge. Not thread-safe.
 */
public final class UserBranchMerge {

  private final Path folder;
  private final String session;

  /** The branch checked out at the start of the build. */
  private final UserBranch user;

  private final boolean isMerged;
  private List<String> said = List.of();

  /**
   * @param isMerged false leaves the user's branch unchanged and only returns commands
   */
  public UserBranchMerge(Path folder, String session, boolean isMerged) {
    this.folder = folder;
    this.session = session;
    this.isMerged = isMerged;
    this.user = UserBranch.of(folder);
  }

  /** Warns about commits of a session that are not merged into the user's branch. */
  public static void warnOfUnmerged(Invocation call, Path folder, String session) {
    WorkBranch branch;
    try {
      branch = WorkBranch.of(folder, session);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    } catch (RalphException none) {
      return; // no repository, or no branch of the session
    }
    int commits = branch.commits();
    if (commits > 0) {
      call.warn(
          "the branch "
              + branch.branch()
              + " has "
              + commits
              + (commits == 1 ? " commit that is" : " commits that are")
              + " not merged into your branch; to merge: ralph branch merge "
              + session);
    }
  }

  /** Returns the branch of the team's work. */
  String branch() {
    return new SessionNames(session).branch();
  }

  /** Merges the work at the end of a loop. */
  public void event(LoopEvent event) {
    if (event instanceof LoopEvent.LoopEnded ended) {
      ended(ended.result());
    }
  }

  /** Merges the work after all loops have ended. */
  void ended(LoopResult result) {
    try {
      said = end(isMerged && result.reason() == StopReason.COMPLETED);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<String> end(boolean isToBeMerged) throws InterruptedException {
    Optional<String> problem = user.problem();
    if (problem.isPresent()) {
      return List.of(problem.get(), "then merge the work: ralph branch merge " + session);
    }
    WorkBranch branch;
    try {
      branch = WorkBranch.of(folder, session);
    } catch (NotFoundException e) {
      return List.of(); // no agent committed
    }
    if (branch.commits() == 0) {
      String more = branch.unsaved();
      return List.of(
          more.isEmpty()
              ? "nothing left to merge into your branch"
              : "your branch is up to date; not merged: " + more);
    }
    String commits = branch.commits() + (branch.commits() == 1 ? " commit" : " commits");
    String place = "the work is on the branch " + branch.branch() + ", " + commits;
    String command = "ralph branch merge " + session;
    String merge = "to merge it: " + command;
    if (!isToBeMerged) {
      return List.of(place, "to see it: ralph branch diff " + session, merge);
    }
    String elsewhere = elsewhere();
    if (elsewhere != null) {
      return List.of(place, elsewhere, "to see it: ralph branch diff " + session, merge);
    }
    try {
      branch.merge();
      return List.of("merged " + commits + " from " + branch.branch() + " into " + user.branch());
    } catch (RalphException e) {
      String reason = "not merged: " + Objects.requireNonNullElse(e.getMessage(), e.toString());
      return reason.contains(command) ? List.of(place, reason) : List.of(place, reason, merge);
    }
  }

  /** Returns the reason against a merge, or null if the branch of the start is checked out. */
  private @Nullable String elsewhere() {
    String now = GitHead.of(folder).branch();
    if (user.branch() != null && user.branch().equals(now)) {
      return null;
    }
    return "not merged, because "
        + (now == null
            ? "no branch is checked out in " + folder
            : now
                + " is checked out in "
                + folder
                + ", but not at the start of the build"
                + (user.branch() == null ? "" : " (then: " + user.branch() + ")"));
  }

  /** Returns the result and the next commands for a person, as lines. */
  List<String> resultLines() {
    return said;
  }
}

package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A branch in a remote repository. The branch only moves forward from a known commit, so commits
 * pushed by others are never overwritten. They are merged locally before a push. Not thread-safe.
 */
public final class RemoteBranch {

  /** The only protocols that git may use, independent of the address. */
  public static final Map<String, String> ONLY_THESE =
      Map.of("GIT_ALLOW_PROTOCOL", "https:ssh:file");

  /** Returns the commit to push. */
  @FunctionalInterface
  public interface Tip {
    String commit() throws InterruptedException;
  }

  /**
   * Merges the commits that others have pushed into the local tip; returns the newest merged
   * commit.
   */
  @FunctionalInterface
  public interface TakeOver {
    String others() throws InterruptedException;
  }

  /** The push failed for a reason that does not depend on the pushed commit. */
  public static final class NotPushedException extends RalphException {
    private static final long serialVersionUID = 1L;

    private NotPushedException(String message) {
      super(Code.INVALID, message, null);
    }
  }

  /** The number of attempts when others push first, or the remote is unreachable. */
  private static final int MOST_TRIES = 4;

  private static final long PAUSE_MILLIS = 1_000;

  private final Git git;
  private final String remote;
  private final String branch;
  private final String head;
  private final String kept;

  /** The expected commit of the remote branch; null if the branch does not exist. */
  private @Nullable String base;

  /**
   * Creates the branch without contacting the remote.
   *
   * @param git in the local repository
   * @param remote the name of a remote, or an address
   * @param kept the local reference of the fetched commit
   */
  public RemoteBranch(Git git, String remote, String branch, String kept) {
    this.git = git;
    this.remote = remote;
    this.branch = branch;
    this.head = SessionNames.head(branch);
    this.kept = kept;
  }

  /**
   * Sets the commit that a push may replace. The commit and its history must exist locally.
   *
   * @param commit null if the remote branch does not exist
   */
  public void mayReplace(@Nullable String commit) {
    base = commit;
  }

  /**
   * Reads the present commit of the branch.
   *
   * @return the newest commit, null if the branch does not exist
   * @throws RalphException INVALID if the remote can't be read
   */
  public @Nullable String readCommit() throws InterruptedException {
    CommandResult answer = git.run("ls-remote", "--", remote, head);
    if (!answer.isGood()) {
      throw failed("can't list the branches of " + remote, answer);
    }
    for (String line : answer.output().lines().toList()) {
      int end = line.indexOf('\t');
      if (end > 0 && line.substring(end + 1).equals(head)) {
        return line.substring(0, end);
      }
    }
    return null;
  }

  /**
   * Fetches the branch.
   *
   * @return the branch's newest commit
   * @throws RalphException INVALID if the branch can't be fetched
   */
  public String fetch() throws InterruptedException {
    CommandResult fetched =
        git.run(
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
            "--",
            remote,
            "+" + head + ":" + kept);
    if (!fetched.isGood()) {
      throw failed("can't fetch " + branch + " from " + remote, fetched);
    }
    return GitTrees.require("git rev-parse", git.run("rev-parse", "--verify", kept)).line();
  }

  /**
   * Pushes a commit. Hooks run, because the hook of Git LFS pushes the files.
   *
   * @param tip supplies the commit for each attempt
   * @param fence called right before each attempt; exceptions are propagated
   * @param takeOver called if others have pushed meanwhile; exceptions are propagated
   * @throws NotPushedException if the push fails, with the message of git
   */
  public void push(Tip tip, Runnable fence, TakeOver takeOver) throws InterruptedException {
    for (int tries = 1; ; tries++) {
      String own = tip.commit();
      if (own.equals(base)) {
        return;
      }
      fence.run();
      CommandResult pushed =
          git.run(
              "push",
              "--quiet",
              "--recurse-submodules=no",
              "--force-with-lease=" + head + ":" + (base == null ? "" : base),
              "--",
              remote,
              own + ":" + head);
      if (pushed.isGood() || !isToBeTriedAgain(own, pushed, tries, takeOver)) {
        base = own;
        return;
      }
    }
  }

  /**
   * Finds the reason of a failed push, and waits or merges the commits of others.
   *
   * @return false if the push succeeded and only the response was lost
   */
  private boolean isToBeTriedAgain(String own, CommandResult pushed, int tries, TakeOver takeOver)
      throws InterruptedException {
    boolean isSeen = true;
    String now = base;
    try {
      now = readCommit();
    } catch (RalphException unreachable) {
      isSeen = false;
    }
    if (own.equals(now)) {
      return false;
    }
    boolean isSame = Objects.equals(now, base);
    boolean isRefused = isSeen && isSame && pushed.why().contains("rejected");
    if (tries == MOST_TRIES || isRefused) {
      throw new NotPushedException(
          pushed.why().contains("branch is currently checked out")
              ? "can't push to "
                  + remote
                  + ": "
                  + branch
                  + " is checked out in the remote; check out a different branch in the remote"
              : "can't push to " + remote + ": " + pushed.why().strip());
    }
    if (isSame) {
      Thread.sleep(PAUSE_MILLIS << (tries - 1));
    } else {
      base = now == null ? null : takeOver.others();
    }
    return true;
  }

  private static RalphException failed(String what, CommandResult answer) {
    return RalphException.invalid(what + ": " + answer.why().strip());
  }
}

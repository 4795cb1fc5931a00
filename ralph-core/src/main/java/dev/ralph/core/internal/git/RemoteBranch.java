package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A branch in another repository. It is only moved from a commit that is part of what it is moved
 * to, so nothing that somebody else has pushed is ever overwritten: that is taken over first. For
 * one thread at a time.
 */
public final class RemoteBranch {

  /** Whatever an address says, git starts no other helper than these. */
  public static final Map<String, String> ONLY_THESE =
      Map.of("GIT_ALLOW_PROTOCOL", "https:ssh:file");

  /** Returns the commit that the branch is to be moved to. */
  @FunctionalInterface
  public interface Tip {
    String commit() throws InterruptedException;
  }

  /**
   * Takes over here what others have pushed, so that the next tip has it; returns the commit up to
   * which that is so.
   */
  @FunctionalInterface
  public interface TakeOver {
    String others() throws InterruptedException;
  }

  /** It can't be moved, for a reason that is not in the commit that it was to be moved to. */
  public static final class NotPushedException extends RalphException {
    private static final long serialVersionUID = 1L;

    private NotPushedException(String message) {
      super(Code.INVALID, message, null);
    }
  }

  /** How often others may be faster, or the other side not be reached. */
  private static final int MOST_TRIES = 4;

  private static final long PAUSE_MILLIS = 1_000;

  private final Git git;
  private final String remote;
  private final String branch;
  private final String head;
  private final String kept;

  /** What it may be moved from; null for where it is not there. */
  private @Nullable String base;

  /**
   * Names the branch. Nothing is looked at yet.
   *
   * @param git in the repository here
   * @param remote the name of a remote, or an address
   * @param kept the reference here that keeps what was fetched of it
   */
  public RemoteBranch(Git git, String remote, String branch, String kept) {
    this.git = git;
    this.remote = remote;
    this.branch = branch;
    this.head = SessionNames.head(branch);
    this.kept = kept;
  }

  /**
   * Lets it be moved from a commit that is here with all before it.
   *
   * @param commit null for where it is not there
   */
  public void mayReplace(@Nullable String commit) {
    base = commit;
  }

  /**
   * Looks where it is.
   *
   * @return its newest commit, null if it is not there
   * @throws RalphException INVALID if that can't be seen
   */
  public @Nullable String look() throws InterruptedException {
    Answer answer = git.run("ls-remote", "--", remote, head);
    if (!answer.isGood()) {
      throw failed("can't see what " + remote + " has", answer);
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
   * Fetches it, as it is now.
   *
   * @return its newest commit
   * @throws RalphException INVALID if it can't be fetched
   */
  public String fetch() throws InterruptedException {
    Answer fetched =
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
   * Moves it to a commit. Hooks run, because that of Git LFS pushes the files.
   *
   * @param tip asked for each try
   * @param fence asked right before each try; what it throws is thrown on
   * @param takeOver called where somebody else has moved it meanwhile; what it throws is thrown on
   * @throws NotPushedException if it can't be moved, with what git said
   */
  public void push(Tip tip, Runnable fence, TakeOver takeOver) throws InterruptedException {
    for (int tries = 1; ; tries++) {
      String own = tip.commit();
      if (own.equals(base)) {
        return;
      }
      fence.run();
      Answer pushed =
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
   * Finds out why it could not be moved, and waits or takes over what is there.
   *
   * @return false if it was moved, and only the answer was lost
   */
  private boolean isToBeTriedAgain(String own, Answer pushed, int tries, TakeOver takeOver)
      throws InterruptedException {
    boolean isSeen = true;
    String now = base;
    try {
      now = look();
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
              ? "nothing is pushed to "
                  + remote
                  + ", because "
                  + branch
                  + " is checked out there; check out another branch there"
              : "nothing is pushed to " + remote + ": " + pushed.why().strip());
    }
    if (isSame) {
      Thread.sleep(PAUSE_MILLIS << (tries - 1));
    } else {
      base = now == null ? null : takeOver.others();
    }
    return true;
  }

  private static RalphException failed(String what, Answer answer) {
    return RalphException.invalid(what + ": " + answer.why().strip());
  }
}

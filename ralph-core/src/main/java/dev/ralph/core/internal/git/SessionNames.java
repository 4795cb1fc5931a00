package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.Topic;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names of the branches, references and folders of a session. The name of a session has no dot,
 * so the names of different sessions never collide.
 */
public record SessionNames(String session) {

  /** The folder of the work trees, relative to the folder of the repository. */
  public static final String PLACE = ".ralph/worktrees";

  /** The trailer in the message of a merge commit that names its claim. */
  public static final String CLAIM = "Ralph-Claim";

  /**
   * The reference, one per work tree, to the newest commit that the work tree released. The commit
   * was merged, or another work tree has its branch.
   */
  public static final String LET_GO = "refs/worktree/ralph-let-go";

  /**
   * The file in the work tree's Git folder with the length of HEAD's reflog at the beginning of a
   * build.
   */
  public static final String SINCE = "ralph-since";

  private static final String BRANCH = "ralph/";
  private static final String HEADS = "refs/heads/";
  private static final Pattern TASK = Pattern.compile("t(\\d{1,9})");
  private static final Pattern LEFT = Pattern.compile("t\\d+-left-\\d+");
  private static final Pattern AGENT = Pattern.compile("[1-9]\\d{0,5}");
  private static final Pattern ASIDE = Pattern.compile("[1-9]\\d{0,5}-left-\\d+");

  /**
   * Returns the names of the session to which a branch belongs; null if it belongs to no session.
   */
  public static @Nullable SessionNames ofBranch(String branch) {
    String name = branch.startsWith(BRANCH) ? branch.substring(BRANCH.length()) : "";
    String session = name.split("\\.", 2)[0];
    return Topic.isSegment(session) ? new SessionNames(session) : null;
  }

  /** Returns the session's branch, which its work tree has checked out. */
  public String branch() {
    return BRANCH + session;
  }

  /** Returns the branch of a task. */
  public String branch(int number) {
    return branch() + ".t" + number;
  }

  /** Returns the reference of a branch. */
  public static String head(String branch) {
    return HEADS + branch;
  }

  /**
   * Returns the reference to the newest accepted commit; its existence marks the session's branch.
   */
  public String accepted() {
    return refs() + "accepted";
  }

  /**
   * Returns the reference to the user's commit at the start of a host, which has no user checkout.
   */
  public String base() {
    return refs() + "base";
  }

  /**
   * Returns the user's commit whose ignore rules apply: the recorded commit of a host, or the merge
   * base of a branch with the user's checkout.
   *
   * @param git in the user's checkout
   * @param branch a reference of the session
   */
  public String base(Git git, String branch) throws InterruptedException {
    CommandResult told = git.run("rev-parse", "--verify", "--quiet", base() + "^{commit}");
    if (told.isGood()) {
      return told.line();
    }
    CommandResult shared = git.run("merge-base", "HEAD", branch);
    return shared.isGood() ? shared.line() : "HEAD";
  }

  /** Returns the prefix of all references of the session except branches. */
  public String refs() {
    return "refs/ralph/" + session + "/";
  }

  /** Returns the reference that records the id of the session that owns the branch. */
  public String owner(String id) {
    return refs() + "session/" + id;
  }

  /**
   * Returns the reference that records the start of a task's branch; its name contains the task.
   */
  public String began(String branch, String task) {
    return refs() + "began/" + branch.substring(BRANCH.length()) + "." + task;
  }

  /** Returns the prefix of references to stash entries that are older than a task's branch. */
  public String stashed(String branch) {
    return refs() + "stashed/" + branch.substring(BRANCH.length()) + "/";
  }

  /** Returns the reference to the newest merged commit of a task's branch. */
  public String merged(String branch) {
    return refs() + "landed/" + branch.substring(BRANCH.length());
  }

  /** Returns the trailer of a merge commit that names the claim. */
  public static String mergedUnder(String token) {
    return CLAIM + ": " + token;
  }

  /** Returns the task number of a branch with a name by {@link #branch(int)}. */
  public OptionalInt number(String branch) {
    Matcher task = TASK.matcher(afterDot(branch));
    return task.matches() ? OptionalInt.of(Integer.parseInt(task.group(1))) : OptionalInt.empty();
  }

  /**
   * Returns whether a branch keeps work moved off a task's branch, such as {@code
   * ralph/auth.t4-left-1}.
   */
  public boolean isLeft(String branch) {
    return LEFT.matcher(afterDot(branch)).matches();
  }

  private String afterDot(String branch) {
    String before = branch() + ".";
    return branch.startsWith(before) ? branch.substring(before.length()) : "";
  }

  /** Returns the name of an agent's folder. */
  public String folder(int agent) {
    return session + "." + agent;
  }

  /** Returns whether a folder name is the name of an agent's folder. */
  public boolean isFolder(String name) {
    return isFolder(name, AGENT);
  }

  /** Returns whether a folder name is the name of an agent's folder that was moved aside. */
  public boolean isAside(String name) {
    return isFolder(name, ASIDE);
  }

  private boolean isFolder(String name, Pattern rest) {
    return name.startsWith(session + ".")
        && rest.matcher(name.substring(session.length() + 1)).matches();
  }
}

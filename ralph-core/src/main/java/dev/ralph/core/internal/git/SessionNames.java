package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.Topic;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the branches, references and folders of a session are called. A session's name has no dot,
 * so none of one session is taken for another's.
 */
public record SessionNames(String session) {

  /** Where the folders are, below the one beside the repository. */
  public static final String PLACE = ".ralph/worktrees";

  /** What leads to a claim in the message of what has landed under it. */
  public static final String CLAIM = "Ralph-Claim";

  /**
   * Reference of each work tree: the newest commit that it let go of. That commit was merged, or
   * another work tree has its branch.
   */
  public static final String LET_GO = "refs/worktree/ralph-let-go";

  private static final String BRANCH = "ralph/";
  private static final String HEADS = "refs/heads/";
  private static final Pattern TASK = Pattern.compile("t(\\d{1,9})");
  private static final Pattern LEFT = Pattern.compile("t\\d+-left-\\d+");
  private static final Pattern AGENT = Pattern.compile("[1-9]\\d{0,5}");
  private static final Pattern ASIDE = Pattern.compile("[1-9]\\d{0,5}-left-\\d+");

  /** Returns the names of the session that a branch is, or one of its tasks'; null if of none. */
  public static @Nullable SessionNames ofBranch(String branch) {
    String name = branch.startsWith(BRANCH) ? branch.substring(BRANCH.length()) : "";
    String session = name.split("\\.", 2)[0];
    return Topic.isSegment(session) ? new SessionNames(session) : null;
  }

  /** Returns the session's branch, that of its work tree too. */
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

  /** Names the commit up to which all is accepted; its being there says whose the branch is. */
  public String accepted() {
    return refs() + "accepted";
  }

  /** Names the user's commit at which a host began; a host has no other checkout of the user's. */
  public String base() {
    return refs() + "base";
  }

  /**
   * Returns the user's commit whose ignore rules count: the newest one that a branch has of what is
   * checked out, or what a host was told.
   *
   * @param git in the user's checkout
   * @param branch a reference of the session
   */
  public String base(Git git, String branch) throws InterruptedException {
    Answer told = git.run("rev-parse", "--verify", "--quiet", base() + "^{commit}");
    if (told.isGood()) {
      return told.line();
    }
    Answer shared = git.run("merge-base", "HEAD", branch);
    return shared.isGood() ? shared.line() : "HEAD";
  }

  /** Returns what all references begin with that are the session's, besides branches. */
  public String refs() {
    return "refs/ralph/" + session + "/";
  }

  /** Names the reference that records which session the branch belongs to, by the session's id. */
  public String owner(String id) {
    return refs() + "session/" + id;
  }

  /** Names the commit at which a task's branch began; its being there says which task's that is. */
  public String began(String branch, String task) {
    return refs() + "began/" + branch.substring(BRANCH.length()) + "." + task;
  }

  /** Returns the prefix of references to stash entries that are older than a task's branch. */
  public String stashed(String branch) {
    return refs() + "stashed/" + branch.substring(BRANCH.length()) + "/";
  }

  /** Names the newest commit of a task's branch that has landed. */
  public String landed(String branch) {
    return refs() + "landed/" + branch.substring(BRANCH.length());
  }

  /** Returns what stands as a line in the message of what has landed under a claim. */
  public static String landedUnder(String token) {
    return CLAIM + ": " + token;
  }

  /** Returns the task's number of a branch, as {@link #branch(int)} made it. */
  public OptionalInt number(String branch) {
    Matcher task = TASK.matcher(afterDot(branch));
    return task.matches() ? OptionalInt.of(Integer.parseInt(task.group(1))) : OptionalInt.empty();
  }

  /** Returns whether a branch is one that {@link #left} named. */
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

  /** Returns whether a folder of that name is an agent's. */
  public boolean isFolder(String name) {
    return isFolder(name, AGENT);
  }

  /** Returns whether a folder of that name was an agent's, and was moved aside. */
  public boolean isAside(String name) {
    return isFolder(name, ASIDE);
  }

  private boolean isFolder(String name, Pattern rest) {
    return name.startsWith(session + ".")
        && rest.matcher(name.substring(session.length() + 1)).matches();
  }
}

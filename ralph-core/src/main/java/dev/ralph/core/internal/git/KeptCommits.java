package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.Git;
import java.util.ArrayList;
import java.util.List;

/**
 * References {@code refs/ralph-kept/SESSION/…} to commits and tags that agents have removed. No
 * command of Ralph deletes them.
 */
final class KeptCommits {

  /**
   * The prefix of the references. It is outside of {@code refs/ralph}, where each name may be the
   * name of a session.
   */
  static final String PLACE = "refs/ralph-kept/";

  private static final String SESSIONS = "refs/heads/ralph/";

  private final Git git;
  private final String session;

  KeptCommits(Git git, String session) {
    this.git = git;
    this.session = session;
  }

  /** Returns the prefix of the references of the session. */
  String place() {
    return PLACE + session + "/";
  }

  /**
   * Keeps a commit or tag if the removal of a reference lost it.
   *
   * @param ref the removed reference
   * @param id the id of the commit or tag
   * @param commit the commit; empty if the reference led to no commit
   * @return a note about the reference that keeps the commit; empty if no commit is lost
   */
  String noteIfLost(String ref, String id, String commit) throws InterruptedException {
    boolean isTag = !id.equals(commit);
    return !isTag && isOnABranch(commit)
        ? ""
        : " (kept as " + keep(ref.replaceFirst("^refs/", ""), existing(id, commit)) + ")";
  }

  /** Returns the id of a tag, or of its commit if the tag object no longer exists. */
  private String existing(String id, String commit) throws InterruptedException {
    boolean isThere = git.run("cat-file", "-e", id).isGood();
    return isThere || commit.isEmpty() ? id : commit;
  }

  /** Returns whether a branch or tag contains a commit, ignoring the branches of sessions. */
  boolean isOnABranch(String commit) throws InterruptedException {
    String[] list = {
      "for-each-ref",
      "--format=%(refname)",
      "--contains",
      commit,
      "refs/heads",
      "refs/tags",
      "refs/remotes"
    };
    return git.run(list).output().lines().anyMatch(ref -> !ref.startsWith(SESSIONS));
  }

  /** Creates a reference to a commit or tag; returns its name. */
  String keep(String name, String id) throws InterruptedException {
    String kept = place() + name;
    String free = kept;
    for (int i = 2; GitTrees.has(git, free) && !is(free, id); i++) {
      free = kept + "-" + i;
    }
    update(free, id);
    return free;
  }

  private boolean is(String ref, String id) throws InterruptedException {
    return git.run("rev-parse", "--verify", "--quiet", ref).line().equals(id);
  }

  /** Runs {@code git update-ref}. */
  void update(String... arguments) throws InterruptedException {
    List<String> all = new ArrayList<>(List.of("update-ref", "-m", "ralph"));
    all.addAll(List.of(arguments));
    GitTrees.require("git update-ref", GitTrees.patient(git, all.toArray(new String[0])));
  }
}

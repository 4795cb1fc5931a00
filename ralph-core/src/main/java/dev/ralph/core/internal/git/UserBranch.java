package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.GitHead;
import dev.ralph.core.internal.text.CommandLineWords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the user's checked-out branch, to detect a move of the branch by another program.
 * After a move, the index and the files belong to an older commit, and committing them would revert
 * the newer commit.
 *
 * @param root the top folder of the user's checkout
 * @param branch the checked-out branch; null if none was checked out
 * @param commit the full id of the branch's commit; null if there was none
 */
public record UserBranch(Path root, @Nullable String branch, @Nullable String commit) {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** The number of reflog entries compared with the index. */
  private static final String MOST_ENTRIES = "20";

  private static final int SHORT = 10;

  /** The files in a work tree's Git folder that mark an unfinished operation. */
  private static final Map<String, String> IN_PROGRESS = inProgressFiles();

  private static Map<String, String> inProgressFiles() {
    Map<String, String> files = new LinkedHashMap<>();
    files.put("MERGE_HEAD", "merge");
    files.put("CHERRY_PICK_HEAD", "cherry-pick");
    files.put("REVERT_HEAD", "revert");
    files.put("rebase-merge", "rebase");
    files.put("rebase-apply", "rebase or git am");
    return files;
  }

  /**
   * Reads the present branch.
   *
   * @param folder in the user's checkout
   */
  public static UserBranch of(Path folder) {
    GitHead head = GitHead.of(folder);
    return new UserBranch(folder, head.branch(), head.commit());
  }

  /** Returns the unfinished operation of the user, such as {@code merge}; empty if none exists. */
  public Optional<String> inProgress() throws InterruptedException {
    CommandResult told = git().run("rev-parse", "--absolute-git-dir");
    Path own = Path.of(told.line());
    return told.isGood()
        ? IN_PROGRESS.entrySet().stream()
            .filter(each -> Files.exists(own.resolve(each.getKey())))
            .map(Map.Entry::getValue)
            .findFirst()
        : Optional.empty();
  }

  /**
   * Returns the reason why the branch must not be merged into, with a command that loses nothing.
   * The branch was deleted, or moved without the index and the files. Empty otherwise, and if
   * another branch is checked out now.
   */
  public Optional<String> problem() throws InterruptedException {
    if (branch == null || !branch.equals(checkedOut())) {
      return Optional.empty();
    }
    CommandResult answer = git().run("rev-parse", "--verify", "--quiet", "HEAD^{commit}");
    String now = answer.line();
    if (!answer.isGood()) {
      return commit == null ? Optional.empty() : Optional.of(deleted(branch, commit));
    }
    for (String former : former(branch, now)) {
      if (isStillAt(former, now)) {
        return Optional.of(moved(branch, former, now));
      }
    }
    return Optional.empty();
  }

  private String checkedOut() throws InterruptedException {
    return git().run("symbolic-ref", "--quiet", "--short", "HEAD").line();
  }

  private Git git() {
    return new Git(root, PATIENCE);
  }

  private String deleted(String branch, String commit) {
    return "the branch "
        + branch
        + " was deleted while checked out. To restore the branch, run: "
        + CommandLineWords.join(
            List.of("git", "-C", root.toString(), "update-ref", SessionNames.head(branch), commit));
  }

  /** Returns earlier commits of the branch. */
  private Set<String> former(String branch, String now) throws InterruptedException {
    Set<String> former = new LinkedHashSet<>();
    if (commit != null) {
      former.add(commit);
    }
    for (String ref : List.of("HEAD", SessionNames.head(branch))) {
      String[] log = {"log", "--walk-reflogs", "--max-count=" + MOST_ENTRIES, "--format=%H", ref};
      former.addAll(git().run(log).line().lines().toList());
    }
    former.remove(now);
    former.remove("");
    return former;
  }

  /** Returns whether the index has the older content of each file in which two commits differ. */
  private boolean isStillAt(String former, String now) throws InterruptedException {
    Set<String> moved = paths("diff-tree", "-r", "--no-renames", former, now);
    Set<String> staged = paths("diff-index", "--cached", "--no-renames", former);
    return !moved.isEmpty() && moved.stream().noneMatch(staged::contains);
  }

  private Set<String> paths(String command, String... arguments) throws InterruptedException {
    String[] all = new String[arguments.length + 3];
    all[0] = command;
    all[1] = "--name-only";
    all[2] = "-z";
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    CommandResult answer = git().run(all);
    Set<String> paths = new LinkedHashSet<>(List.of(answer.output().split("\0")));
    paths.remove("");
    return paths;
  }

  private String moved(String branch, String former, String now) {
    String kept = branch + "-moved-" + now.substring(0, SHORT);
    return "the branch "
        + branch
        + " was moved from "
        + former.substring(0, SHORT)
        + " to "
        + now.substring(0, SHORT)
        + " without its files: the index and the files in "
        + root
        + " still belong to "
        + former.substring(0, SHORT)
        + ". Do not commit or stash there: a commit would revert "
        + now.substring(0, SHORT)
        + ". To keep the new commit on "
        + kept
        + " and move "
        + branch
        + " back to its files, run: "
        + CommandLineWords.join(List.of("git", "-C", root.toString(), "branch", kept, now))
        + " && "
        + CommandLineWords.join(List.of("git", "-C", root.toString(), "reset", "--soft", former));
  }
}

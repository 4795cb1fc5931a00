package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A registered work tree whose folder was deleted, for example by {@code rm -rf}. Its Git folder
 * still has the commit of a detached HEAD, the log of HEAD, and the index with staged files. {@code
 * git worktree remove} and {@code git worktree prune} would delete them.
 */
public final class DeletedTree {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private DeletedTree() {}

  /**
   * Returns the commits that only the Git folder of a deleted work tree keeps from garbage
   * collection. The first one has the staged files.
   *
   * @param common the Git folder of the repository
   * @param root the deleted top folder of the work tree
   * @param branch the branch of the work tree
   * @return full ids; empty if the folder exists, is not registered, or no commits are lost
   */
  public static Set<String> commits(Path common, Path root, String branch)
      throws InterruptedException {
    Set<String> lost = new LinkedHashSet<>();
    Path own = Files.exists(root, LinkOption.NOFOLLOW_LINKS) ? null : registered(common, root);
    if (own == null) {
      return lost;
    }
    Git git = git(own);
    CommandResult head = git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}");
    if (head.isGood()) {
      lost.add(withStagedFiles(git, head.line()));
    }
    lost.addAll(new WorkElsewhere(git, own).abandoned(branch, 0));
    for (String commit : List.copyOf(lost)) {
      if (!git.run("for-each-ref", "--count=1", "--contains", commit).line().isEmpty()) {
        lost.remove(commit);
      }
    }
    return lost;
  }

  /**
   * Creates branches for the {@link #commits}.
   *
   * @param git in the user's repository
   * @param prefix the prefix of the branches, followed by a number
   * @return the names of the branches
   */
  public static List<String> keep(Git git, Path common, Path root, String branch, String prefix)
      throws InterruptedException {
    List<String> kept = new ArrayList<>();
    for (String commit : commits(common, root, branch)) {
      String free = GitTrees.freeBranch(git, prefix);
      GitTrees.require(
          "git branch " + free, GitTrees.patient(git, "branch", "--no-track", free, commit));
      kept.add(free);
    }
    return kept;
  }

  /** Returns a sentence for the user about the branches of {@link #keep}; empty for none. */
  public static Optional<String> notice(Path root, List<String> branches) {
    return branches.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "commits or staged files of the deleted folder "
                + root
                + " are kept on "
                + String.join(" and ", branches));
  }

  /** Returns a commit with the tree of the index, or the given commit if the trees are equal. */
  private static String withStagedFiles(Git git, String head) throws InterruptedException {
    CommandResult tree = git.run("write-tree"); // fails during a merge with conflicts
    if (!tree.isGood() || tree.line().equals(git.run("rev-parse", head + "^{tree}").line())) {
      return head;
    }
    String message = "Keep the staged files of a deleted work tree\n";
    CommandResult made = git.runWith(message, "commit-tree", tree.line(), "-p", head, "-F", "-");
    return GitTrees.require("git commit-tree", made).line();
  }

  /** Creates commits with the time of the index, so that each call returns the same ids. */
  private static Git git(Path own) {
    long seconds = own.resolve("index").toFile().lastModified() / 1000;
    String time = "@" + seconds + " +0000";
    Map<String, String> variables =
        Map.of("GIT_DIR", own.toString(), "GIT_AUTHOR_DATE", time, "GIT_COMMITTER_DATE", time);
    return new Git(own, PATIENCE, variables).withoutHooks();
  }

  /** Returns the path under which git registers a folder that may be missing, with its parents. */
  public static Path registeredPath(Path root) {
    Path parent = root.toAbsolutePath().normalize().getParent();
    boolean isThere = parent == null || Files.exists(parent);
    Path real = parent == null || isThere ? parent : registeredPath(parent);
    return real == null ? root : GitTrees.real(real).resolve(root.getFileName());
  }

  private static @Nullable Path registered(Path common, Path root) {
    String file = registeredPath(root).resolve(".git").toString();
    for (Map.Entry<Path, String> tree : GitTrees.linked(common).entrySet()) {
      if (tree.getValue().equals(file)) {
        return tree.getKey();
      }
    }
    return null;
  }
}

package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A work tree whose {@code .git} was replaced by a separate repository, for example with {@code rm
 * -rf .git; git init}. The commits of the new repository are copied to a branch of the user's
 * repository. Then it is removed, so that {@code git worktree repair} can restore the file. A
 * folder {@code .git} that is no repository is renamed, and its files are then normal work.
 */
public final class ReplacedGit {

  private static final Duration PATIENCE = Duration.ofMinutes(30);

  private ReplacedGit() {}

  /** Returns whether a work tree has a repository other than the user's. */
  public static boolean isAt(Path root, Path common) throws InterruptedException {
    if (!Files.exists(root.resolve(".git"), LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    return isRepository(root)
        ? !GitTrees.common(Git.alone(root, PATIENCE), root).equals(common)
        : Files.isDirectory(root.resolve(".git"), LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns whether git works in this folder, and not in a repository around it. */
  private static boolean isRepository(Path root) throws InterruptedException {
    CommandResult top = Git.alone(root, PATIENCE).run("rev-parse", "--show-toplevel");
    return top.isGood() && GitTrees.real(Path.of(top.line())).equals(GitTrees.real(root));
  }

  /**
   * Removes the repository after copying its commits, or renames a folder that is no repository.
   *
   * @param git in the user's repository
   * @param root top folder of the work tree
   * @param prefix the prefix of the branch for the commits, followed by a number
   * @return a sentence for the user
   * @throws RalphException INVALID if the commits can't be copied; nothing is removed
   */
  public static String remove(Git git, Path root, String prefix) throws InterruptedException {
    String replaced = "an agent replaced " + root.resolve(".git");
    if (!isRepository(root)) {
      return replaced + " by a folder, now renamed to " + rename(root);
    }
    if (hasOthers(root.resolve(".git"))) {
      return replaced + " by a repository with submodules, now renamed to " + rename(root);
    }
    Set<String> tips = tips(Git.alone(root, PATIENCE));
    String branch = null;
    if (!tips.isEmpty()) {
      List<String> fetch = new ArrayList<>(List.of("fetch-pack", "--quiet", "--no-progress"));
      fetch.addAll(List.of("--update-shallow", root.toString()));
      fetch.addAll(tips);
      GitTrees.require(
          "copying the commits of the repository in " + root,
          git.run(fetch.toArray(new String[0])));
      branch = GitTrees.freeBranch(git, prefix);
      String tip = tips.iterator().next();
      GitTrees.require(
          "git branch " + branch, git.run("branch", "--no-track", branch, joined(git, tips, tip)));
    }
    GitTrees.delete(root.resolve(".git"));
    return replaced
        + " by a new repository, which was removed"
        + (branch == null ? "" : "; the commits of that repository are on the branch " + branch);
  }

  private static Path rename(Path root) {
    int number = 1;
    while (Files.exists(root.resolve(".git-left-" + number), LinkOption.NOFOLLOW_LINKS)) {
      number++;
    }
    Path free = root.resolve(".git-left-" + number);
    try {
      return Files.move(root.resolve(".git"), free);
    } catch (IOException e) {
      throw GitTrees.failed("can't rename " + root.resolve(".git"), e);
    }
  }

  /** Returns whether a repository has the repositories of submodules or other work trees. */
  private static boolean hasOthers(Path git) {
    return Files.exists(git.resolve("modules")) || Files.exists(git.resolve("worktrees"));
  }

  /**
   * Returns the commits without children, also those on no branch and older stash entries. HEAD is
   * the first. Creates references to them, so that they can be fetched.
   */
  private static Set<String> tips(Git own) throws InterruptedException {
    Set<String> tips = new LinkedHashSet<>();
    CommandResult head = own.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}");
    if (head.isGood()) {
      tips.add(head.line());
    }
    List<String> list = new ArrayList<>(List.of("rev-list", "--children", "--all", "--reflog"));
    list.addAll(tips);
    // A list of all commits may be longer than the output that the runner keeps.
    Consumer<String> add =
        line -> {
          if (!line.isBlank() && line.indexOf(' ') < 0) {
            tips.add(line);
          }
        };
    GitTrees.require("git rev-list", own.lines(add, list.toArray(new String[0])));
    for (String tip : tips) {
      GitTrees.require("git update-ref", own.run("update-ref", "refs/ralph-kept/" + tip, tip));
    }
    return tips;
  }

  /** Returns a commit whose history contains all tips. */
  private static String joined(Git git, Set<String> tips, String first)
      throws InterruptedException {
    if (tips.size() == 1) {
      return first;
    }
    List<String> make = new ArrayList<>(List.of("commit-tree", first + "^{tree}", "-F", "-"));
    tips.forEach(tip -> make.addAll(List.of("-p", tip)));
    String message = "All branches of an agent's repository\n";
    CommandResult made = git.runWith(message, make.toArray(new String[0]));
    return GitTrees.require("git commit-tree", made).line();
  }
}

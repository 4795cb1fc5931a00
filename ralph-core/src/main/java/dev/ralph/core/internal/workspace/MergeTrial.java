package dev.ralph.core.internal.workspace;

import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.ProvidedFiles;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.task.CompletionTrial;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tests whether the work of one of several agents merges with its session's branch. The result
 * equals the later result of the merge queue: uncommitted changes are included, and the file that
 * only the merge queue changes is ignored. Changes neither branches nor files of work trees. Safe
 * for use by many threads.
 *
 * <p>The test runs in the process that completes the task. It searches the agent's work tree only
 * in the repositories of its own folders. The session's name and the agent's number determine the
 * path: neither the log nor the environment names a folder.
 */
public final class MergeTrial implements CompletionTrial {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** The length limit of a path in bytes. */
  private static final int LONGEST_LINE = 4096;

  private static final int MOST_NAMED = 20;

  private final SessionNames names;
  private final int agent;
  private final Supplier<List<Path>> places;

  /**
   * Creates a trial without reading anything.
   *
   * @param session the name of the session
   * @param agent the agent's number, from 1
   * @param places returns the folders in which to search the repository, in this order
   */
  public MergeTrial(String session, int agent, Supplier<List<Path>> places) {
    this.names = new SessionNames(session);
    this.agent = agent;
    this.places = places;
  }

  @Override
  public Outcome run(Work own, List<Work> waiting) throws InterruptedException {
    try {
      for (Path place : places.get()) {
        Tree tree = tree(place.toAbsolutePath().normalize(), own);
        if (tree != null) {
          return run(tree, own, waiting);
        }
      }
    } catch (RalphException e) {
      // The merge queue finds any conflict later.
      System.getLogger(MergeTrial.class.getName())
          .log(System.Logger.Level.DEBUG, "the merge could not be tested", e);
    }
    return Outcome.UNTESTED;
  }

  private Outcome run(Tree tree, Work own, List<Work> waiting) throws InterruptedException {
    String onto = commit(tree.git(), SessionNames.head(names.branch()));
    String work = snapshot(tree);
    if (onto == null || work == null) {
      return Outcome.UNTESTED;
    }
    List<String> files = conflicts(tree, onto, work);
    if (files == null) {
      return Outcome.UNTESTED;
    }
    if (!files.isEmpty()) {
      boolean isCommitted = work.equals(commit(tree.git(), "HEAD"));
      return new Outcome(onto, files, remedy(own, files, isCommitted), null);
    }
    for (Work other : waiting) {
      String theirs = isOwn(other) ? snapshotOf(tree, other) : null;
      List<String> shared = theirs == null ? null : conflicts(tree, theirs, work);
      if (shared != null && !shared.isEmpty()) {
        return new Outcome(onto, shared, "", other.token());
      }
    }
    return new Outcome(onto, List.of(), "", null);
  }

  private String remedy(Work own, List<String> files, boolean isCommitted) {
    return own.task()
        + " is not completed: the work conflicts with "
        + names.branch()
        + " in "
        + String.join(", ", files.subList(0, Math.min(MOST_NAMED, files.size())))
        + (files.size() > MOST_NAMED ? " and " + (files.size() - MOST_NAMED) + " more files" : "")
        + (isCommitted ? ". Run: git merge " : ". Commit your changes, then run: git merge ")
        + names.branch()
        + "; resolve the conflicts, commit, run the tests, and complete "
        + own.task()
        + " again";
  }

  /** The work tree of an agent, with its folder in the repository's metadata. */
  private record Tree(Path root, Path home, Path metadata, Git git) {}

  /** Returns the work tree that contains the work; null if none exists. */
  private @Nullable Tree tree(Path place, Work work) throws InterruptedException {
    if (!Files.isDirectory(place) || !isOwn(work)) {
      return null;
    }
    Git git = Git.alone(place, PATIENCE);
    CommandResult top = git.run("rev-parse", "--show-toplevel");
    if (!top.isGood()) {
      return null;
    }
    Path checkout = Path.of(top.line());
    Path home = GitTrees.home(git, place, checkout);
    Tree here = tree(checkout, home, work);
    return here == null ? treeOf(home, agent, work) : here;
  }

  private boolean isOwn(Work work) {
    return names.number(work.branch()).isPresent();
  }

  /** Returns the work tree of an agent if it has the branch of the work; null otherwise. */
  private @Nullable Tree treeOf(Path home, int agent, Work work) throws InterruptedException {
    Path root = home.resolve(SessionNames.PLACE).resolve(names.folder(agent));
    if (!Files.exists(root.resolve(".git"))) {
      return null;
    }
    PlainPath.require(home, root);
    return tree(root, home, work);
  }

  private static @Nullable Tree tree(Path root, Path home, Work work) throws InterruptedException {
    Git git = Git.alone(root, PATIENCE);
    CommandResult told = git.run("rev-parse", "--show-toplevel", "--absolute-git-dir");
    List<String> lines = told.line().lines().toList();
    if (!told.isGood()
        || lines.size() != 2
        || !GitTrees.real(Path.of(lines.get(0))).equals(GitTrees.real(root))) {
      return null;
    }
    Path metadata = Path.of(lines.get(1));
    return work.branch().equals(line(metadata.resolve(AgentTree.BRANCH)))
        ? new Tree(root, home, metadata, git)
        : null;
  }

  /** Returns the text of a small file; null if it does not exist or is too large. */
  private static @Nullable String line(Path file) {
    try {
      return Files.isRegularFile(file) && Files.size(file) <= LONGEST_LINE
          ? Files.readString(file).strip()
          : null;
    } catch (IOException e) {
      return null;
    }
  }

  /** Returns the state of another agent's work, from its work tree, otherwise from its branch. */
  private @Nullable String snapshotOf(Tree own, Work other) throws InterruptedException {
    Tree tree = other.agent() == 0 ? null : treeOf(own.home(), other.agent(), other);
    String work = tree == null ? null : snapshot(tree);
    return work == null ? commit(own.git(), SessionNames.head(other.branch())) : work;
  }

  private static @Nullable String commit(Git git, String ref) throws InterruptedException {
    CommandResult found = git.run("rev-parse", "--verify", "--quiet", ref + "^{commit}");
    return found.isGood() ? found.line() : null;
  }

  /**
   * Returns a commit with all changes of a work tree. Without changes this is the newest commit;
   * null if none exists.
   */
  private static @Nullable String snapshot(Tree tree) throws InterruptedException {
    String head = commit(tree.git(), "HEAD");
    Path index = tree.metadata().resolve("index");
    if (head == null || !Files.exists(index)) {
      return head;
    }
    Path copy = null;
    try {
      copy = Files.createTempFile(tree.metadata(), "ralph-trial-", "");
      Files.copy(index, copy, StandardCopyOption.REPLACE_EXISTING);
      Git git = tree.git().withIndex(copy);
      List<String> paths = new ArrayList<>(List.of(":/", GitTrees.DATA));
      paths.addAll(ProvidedFiles.exclusions(tree.root()));
      String[] add = {"add", "--all", "--sparse", "--pathspec-from-file=-"};
      if (!git.runWith(String.join("\n", paths) + "\n", add).isGood()) {
        return null;
      }
      String files = GitTrees.require("git write-tree", git.run("write-tree")).line();
      String merged = commit(tree.git(), "MERGE_HEAD");
      if (merged == null && files.equals(git.run("rev-parse", head + "^{tree}").line())) {
        return head;
      }
      List<String> arguments = new ArrayList<>(List.of("commit-tree", "-p", head));
      if (merged != null) {
        arguments.addAll(List.of("-p", merged));
      }
      arguments.addAll(List.of("-F", "-", files));
      CommandResult made = git.runWith("Work in progress\n", arguments.toArray(new String[0]));
      return GitTrees.require("git commit-tree", made).line();
    } catch (IOException e) {
      return null;
    } finally {
      delete(copy);
    }
  }

  private static void delete(@Nullable Path copy) {
    try {
      if (copy != null) {
        Files.deleteIfExists(copy);
      }
    } catch (IOException e) {
      System.getLogger(MergeTrial.class.getName())
          .log(System.Logger.Level.DEBUG, "can't delete " + copy, e);
    }
  }

  /** Returns the conflicting files of two commits; null if the commits can't be merged at all. */
  private static @Nullable List<String> conflicts(Tree tree, String onto, String work)
      throws InterruptedException {
    CommandResult merged =
        tree.git().run("merge-tree", "--write-tree", "-z", "--name-only", onto, work);
    if (merged.isGood()) {
      return List.of();
    }
    String[] parts = merged.output().split("\0", -1);
    int end = 1;
    while (end < parts.length && !parts[end].isEmpty()) {
      end++;
    }
    if (merged.exit().code() != 1 || parts.length < 2) {
      return null;
    }
    String exempt = line(tree.metadata().resolve(AgentTree.EXEMPT));
    return Arrays.stream(parts, 1, end)
        .filter(file -> !file.equals(Objects.requireNonNullElse(exempt, "")))
        .toList();
  }
}

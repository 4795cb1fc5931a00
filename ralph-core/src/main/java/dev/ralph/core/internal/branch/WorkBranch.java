package dev.ralph.core.internal.branch;

import dev.ralph.core.Worktree;
import dev.ralph.core.internal.git.DeletedTree;
import dev.ralph.core.internal.git.FastForward;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.IgnoreRules;
import dev.ralph.core.internal.git.MetadataLock;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.git.TreeChanges;
import dev.ralph.core.internal.git.UserBranch;
import dev.ralph.core.internal.git.WorkElsewhere;
import dev.ralph.core.internal.git.submodule.NestedRepositories;
import dev.ralph.core.internal.git.submodule.SubmoduleCopies;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The branch with the work of a {@link Worktree} or of a {@linkplain
 * dev.ralph.core.internal.host.SessionHost host} that has ended, for inspection, merging or
 * deletion.
 *
 * <pre>{@code
 * for (WorkBranch each : WorkBranch.list(project)) {
 *   System.out.println(each.branch() + ": " + each.commits() + " commits");
 * }
 * WorkBranch.of(project, "add-login").merge();
 * }</pre>
 *
 * <p>All figures are as of the creation of the object, compared with the commit checked out in the
 * project's folder. Safe for use by many threads.
 */
public final class WorkBranch {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final String MERGE = "ralph branch merge ";

  /** The names of branches kept beside a session's branch. A session may have such a name too. */
  private static final Pattern SET_ASIDE = Pattern.compile(".+-(failed|left)-\\d+");

  private final Git git;
  private final Path folder;
  private final SessionNames names;
  private final @Nullable Path root;
  private final List<Path> trees;
  private final IgnoreRules rules;
  private final int commits;
  private final int missing;
  private final int changed;
  private final int loose;
  private final List<Path> ignored;
  private final List<String> onlyCopies;
  private final List<String> tasks;
  private final List<String> setAside;

  private WorkBranch(Git git, Path folder, String name, List<String> others)
      throws InterruptedException {
    this.git = git;
    this.folder = folder;
    this.names = new SessionNames(name);
    this.root = GitTrees.checkedOutIn(git, branch());
    this.trees = trees();
    this.commits = count("HEAD.." + ref());
    this.missing = count(ref() + "..HEAD");
    this.rules = IgnoreRules.of(git, GitTrees.common(git, folder), "HEAD");
    SubmoduleCopies copies =
        new SubmoduleCopies(GitTrees.checkout(git, folder), names.refs(), notice -> {});
    int files = 0;
    List<String> only = new ArrayList<>();
    int loose = 0;
    List<Path> left = new ArrayList<>();
    for (Path tree : trees) {
      if (Files.exists(tree.resolve(".git"))) {
        Git there = new Git(tree, PATIENCE);
        TreeChanges changes = new TreeChanges(there, tree, rules);
        loose += loose(there);
        // The loop of several agents keeps such commits on branches.
        boolean isAgents = !String.valueOf(tree.getFileName()).equals(name());
        loose += isAgents ? 0 : abandoned(there);
        files += changes.all().size();
        Git alone = Git.alone(tree, PATIENCE);
        only.addAll(new NestedRepositories(tree, alone, changes).onlyCopies(copies));
        for (String path : changes.ignored()) {
          left.add(TreeChanges.path(tree, path));
        }
      } else {
        loose += DeletedTree.commits(GitTrees.common(git, folder), tree, branch()).size();
      }
    }
    this.changed = files;
    this.loose = loose;
    this.ignored = List.copyOf(left);
    this.onlyCopies = List.copyOf(only);
    List<String> own = refs(git, ref() + ".t*", "%(refname:lstrip=2)");
    this.tasks = notMerged(own);
    List<String> kept = new ArrayList<>(own.stream().filter(names::isLeft).toList());
    kept.addAll(setAside(others));
    this.setAside = List.copyOf(kept);
  }

  /**
   * Returns the session's work trees and those of its agents, even if their folders are missing.
   */
  private List<Path> trees() throws InterruptedException {
    List<Path> found = new ArrayList<>();
    for (Path tree : GitTrees.trees(git).keySet()) {
      String folder = String.valueOf(tree.getFileName());
      boolean isOwn =
          folder.equals(names.session()) || names.isFolder(folder) || names.isAside(folder);
      if (isOwn && tree.resolveSibling("").endsWith(Worktree.PLACE) || tree.equals(root)) {
        found.add(tree);
      }
    }
    return List.copyOf(found);
  }

  private List<String> notMerged(List<String> branches) throws InterruptedException {
    List<String> found = new ArrayList<>();
    for (String branch : branches) {
      String head = SessionNames.head(branch);
      boolean isTask = names.number(branch).isPresent();
      if (isTask && !isSame(head, names.merged(branch)) && count(ref() + ".." + head) > 0) {
        found.add(branch);
      }
    }
    return List.copyOf(found);
  }

  private boolean isSame(String ref, String other) throws InterruptedException {
    List<String> commits = git.run("rev-parse", "--verify", "--quiet", ref).line().lines().toList();
    return commits.equals(
        git.run("rev-parse", "--verify", "--quiet", other).line().lines().toList());
  }

  /**
   * Returns the failed branches with this branch's name as prefix, without those of other sessions
   * with a longer name.
   */
  private List<String> setAside(List<String> others) throws InterruptedException {
    List<String> own = new ArrayList<>();
    for (String branch : refs(git, ref() + "-*-failed-*", "%(refname:lstrip=2)")) {
      boolean isOthers = false;
      for (String other : others) {
        isOthers |=
            other.length() > name().length()
                && branch.startsWith(new SessionNames(other).branch() + "-");
      }
      if (!isOthers) {
        own.add(branch);
      }
    }
    return own;
  }

  private static List<String> refs(Git git, String pattern, String form)
      throws InterruptedException {
    CommandResult refs = git.run("for-each-ref", "--format=" + form, pattern);
    return GitTrees.require("git for-each-ref", refs).output().lines().toList();
  }

  /**
   * Returns the branches of all work trees ever created for a repository, and those pushed by
   * hosts, without discarded ones, sorted by name.
   *
   * @param project a folder of the repository
   * @throws RalphException INVALID if there is no repository, or no commit in it
   * @throws InterruptedException if the thread is interrupted
   */
  public static List<WorkBranch> list(Path project) throws InterruptedException {
    Path folder = project.toAbsolutePath().normalize();
    Git git = git(folder);
    List<String> names = names(git);
    List<WorkBranch> all = new ArrayList<>();
    for (String name : names) {
      all.add(new WorkBranch(git, folder, name, names));
    }
    return all;
  }

  private static List<String> names(Git git) throws InterruptedException {
    Set<String> accepted = new HashSet<>(refs(git, new SessionNames("*").accepted(), "%(refname)"));
    List<String> names = new ArrayList<>();
    String all = SessionNames.head(new SessionNames("*").branch());
    for (String name : refs(git, all, "%(refname:lstrip=3)")) {
      boolean isMadeHere = accepted.contains(new SessionNames(name).accepted());
      if (Topic.isSegment(name) && (isMadeHere || !SET_ASIDE.matcher(name).matches())) {
        names.add(name);
      }
    }
    return names;
  }

  /**
   * Returns the branch of a work tree.
   *
   * @param project a folder of the repository
   * @param name the name of the work tree
   * @throws RalphException NOT_FOUND if there is no branch; INVALID as {@link #list}
   * @throws InterruptedException if the thread is interrupted
   */
  public static WorkBranch of(Path project, String name) throws InterruptedException {
    Topic.checkSegment("the name of a work tree", name);
    Path folder = project.toAbsolutePath().normalize();
    Git git = git(folder);
    List<String> names = names(git);
    if (!names.contains(name)) {
      throw RalphException.notFound(
          "no work tree "
              + RalphException.quote(name)
              + " exists here: the work tree was never created, or was discarded, and no host"
              + " pushed the branch");
    }
    return new WorkBranch(git, folder, name, names);
  }

  private static Git git(Path folder) throws InterruptedException {
    Git git = new Git(folder, PATIENCE);
    GitTrees.requireCommit(git, GitTrees.checkout(git, folder));
    return git;
  }

  /** Returns the name of the work tree. */
  public String name() {
    return names.session();
  }

  /** Returns the name of the branch. */
  public String branch() {
    return names.branch();
  }

  private String ref() {
    return "refs/heads/" + branch();
  }

  /** Returns the top folder of the work tree, or empty if it was removed. */
  public Optional<Path> root() {
    return Optional.ofNullable(root);
  }

  /**
   * Returns the number of commits that the branch has and the checked-out commit does not contain.
   */
  public int commits() {
    return commits;
  }

  /** Returns the number of commits that the checked-out commit contains and the branch does not. */
  public int missing() {
    return missing;
  }

  /** Returns the number of uncommitted files in the work trees of the session and of its agents. */
  public int changed() {
    return changed;
  }

  /**
   * Returns the folders and files of the work trees that match ignore rules of the user or of the
   * checked-out commit, and unchanged copies of the user's files. {@link #discard} deletes them,
   * regardless of its argument.
   */
  public List<Path> ignored() {
    return ignored;
  }

  /**
   * Returns the branches of tasks, from loops with several agents, with work not merged into this
   * branch.
   */
  public List<String> tasks() {
    return tasks;
  }

  /**
   * Returns the branches with failed work that was {@linkplain Worktree#setAside set aside}, and
   * with commits that agents left outside a task's branch.
   */
  public List<String> setAside() {
    return setAside;
  }

  /** Returns a description of the work that deletion would lose; empty for none. */
  public String unsaved() {
    List<String> parts = new ArrayList<>();
    if (commits > 0) {
      parts.add(commits + (commits == 1 ? " commit" : " commits"));
    }
    if (changed > 0) {
      parts.add(changed + (changed == 1 ? " changed file" : " changed files"));
    }
    if (loose > 0) {
      parts.add(loose + (loose == 1 ? " commit" : " commits") + " on no branch, in a work tree");
    }
    parts.addAll(onlyCopies);
    if (!tasks.isEmpty()) {
      parts.add("unmerged work on " + String.join(" and ", tasks));
    }
    if (!setAside.isEmpty()) {
      parts.add("failed work on " + String.join(" and ", setAside));
    }
    return String.join(", ", parts);
  }

  /**
   * Returns Git's diff of the branch since its merge base with the checked-out commit.
   *
   * @throws RalphException INVALID for more than 8 MB, with the command that shows the diff
   */
  public String diff() {
    return git.query("diff", "--no-ext-diff", "--no-color", "HEAD..." + ref())
        .orElseThrow(
            () ->
                RalphException.invalid(
                    "the diff of "
                        + branch()
                        + " is longer than 8 MB; run: git diff HEAD..."
                        + branch()));
  }

  /**
   * Fast-forwards the checked-out branch to this one, as {@code git merge --ff-only
   * --no-overwrite-ignore} does. Keeps untracked and changed files that the merge does not touch.
   * Keeps an untracked file that already has the merged content.
   *
   * @return false if the checked-out branch already contains all commits
   * @throws RalphException INVALID if no branch is checked out, or if a merge or rebase is in
   *     progress; if the merge would replace untracked or changed files; if the checked-out branch
   *     was moved without its files, or has commits that this branch lacks; or if Git refuses. The
   *     message names the files and the remedy. CONTENDED if the checked-out branch belongs to
   *     another session and is in use. Nothing is changed
   * @throws InterruptedException if the thread is interrupted
   */
  public boolean merge() throws InterruptedException {
    UserBranch user = UserBranch.of(GitTrees.checkout(git, folder));
    String unfinished = user.inProgress().orElse(null);
    if (unfinished != null) {
      throw RalphException.invalid(
          "a "
              + unfinished
              + " is in progress in "
              + user.root()
              + ". Complete the operation, then run: "
              + MERGE
              + name());
    }
    CommandResult head = git.run("symbolic-ref", "--quiet", "--short", "HEAD");
    if (!head.isGood()) {
      throw RalphException.invalid("no branch is checked out; run: git switch BRANCH");
    }
    if (commits == 0) {
      return false;
    }
    SessionNames whose = SessionNames.ofBranch(head.line());
    if (whose == null) {
      return moveOn(user, head.line());
    }
    BranchHold hold = BranchHold.take(folder, whose.session());
    try (hold) {
      return moveOn(user, head.line());
    }
  }

  private boolean moveOn(UserBranch user, String checkedOut) throws InterruptedException {
    String problem = user.problem().orElse(null);
    if (problem != null) {
      throw RalphException.invalid(problem + ", then: " + MERGE + name());
    }
    if (missing > 0) {
      throw RalphException.invalid(
          checkedOut
              + " has "
              + missing
              + (missing == 1 ? " commit" : " commits")
              + " that "
              + branch()
              + " does not have; "
              + bringThere(checkedOut));
    }
    Git top = new Git(user.root(), PATIENCE);
    FastForward.run(top, user.root(), ref(), "run: " + MERGE + name());
    return true;
  }

  private String bringThere(String from) {
    return root == null
        ? "run: " + CommandLineWords.join(List.of("git", "merge", branch()))
        : "merge the missing commits into the work tree and run the tests: "
            + CommandLineWords.join(List.of("git", "-C", root.toString(), "merge", from));
  }

  /**
   * Deletes the branch, the work trees with all their files, the branches of tasks, and the
   * branches of failed work.
   *
   * @param unsaved whether to delete unsaved work too
   * @throws RalphException INVALID if unsaved work would be lost without permission, even if it was
   *     added since the creation of this object, or if Git refuses; CONTENDED if a {@linkplain
   *     BranchHold hold} exists. Nothing is changed
   * @throws InterruptedException if the thread is interrupted
   */
  public void discard(boolean unsaved) throws InterruptedException {
    BranchHold hold = BranchHold.take(folder, name());
    try (hold) {
      WorkBranch now = of(folder, name());
      if (!unsaved && !now.unsaved().isEmpty()) {
        throw RalphException.invalid(
            "discarding " + branch() + " would lose: " + now.unsaved() + "; nothing was discarded");
      }
      now.remove(unsaved);
    }
  }

  private void remove(boolean unsaved) throws InterruptedException {
    MetadataLock.holding(GitTrees.common(git, folder), () -> removeTrees(unsaved));
    List<String> gone = new ArrayList<>(refs(git, ref() + ".t*", "%(refname)"));
    setAside.stream()
        .map(SessionNames::head)
        .filter(head -> !gone.contains(head))
        .forEach(gone::add);
    gone.add(ref());
    gone.addAll(refs(git, names.refs(), "%(refname)"));
    StringBuilder lines = new StringBuilder();
    gone.forEach(each -> lines.append("delete ").append(each).append('\n'));
    // Atomic: after a partial deletion, the next build would recreate the rest.
    GitTrees.require(
        "git update-ref", GitTrees.patientWith(lines.toString(), git, "update-ref", "--stdin"));
  }

  private void removeTrees(boolean unsaved) throws InterruptedException {
    for (Path tree : unsaved ? List.<Path>of() : trees) {
      requireUnchanged(tree); // the lock may have taken seconds
    }
    for (Path tree : trees) {
      require("worktree", "remove", "--force", "--force", tree.toString());
    }
  }

  private void requireUnchanged(Path tree) throws InterruptedException {
    if (Files.exists(tree.resolve(".git"))) {
      Set<String> files = new TreeChanges(new Git(tree, PATIENCE), tree, rules).all();
      if (!files.isEmpty()) {
        throw RalphException.invalid(
            "files in "
                + tree
                + " were changed meanwhile: "
                + TreeChanges.some(List.copyOf(files))
                + "; nothing was discarded");
      }
    }
  }

  private void require(String... arguments) throws InterruptedException {
    GitTrees.require("git " + arguments[0], GitTrees.patient(git, arguments));
  }

  private int count(String range) throws InterruptedException {
    return count(git, range);
  }

  /** Returns the number of a work tree's commits that are on no branch and not merged. */
  private static int loose(Git there) throws InterruptedException {
    String letGo = SessionNames.LET_GO + "*"; // a pattern may match nothing
    return count(there, "HEAD", "--not", "--branches", "--remotes", "--tags", "--glob=" + letGo);
  }

  /** Returns the number of commits that an agent created on no branch and left since its start. */
  private int abandoned(Git there) throws InterruptedException {
    CommandResult own = there.run("rev-parse", "--absolute-git-dir");
    Path since = Path.of(own.line()).resolve(SessionNames.SINCE);
    return own.isGood() && Files.exists(since)
        ? new WorkElsewhere(there, Path.of(own.line()))
            .abandoned(branch(), WorkElsewhere.read(since))
            .size()
        : 0;
  }

  private static int count(Git git, String... range) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("rev-list", "--count"));
    command.addAll(List.of(range));
    CommandResult answer =
        GitTrees.require("git rev-list", git.run(command.toArray(new String[0])));
    return Integer.parseInt(answer.line());
  }

  @Override
  public String toString() {
    return branch();
  }
}

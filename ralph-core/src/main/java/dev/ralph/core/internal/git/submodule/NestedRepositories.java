package dev.ralph.core.internal.git.submodule;

import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.TreeChanges;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The Git repositories within a work tree: submodules and independent repositories. A commit of the
 * work tree contains none of their files, only the id of a commit that may exist nowhere else.
 */
public final class NestedRepositories {

  /** The number of fields before the path of a changed entry. */
  private static final int STATUS_FIELDS = 8;

  private static final int MOST_NAMES = 3;
  private static final int MOST_FILES = 1_000;

  private final Path root;
  private final Git git;
  private final TreeChanges changes;

  /**
   * Creates a view of a work tree.
   *
   * @param changes the changes of the work tree
   */
  public NestedRepositories(Path root, Git git, TreeChanges changes) {
    this.root = root;
    this.git = git;
    this.changes = changes;
  }

  /** Returns the paths of repositories that are neither ignored nor in the index. */
  public List<String> untracked() throws InterruptedException {
    return changes.untracked().stream()
        .map(TreeChanges::plain)
        .filter(path -> path.endsWith("/")) // git enters all other folders
        .map(path -> path.substring(0, path.length() - 1))
        .toList();
  }

  /**
   * Returns the reason why each of the {@link #untracked} repositories can't be committed, with the
   * remedy.
   */
  public List<String> notCommitted() throws InterruptedException {
    return untracked().stream().map(this::notCommitted).toList();
  }

  private String notCommitted(String path) {
    Path folder = root.resolve(path);
    return Files.isRegularFile(folder.resolve(".git"))
        ? folder
            + " is a Git repository of its own, such as another work tree, so a commit would"
            + " contain none of its files; commit them there, merge the commit here, and"
            + " remove the folder (git worktree remove --force PATH)"
        : folder
            + " is a Git repository of its own, so a commit would contain none of its files;"
            + " remove its .git to commit the files, register it with git submodule add, or"
            + " move it out of the work tree";
  }

  /**
   * Returns the parts of the linked repositories that a commit would omit. These are unregistered
   * links, files in the folder of an empty submodule, uncommitted changes of submodules, and
   * missing commits of submodules. A link is registered if {@code .gitmodules} has an entry. Copies
   * new commits of submodules into the user's repository.
   *
   * @param bases commits whose links are accepted
   * @param tree a tree or commit with all of the work
   * @return sentences with the remedy; empty if the commit omits nothing
   */
  public List<String> leftOut(Collection<String> bases, String tree, SubmoduleCopies copies)
      throws InterruptedException {
    Map<String, String> links = GitLinks.of(git::run, tree);
    if (links.isEmpty()) {
      return List.of();
    }
    List<String> reasons = new ArrayList<>();
    Set<Map.Entry<String, String>> accepted = new HashSet<>();
    for (String base : bases) {
      accepted.addAll(GitLinks.of(git::run, base).entrySet());
    }
    Map<String, String> names = GitLinks.modules(git::run, tree);
    for (Map.Entry<String, String> link : links.entrySet()) {
      String path = link.getKey();
      List<String> files = filesWithoutRepository(path);
      if (!files.isEmpty()) {
        reasons.add(
            named(files)
                + " in "
                + root.resolve(path)
                + ", the folder of a submodule that is not checked out, so no commit contains "
                + (files.size() == 1 ? "the file" : "the files")
                + "; move "
                + (files.size() == 1 ? "the file" : "the files")
                + " out of the folder, or check the submodule out and commit there");
      }
      if (!accepted.contains(link)) {
        String name = names.get(path);
        if (name == null) {
          reasons.add("in " + root + ": " + unregistered(path));
        } else if (!copies.copy(root, path, name, link.getValue())) {
          reasons.add(
              "the commit "
                  + link.getValue()
                  + " of the submodule "
                  + path
                  + " is in no repository of this machine; run: "
                  + CommandLineWords.join(
                      List.of(
                          "git", "-C", root.toString(), "submodule", "update", "--init", path)));
        }
      }
    }
    reasons.addAll(changedSubmodules());
    return reasons;
  }

  /**
   * Returns the reason why a link without an entry in {@code .gitmodules} can't be merged, with the
   * remedy.
   *
   * @param path relative to the repository's top
   */
  public static String unregistered(String path) {
    return path
        + " is a Git repository of its own, and the commit contains only a link, none of its"
        + " files; run: "
        + CommandLineWords.join(List.of("git", "rm", "--cached", path))
        + ", then remove its .git to commit the files, or register it with git submodule add";
  }

  /** Returns some of the files in the folder of a link without a repository. */
  private List<String> filesWithoutRepository(String path) {
    try {
      Path folder = root.resolve(path);
      if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) || isRepository(folder)) {
        return List.of();
      }
      try (Stream<Path> files = Files.walk(folder)) {
        return files
            .filter(file -> !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
            .limit(MOST_FILES)
            .map(file -> root.relativize(file).toString())
            .toList();
      }
    } catch (IOException | InvalidPathException e) {
      return List.of(path + "/?"); // unreadable, so possibly not empty
    }
  }

  /** Returns whether a folder has a repository, and not only a file with an invalid reference. */
  private static boolean isRepository(Path folder) throws IOException {
    Path own = folder.resolve(".git");
    if (!Files.isRegularFile(own)) {
      return Files.isDirectory(own);
    }
    String text = Files.readString(own).strip();
    return text.startsWith("gitdir: ")
        && Files.isDirectory(folder.resolve(text.substring("gitdir: ".length())));
  }

  private static String named(List<String> files) {
    String names = String.join(", ", files.subList(0, Math.min(MOST_NAMES, files.size())));
    int more = files.size() - MOST_NAMES;
    return names + (more > 0 ? " and " + more + " more are" : files.size() == 1 ? " is" : " are");
  }

  private List<String> changedSubmodules() throws InterruptedException {
    List<String> reasons = new ArrayList<>();
    for (String entry : lines("status", "--porcelain=v2", "-z", "--untracked-files=no")) {
      String[] fields = entry.split(" ", STATUS_FIELDS + 1);
      boolean isEntry = fields.length > STATUS_FIELDS && fields[0].equals("1");
      if (isEntry && fields[2].matches("S.M.")) {
        reasons.add(
            "the submodule "
                + root.resolve(fields[STATUS_FIELDS])
                + " has uncommitted changes; commit them in the submodule");
      }
    }
    return reasons;
  }

  /**
   * Returns the work that would be lost with the work tree, in addition to changed files and
   * commits. This is nested repositories, files in folders of empty submodules, and commits of
   * submodules that are neither upstream nor in the user's module.
   *
   * @param copies the submodules of the user's checkout
   */
  public List<String> onlyCopies(SubmoduleCopies copies) throws InterruptedException {
    List<String> found = new ArrayList<>();
    for (String path : untracked()) {
      found.add("the repository " + root.resolve(path));
    }
    Map<String, String> links = GitLinks.of(git::run, "HEAD");
    Map<String, String> names = links.isEmpty() ? Map.of() : GitLinks.modules(git::run, "HEAD");
    for (String path : links.keySet()) {
      List<String> files = filesWithoutRepository(path);
      if (!files.isEmpty()) {
        String count = files.size() == 1 ? "1 file" : files.size() + " files";
        found.add(count + " in the empty submodule folder " + root.resolve(path));
      }
      Path embedded = root.resolve(path).resolve(".git");
      if (SubmoduleCopies.isRepository(embedded)) {
        String name = names.get(path);
        addCommits(
            found, root.resolve(path), embedded, name == null ? null : copies.target(path, name));
      }
    }
    CommandResult own = git.run("rev-parse", "--git-path", "modules");
    Path modules = root.resolve(own.line()).normalize();
    if (own.isGood() && Files.isDirectory(modules, LinkOption.NOFOLLOW_LINKS)) {
      addModules(found, modules, modules, copies.modules());
    }
    return found;
  }

  private void addModules(List<String> found, Path folder, Path modules, Path users)
      throws InterruptedException {
    try (Stream<Path> children = Files.list(folder)) {
      for (Path child :
          children.filter(each -> Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)).toList()) {
        if (SubmoduleCopies.isRepository(child)) {
          Path name = modules.relativize(child);
          addCommits(found, root.resolve(name), child, users.resolve(name));
          Path inner = child.resolve("modules");
          if (Files.isDirectory(inner, LinkOption.NOFOLLOW_LINKS)) {
            addModules(found, inner, modules, users);
          }
        } else {
          addModules(found, child, modules, users);
        }
      }
    } catch (IOException e) {
      throw GitTrees.failed("can't look into " + folder, e);
    }
  }

  /** Adds the commits of a repository that are neither upstream nor in another repository. */
  private static void addCommits(
      List<String> found, Path name, Path repository, @Nullable Path users)
      throws InterruptedException {
    List<String> tips = new ArrayList<>();
    String[] list = {
      "for-each-ref", "--format=%(objectname)", "refs/heads", "refs/tags", "refs/stash"
    };
    tips.addAll(SubmoduleCopies.in(repository, list).line().lines().toList());
    CommandResult head = SubmoduleCopies.in(repository, "rev-parse", "--verify", "--quiet", "HEAD");
    tips.addAll(head.isGood() ? List.of(head.line()) : List.of());
    List<String> count = new ArrayList<>(List.of("rev-list", "--count"));
    List<String> known = new ArrayList<>(List.of("--not", "--remotes"));
    for (String tip : new HashSet<>(tips)) {
      boolean isUsers =
          users != null && SubmoduleCopies.isRepository(users) && SubmoduleCopies.has(users, tip);
      (isUsers ? known : count).add(tip);
    }
    if (count.size() > 2) {
      count.addAll(known);
      String commits = SubmoduleCopies.in(repository, count.toArray(new String[0])).line();
      if (!commits.equals("0")) {
        found.add(
            (commits.equals("1") ? "1 commit" : commits + " commits")
                + " of the repository "
                + name);
      }
    }
  }

  /**
   * Returns the output of git as NUL-separated lines, which may be truncated; empty if git fails.
   */
  private List<String> lines(String... arguments) throws InterruptedException {
    CommandResult answer = git.run(arguments);
    return answer.isGood()
        ? Stream.of(answer.output().split("\0")).filter(line -> !line.isEmpty()).toList()
        : List.of();
  }
}

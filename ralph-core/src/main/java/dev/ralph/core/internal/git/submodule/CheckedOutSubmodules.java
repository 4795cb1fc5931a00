package dev.ralph.core.internal.git.submodule;

import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.IgnoreRules;
import dev.ralph.core.internal.git.TreeChanges;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.PlainPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The submodules that are checked out in a work tree of Ralph. Git leaves their folders unchanged
 * when it checks out another commit of the work tree. A later commit would then revert the link of
 * a submodule, or contain a removed submodule as an unknown repository.
 */
public final class CheckedOutSubmodules {

  private static final Duration PATIENCE = Duration.ofMinutes(30);
  private static final int DEEPEST = 8;

  private final Path root;
  private final Git git;
  private final SubmoduleCopies copies;

  /**
   * Creates a view of a work tree.
   *
   * @param root top folder of the work tree
   * @param git runs in the work tree
   * @param copies the submodules of the user's checkout
   */
  public CheckedOutSubmodules(Path root, Git git, SubmoduleCopies copies) {
    this.root = root;
    this.git = git;
    this.copies = copies;
  }

  /**
   * Checks out the submodules' commits of a commit of the work tree. Deletes the folders of
   * submodules that the commit does not have; their repositories stay in the Git folder of the work
   * tree. Uses no network. Call before the checkout of the commit.
   *
   * @param present a commit or tree with the links of the present files
   * @param next the commit to check out
   * @return the reason why a submodule can't be changed without loss, or null on success
   */
  public @Nullable String move(String present, String next) throws InterruptedException {
    if (!hasModules()) {
      return null;
    }
    Map<String, String> before = GitLinks.of(git::run, present);
    Map<String, String> links = GitLinks.of(git::run, next);
    Map<String, String> names = GitLinks.modules(git::run, next);
    TreeSet<String> paths = new TreeSet<>(before.keySet());
    paths.addAll(links.keySet());
    for (String path : paths) {
      Path folder = folder(path);
      if (folder != null && isCheckedOut(root, folder)) {
        String name = names.get(path);
        Path users = name == null ? null : copies.target(path, name);
        String problem = move(folder, links.get(path), users, 0);
        if (problem != null) {
          return problem;
        }
      }
    }
    return null;
  }

  /**
   * Checks out the submodules again that were checked out here before. Provides agents' commits in
   * further submodules for {@code git submodule update --init}; the commits may exist only in the
   * user's repository. Call after the checkout.
   */
  public void restore() throws InterruptedException {
    if (!hasModules()) {
      return;
    }
    Map<String, String> names = GitLinks.modules(git::run, "HEAD");
    for (Map.Entry<String, String> link : GitLinks.of(git::run, "HEAD").entrySet()) {
      Path folder = folder(link.getKey());
      String name = names.get(link.getKey());
      if (name != null && folder != null && isFree(folder)) {
        Path module = modules(root).resolve(name).normalize();
        if (SubmoduleCopies.isRepository(module)) {
          if (SubmoduleCopies.bring(copies.target(link.getKey(), name), module, link.getValue())) {
            checkOut(folder, module, link.getValue());
          }
        } else if (!Files.exists(module, LinkOption.NOFOLLOW_LINKS)) {
          copies.provide(module, link.getKey(), name, link.getValue());
        }
      }
    }
  }

  private void checkOut(Path folder, Path module, String commit) throws InterruptedException {
    PlainPath.require(root, folder);
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve(".git"), "gitdir: " + folder.relativize(module) + "\n");
    } catch (IOException e) {
      throw GitTrees.failed("can't check out the submodule " + folder, e);
    }
    SubmoduleCopies.in(module, "config", "core.worktree", module.relativize(folder).toString());
    GitTrees.require(
        "git checkout in " + folder,
        in(folder).run("checkout", "--quiet", "--force", "--detach", commit));
  }

  private static boolean isFree(Path folder) {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return true;
    }
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isEmpty();
    } catch (IOException e) {
      throw GitTrees.failed("can't look into " + folder, e);
    }
  }

  private boolean hasModules() {
    return Files.isRegularFile(root.resolve(".gitmodules"), LinkOption.NOFOLLOW_LINKS);
  }

  private @Nullable Path folder(String path) {
    try {
      return root.resolve(path);
    } catch (InvalidPathException notInThisLocale) {
      return null;
    }
  }

  /**
   * Returns whether a folder is the top of a repository in the module folder of the repository
   * around it.
   */
  private static boolean isCheckedOut(Path outer, Path folder) throws InterruptedException {
    if (!Files.isRegularFile(folder.resolve(".git"), LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    CommandResult own = in(folder).run("rev-parse", "--absolute-git-dir");
    return own.isGood()
        && GitTrees.real(Path.of(own.line())).startsWith(GitTrees.real(modules(outer)));
  }

  /** Returns the folder of the modules of a repository. */
  private static Path modules(Path tree) throws InterruptedException {
    String[] ask = {"rev-parse", "--path-format=absolute", "--git-path", "modules"};
    return Path.of(GitTrees.require("git rev-parse in " + tree, in(tree).run(ask)).line());
  }

  private static Git in(Path folder) {
    return Git.alone(folder, PATIENCE);
  }

  /**
   * Moves a submodule to a commit.
   *
   * @param link the commit; null to delete the folder
   * @param users the repository of the submodule in the user's checkout; null if unknown
   */
  private static @Nullable String move(
      Path folder, @Nullable String link, @Nullable Path users, int depth)
      throws InterruptedException {
    Git there = in(folder);
    if (link != null) {
      if (there.run("rev-parse", "--verify", "--quiet", "HEAD").line().equals(link)) {
        return null;
      }
      Path own = Path.of(there.run("rev-parse", "--absolute-git-dir").line());
      if (SubmoduleCopies.bring(users, own, link)) {
        return update(folder, link, users, depth);
      }
    }
    if (!isUnchanged(folder, depth)) {
      return "the submodule " + folder + " has uncommitted files";
    }
    GitTrees.delete(folder);
    return null;
  }

  private static @Nullable String update(Path folder, String link, @Nullable Path users, int depth)
      throws InterruptedException {
    Git there = in(folder);
    Map<String, String> before = GitLinks.of(there::run, "HEAD");
    Map<String, String> links = GitLinks.of(there::run, link);
    Map<String, String> names = before.isEmpty() ? Map.of() : GitLinks.modules(there::run, link);
    for (String path : before.keySet()) {
      Path inner = folder.resolve(path);
      if (depth < DEEPEST && isCheckedOut(folder, inner)) {
        String name = names.get(path);
        Path usersInner =
            users == null || name == null ? null : users.resolve("modules").resolve(name);
        String problem = move(inner, links.get(path), usersInner, depth + 1);
        if (problem != null) {
          return problem;
        }
      }
    }
    CommandResult moved =
        there.run("checkout", "--quiet", "--detach", "--no-overwrite-ignore", link);
    return moved.isGood()
        ? null
        : "the submodule " + folder + " can't be moved to " + link + ": " + moved.why();
  }

  /**
   * Returns whether a submodule has only the files of its commit. Clears the index bits that hide
   * changes.
   */
  private static boolean isUnchanged(Path folder, int depth) throws InterruptedException {
    Git there = in(folder);
    List<String> unused = new TreeChanges(there, folder, new IgnoreRules("")).reveal();
    CommandResult status = there.run("status", "--porcelain", "--ignored");
    if (!status.isGood() || !status.output().isBlank()) {
      return false;
    }
    for (String path : GitLinks.of(there::run, "HEAD").keySet()) {
      Path inner = folder.resolve(path);
      boolean isRepository = Files.exists(inner.resolve(".git"), LinkOption.NOFOLLOW_LINKS);
      if (isRepository
          && !(depth < DEEPEST && isCheckedOut(folder, inner) && isUnchanged(inner, depth + 1))) {
        return false;
      }
    }
    return true;
  }
}

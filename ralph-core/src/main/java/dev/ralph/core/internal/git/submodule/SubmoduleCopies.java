package dev.ralph.core.internal.git.submodule;

import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Copies commits of submodules from the module folders of a work tree to those of the user's
 * checkout. The former are deleted with the work tree. Copies only between local folders and uses
 * no address.
 */
public final class SubmoduleCopies {

  private static final Duration PATIENCE = Duration.ofMinutes(30);
  private static final int DEEPEST = 8;

  private final Path checkout;
  private final String refs;
  private final Consumer<String> notices;
  private final Git git;

  /**
   * Creates the copies of a session.
   *
   * @param checkout top folder of the user's checkout
   * @param refs prefix of the references that keep the commits, such as {@code refs/ralph/auth/}
   * @param notices receives a sentence for each commit kept for an uninitialised submodule
   */
  public SubmoduleCopies(Path checkout, String refs, Consumer<String> notices) {
    this.checkout = checkout;
    this.refs = refs;
    this.notices = notices;
    this.git = Git.alone(checkout, PATIENCE);
  }

  /**
   * Copies a commit with its history and its own submodules.
   *
   * @param tree top folder of the work tree
   * @param path the path of the submodule in the work tree
   * @param name the {@linkplain GitLinks#modules validated} name of the submodule
   * @return false if the commit is neither in the work tree nor in the user's module
   * @throws RalphException INVALID if git fails, or a link or file blocks the target
   */
  public boolean copy(Path tree, String path, String name, String commit)
      throws InterruptedException {
    Path target = target(path, name);
    boolean isEmbedded = target.endsWith(".git");
    boolean isThere = copy(source(tree, path, name), target, commit, 0);
    if (isThere && !isEmbedded && !in(target, "config", "core.worktree").isGood()) {
      notices.accept(
          "commit "
              + commit
              + " of the submodule "
              + path
              + " is kept in "
              + target
              + ", because the submodule is not initialised in "
              + checkout
              + "; after the merge into that checkout, run: "
              + CommandLineWords.join(List.of("git", "submodule", "update", "--init", "--", path)));
    }
    return isThere;
  }

  /**
   * Copies a commit that an agent made from the user's module to a module of a work tree. Does
   * nothing for upstream commits.
   *
   * @param module the missing module in the Git folder of the work tree
   */
  void provide(Path module, String path, String name, String commit) throws InterruptedException {
    Path users = target(path, name);
    String[] kept = {"for-each-ref", "--count=1", "--points-at", commit, "refs/ralph"};
    if (!isRepository(users) || !has(users, commit) || in(users, kept).line().isEmpty()) {
      return;
    }
    init(module);
    String address = in(users, "config", "remote.origin.url").line();
    if (!address.isEmpty()) {
      in(module, "config", "remote.origin.url", address);
      in(module, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*");
    }
    if (bring(users, module, commit)) {
      GitTrees.require(
          "git update-ref in " + module, in(module, "update-ref", refs + commit, commit));
    }
  }

  /**
   * Copies a commit between local repositories unless the target has it.
   *
   * @param from null for none
   * @return whether the target has the commit
   */
  static boolean bring(@Nullable Path from, Path to, String commit) throws InterruptedException {
    if (has(to, commit)) {
      return true;
    }
    if (from == null || !isRepository(from) || !has(from, commit)) {
      return false;
    }
    fetch(from, to, commit);
    return true;
  }

  private static void fetch(Path from, Path to, String commit) throws InterruptedException {
    GitTrees.require(
        "copying the commit " + commit + " from " + from + " to " + to,
        in(
            to,
            "fetch-pack",
            "--quiet",
            "--no-progress",
            "--update-shallow",
            from.toString(),
            commit));
  }

  /** Returns the repository of a submodule in the user's checkout. */
  Path target(String path, String name) throws InterruptedException {
    Path embedded = checkout.resolve(path).resolve(".git");
    if (Files.isDirectory(embedded, LinkOption.NOFOLLOW_LINKS)) {
      return embedded;
    }
    return modules().resolve(name);
  }

  /** Returns the module folder of the user's checkout. */
  Path modules() throws InterruptedException {
    CommandResult told = git.run("rev-parse", "--git-path", "modules");
    return checkout.resolve(GitTrees.require("git rev-parse", told).line()).normalize();
  }

  /** Returns the repository of a submodule in a work tree, or null if none exists. */
  static @Nullable Path source(Path tree, String path, String name) throws InterruptedException {
    Path folder = tree.resolve(path);
    CommandResult own = Git.alone(tree, PATIENCE).run("rev-parse", "--git-path", "modules");
    Path module = tree.resolve(own.line()).resolve(name).normalize();
    if (Files.exists(folder.resolve(".git"))) {
      CommandResult told = Git.alone(folder, PATIENCE).run("rev-parse", "--absolute-git-dir");
      Path found = Path.of(told.isGood() ? told.line() : "");
      if (isRepository(found)) {
        return found;
      }
    }
    return isRepository(module) ? module : null;
  }

  static boolean isRepository(Path folder) {
    return Files.isRegularFile(folder.resolve("HEAD"))
        && Files.isDirectory(folder.resolve("objects"));
  }

  private boolean copy(@Nullable Path source, Path target, String commit, int depth)
      throws InterruptedException {
    boolean isThere = isRepository(target) && has(target, commit);
    if (!isThere) {
      if (source == null || !has(source, commit)) {
        return false;
      }
      make(target);
      fetch(source, target, commit);
    }
    GitTrees.require(
        "git update-ref in " + target, in(target, "update-ref", refs + commit, commit));
    if (source != null && depth < DEEPEST) {
      copyInner(source, target, commit, depth);
    }
    return true;
  }

  /** Copies the commits of the submodule's own submodules; missing commits are upstream. */
  private void copyInner(Path source, Path target, String commit, int depth)
      throws InterruptedException {
    GitLinks.Runner there = arguments -> in(target, arguments);
    Map<String, String> links = GitLinks.of(there, commit);
    Map<String, String> names = links.isEmpty() ? Map.of() : GitLinks.modules(there, commit);
    for (Map.Entry<String, String> link : links.entrySet()) {
      String name = names.get(link.getKey());
      Path inner = name == null ? null : source.resolve("modules").resolve(name);
      if (inner != null && isRepository(inner)) {
        boolean unused =
            copy(inner, target.resolve("modules").resolve(name), link.getValue(), depth + 1);
      }
    }
  }

  /** Creates a repository like git for an initialised submodule, unless one exists. */
  private void make(Path target) throws InterruptedException {
    if (isRepository(target)) {
      return;
    }
    Path top = modules();
    PlainPath.require(top.resolveSibling("."), target);
    for (Path at = target.getParent(); at != null && !at.equals(top); at = at.getParent()) {
      if (isRepository(at) && !target.startsWith(at.resolve("modules"))) {
        throw RalphException.invalid(
            "can't keep commits in " + target + ", because " + at + " is a repository");
      }
    }
    GitTrees.requireFree(target);
    init(target);
  }

  private void init(Path target) throws InterruptedException {
    try {
      Files.createDirectories(target);
    } catch (IOException e) {
      throw GitTrees.failed("can't make " + target, e);
    }
    String format = git.run("rev-parse", "--show-object-format").line();
    String[] init = {"init", "--quiet", "--bare", "--template=", "--object-format=" + format};
    String[] all = Arrays.copyOf(init, init.length + 1);
    all[init.length] = target.toString();
    GitTrees.require("git init in " + target, git.run(all));
    GitTrees.require("git config in " + target, in(target, "config", "core.bare", "false"));
  }

  static boolean has(Path repository, String commit) throws InterruptedException {
    return in(repository, "cat-file", "-e", commit + "^{commit}").isGood();
  }

  /** Runs git on a repository whose work tree may be missing. */
  static CommandResult in(Path repository, String... arguments) throws InterruptedException {
    String[] all = new String[arguments.length + 2];
    all[0] = "--git-dir=" + repository;
    all[1] = "--work-tree=" + repository;
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return Git.alone(repository, PATIENCE).run(all);
  }
}

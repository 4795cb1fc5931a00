package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A work tree without the marker file of a complete creation. A killed git leaves such a tree, with
 * some files of its commit. After the deletion of the marker file, the tree may have work.
 */
public final class IncompleteTree {

  private IncompleteTree() {}

  /**
   * Returns whether a work tree has files that differ from those of its commit. Ignored files count
   * too. The index is not used, because a killed git has not written it. Changes nothing.
   *
   * @param git in the work tree, even if git can't use the work tree
   * @param root the top folder of the work tree
   */
  public static boolean hasWork(Git git, Path root) throws InterruptedException {
    if (isEmpty(root)) {
      return false;
    }
    CommandResult top = git.run("rev-parse", "--show-toplevel");
    if (!top.isGood() || !GitTrees.real(Path.of(top.line())).equals(GitTrees.real(root))) {
      return true; // git would compare another work tree
    }
    Path folder = null;
    try {
      folder = Files.createTempDirectory("ralph-index");
      Git own = git.withIndex(folder.resolve("index"));
      if (!own.run("read-tree", "HEAD").isGood()) {
        return true;
      }
      for (String path : new TreeChanges(own, root, new IgnoreRules("")).all()) {
        if (Files.exists(TreeChanges.path(root, path), LinkOption.NOFOLLOW_LINKS)) {
          return true;
        }
      }
      return false;
    } catch (RalphException unusable) {
      return true;
    } catch (IOException e) {
      throw GitTrees.failed("can't create a temporary index", e);
    } finally {
      if (folder != null) {
        GitTrees.delete(folder);
      }
    }
  }

  private static boolean isEmpty(Path root) {
    try (Stream<Path> files = Files.list(root)) {
      return files.allMatch(file -> file.endsWith(".git"));
    } catch (IOException e) {
      throw GitTrees.failed("can't look into " + root, e);
    }
  }
}

package dev.ralph.core.internal.git;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A work tree without the marker file of a complete creation. A killed git, or a full disk, leaves
 * such a tree without an index, and with some files of its commit; the content of a file may be cut
 * off. After the deletion of the marker file, the tree may have work.
 */
public final class IncompleteTree {

  private IncompleteTree() {}

  /**
   * Returns whether a work tree has files that differ from those of its commit. Ignored files count
   * too. The index is not used, because a killed git has not written it. Changes nothing.
   *
   * @param git in the work tree, even if git can't use the work tree
   * @param root the top folder of the work tree
   * @throws RalphException FULL or IO if the files can't be compared because of the disk
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
      GitTrees.require("git read-tree", own.run("read-tree", "HEAD"));
      Set<String> files = new TreeSet<>(new TreeChanges(own, root, new IgnoreRules("")).all());
      files.removeIf(path -> !Files.exists(TreeChanges.path(root, path), NOFOLLOW_LINKS));
      if (!files.isEmpty() && !hasIndex(root)) {
        removeCutOff(files, own, root, folder.resolve("files"));
      }
      return !files.isEmpty();
    } catch (RalphException e) {
      if (e.code() == RalphException.Code.FULL || e.code() == RalphException.Code.IO) {
        throw e; // the state of the work tree is unknown
      }
      return true;
    } catch (IOException e) {
      throw GitTrees.failed("can't compare the files of " + root, e);
    } finally {
      if (folder != null) {
        GitTrees.delete(folder);
      }
    }
  }

  private static boolean hasIndex(Path root) {
    Path own = ProvidedFiles.folder(root);
    return own == null || Files.exists(own.resolve("index"));
  }

  /**
   * Removes the paths of files with only the beginning of their content. A killed git leaves such
   * files; a commit would damage them.
   *
   * @param paths quoted
   * @param git with an index that has the files of the commit
   * @param copies a missing folder for copies of the files
   */
  private static void removeCutOff(Set<String> paths, Git git, Path root, Path copies)
      throws IOException, InterruptedException {
    String[] checkOut = {
      "-C", root.toString(), "checkout-index", "--quiet", "--stdin", "--prefix=" + copies + "/"
    };
    CommandResult answer = git.runWith(String.join("\n", paths) + "\n", checkOut);
    if (!answer.isGood()) { // also for untracked files
      RalphException failure = GitTrees.refused("git checkout-index", answer);
      if (failure.code() == RalphException.Code.FULL) {
        throw failure;
      }
    }
    for (String path : List.copyOf(paths)) {
      Path file = TreeChanges.path(root, path);
      Path copy = TreeChanges.path(copies, path);
      boolean isFile = Files.isRegularFile(file, NOFOLLOW_LINKS);
      if (isFile
          && Files.isRegularFile(copy, NOFOLLOW_LINKS)
          && Files.mismatch(file, copy) == Files.size(file)) {
        paths.remove(path);
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

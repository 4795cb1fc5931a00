package dev.ralph.cli.call;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the folder of a Git repository without running git, which would take longer than a short
 * command. The files {@code .git} and {@code commondir} are described in gitrepository-layout.
 */
final class GitFolder {

  private static final String NAME = ".git";
  private static final String POINTER = "gitdir: ";

  private GitFolder() {}

  /**
   * Returns the folder shared by all work trees of a repository, or null if no repository is found.
   * The result is the parent of the common {@code .git} folder. For a common folder with another
   * name the result is the common folder itself, because other repositories may share its parent.
   * Bare repositories and submodules have such names.
   *
   * @param upward the folder and its ancestors
   */
  static @Nullable Path home(List<Path> upward) {
    for (Path at : upward) {
      Path git = at.resolve(NAME);
      if (Files.isDirectory(git, LinkOption.NOFOLLOW_LINKS)) {
        return at;
      } else if (Files.exists(git)) {
        Path common = common(git);
        return common != null && common.endsWith(NAME) ? common.getParent() : common;
      }
    }
    return null;
  }

  private static @Nullable Path common(Path git) {
    try {
      Path own = git;
      if (Files.isRegularFile(git)) {
        String text = Files.readString(git).strip();
        if (!text.startsWith(POINTER)) {
          return null;
        }
        own = git.resolveSibling(text.substring(POINTER.length()));
      }
      Path common = own.toRealPath();
      Path pointer = common.resolve("commondir");
      return Files.exists(pointer)
          ? common.resolve(Files.readString(pointer).strip()).toRealPath()
          : common;
    } catch (IOException | InvalidPathException noRepository) {
      return null;
    }
  }
}

package dev.ralph.cli.call;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the folder of a Git repository without asking git, which would take longer than a short
 * command: see gitrepository-layout for the files {@code .git} and {@code commondir}.
 */
final class GitFolder {

  private static final String NAME = ".git";
  private static final String POINTER = "gitdir: ";

  private GitFolder() {}

  /**
   * Returns the folder for what all work trees of a repository share: the one that the common
   * {@code .git} lies in, or the common folder itself where it has another name, as that of a bare
   * repository or of a submodule has, because other repositories may lie beside it; null if there
   * is no repository.
   *
   * @param upward the folder and those above it
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

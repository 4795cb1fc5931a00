package dev.ralph.cli.call;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the folder of a Git repository without asking git, which would take longer than a short
 * command: see gitrepository-layout for the files {@code .git} and {@code commondir}.
 */
final class GitFolder {

  private static final String POINTER = "gitdir: ";

  private GitFolder() {}

  /**
   * Returns the folder beside which the repository of a folder is kept, which is the same for all
   * of its work trees; null if there is none.
   *
   * @param upward the folder and those above it
   */
  static @Nullable Path home(List<Path> upward) {
    for (Path at : upward) {
      Path git = at.resolve(".git");
      if (Files.isDirectory(git)) {
        return at;
      } else if (Files.isRegularFile(git)) {
        return ofLinked(git);
      }
    }
    return null;
  }

  private static @Nullable Path ofLinked(Path pointer) {
    try {
      String text = Files.readString(pointer).strip();
      if (!text.startsWith(POINTER)) {
        return null;
      }
      Path own = pointer.resolveSibling(text.substring(POINTER.length()));
      Path common = own.resolve(Files.readString(own.resolve("commondir")).strip()).normalize();
      return Files.isDirectory(common) ? common.getParent() : null;
    } catch (IOException | InvalidPathException noWorkTree) {
      return null;
    }
  }
}

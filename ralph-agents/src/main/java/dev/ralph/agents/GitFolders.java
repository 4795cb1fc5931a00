package dev.ralph.agents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** The folders that a git working tree keeps its history in. */
final class GitFolders {

  private static final String POINTER = "gitdir: ";
  private static final String COMMON = "commondir";

  private GitFolders() {}

  /**
   * Returns the folders that have to be writable for a commit in this one; none if it is not the
   * root of a working tree.
   */
  static List<Path> of(Path folder) {
    Path git = folder.resolve(".git");
    if (Files.isDirectory(git)) {
      return List.of(git);
    }
    try {
      // A second working tree, and a submodule, has a file there, which says where its history is.
      String text = Files.readString(git).strip();
      if (!text.startsWith(POINTER)) {
        return List.of();
      }
      Path own = folder.resolve(text.substring(POINTER.length())).normalize();
      Path common = own.resolve(COMMON);
      if (Files.exists(common)) {
        // The first working tree's history is shared.
        return List.of(own, own.resolve(Files.readString(common).strip()).normalize());
      }
      return Files.isDirectory(own.resolve("objects")) ? List.of(own) : List.of();
    } catch (IOException | InvalidPathException none) {
      return List.of();
    }
  }
}

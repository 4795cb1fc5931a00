package dev.ralph.agents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** Finds the folders that hold the history of a git working tree. */
final class GitFolders {

  private static final String POINTER = "gitdir: ";
  private static final String COMMON = "commondir";

  private GitFolders() {}

  /**
   * Returns the folders that must be writable for a commit in a folder. The list is empty if the
   * folder is not the root of a working tree.
   */
  static List<Path> of(Path folder) {
    Path git = folder.resolve(".git");
    if (Files.isDirectory(git)) {
      return List.of(git);
    }
    try {
      // In a linked working tree or a submodule, .git is a file with the path of the git folder.
      String text = Files.readString(git).strip();
      if (!text.startsWith(POINTER)) {
        return List.of();
      }
      Path own = folder.resolve(text.substring(POINTER.length())).normalize();
      Path common = own.resolve(COMMON);
      if (Files.exists(common)) {
        // A linked working tree shares the history of the main working tree.
        return List.of(own, own.resolve(Files.readString(common).strip()).normalize());
      }
      return Files.isDirectory(own.resolve("objects")) ? List.of(own) : List.of();
    } catch (IOException | InvalidPathException none) {
      return List.of();
    }
  }
}

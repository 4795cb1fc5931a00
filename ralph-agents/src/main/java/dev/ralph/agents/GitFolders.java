package dev.ralph.agents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** The folders that a git working tree keeps its history in. */
final class GitFolders {

  private static final String POINTER = "gitdir: ";

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
      // The working tree of a second branch has a file there, and shares the first one's history.
      String text = Files.readString(git).strip();
      if (!text.startsWith(POINTER)) {
        return List.of();
      }
      Path own = folder.resolve(text.substring(POINTER.length())).normalize();
      Path shared = own.resolve(Files.readString(own.resolve("commondir")).strip()).normalize();
      return List.of(own, shared);
    } catch (IOException | InvalidPathException none) {
      return List.of();
    }
  }
}

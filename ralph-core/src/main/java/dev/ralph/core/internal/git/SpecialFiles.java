package dev.ralph.core.internal.git;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Named pipes and similar files with names that git reads. Git would wait for a writer of the pipe,
 * without a limit.
 */
public final class SpecialFiles {

  private static final Set<String> READ_BY_GIT =
      Set.of(".gitignore", ".gitattributes", ".gitmodules", ".mailmap");

  private SpecialFiles() {}

  /**
   * Removes such files, which have no content. Call before git lists the files of a work tree.
   *
   * @param root the top folder of a work tree of Ralph
   */
  public static void removeFrom(Path root) {
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
              return folder.endsWith(".git")
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              String name = String.valueOf(file.getFileName());
              if (attributes.isOther() && READ_BY_GIT.contains(name)) {
                Files.delete(file);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException unreadable) {
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(
                Path folder, @Nullable IOException unreadable) {
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw GitTrees.failed("can't look into " + root, e);
    }
  }
}

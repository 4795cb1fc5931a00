package dev.ralph.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The modules of the build, found by their POMs at any depth. */
final class ProjectModules {

  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final int DEPTH = 3;

  private ProjectModules() {}

  /** Returns the folders of all modules below the root, including those that only group others. */
  static List<Path> folders() throws IOException {
    try (Stream<Path> poms =
        Files.find(ROOT, DEPTH, (path, facts) -> path.endsWith("pom.xml") && !isBuilt(path))) {
      return poms.map(Path::getParent).filter(folder -> !folder.equals(ROOT)).toList();
    }
  }

  /** Returns the folders of the modules with production code. */
  static List<Path> withCode() throws IOException {
    return folders().stream()
        .filter(folder -> Files.isDirectory(folder.resolve("src/main/java")))
        .toList();
  }

  /** Returns whether a path below the root is build output or hidden. */
  static boolean isBuilt(Path path) {
    for (Path name : ROOT.relativize(path)) {
      if (name.toString().equals("target") || name.toString().startsWith(".")) {
        return true;
      }
    }
    return false;
  }
}

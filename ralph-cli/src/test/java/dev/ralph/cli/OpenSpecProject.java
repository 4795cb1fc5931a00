package dev.ralph.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The test project, with an OpenSpec change of three stories. */
final class OpenSpecProject {

  private static final Path RESOURCES =
      Path.of("").toAbsolutePath().resolveSibling("integrations/ralph-openspec/src/test/resources");

  private OpenSpecProject() {}

  /** Copies the project into a folder, and returns the folder of the change. */
  static Path copyTo(Path folder) throws IOException {
    Path project = RESOURCES.resolve("project");
    try (Stream<Path> files = Files.walk(project)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = folder.resolve(project.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
    return folder.resolve("openspec/changes/add-login");
  }

  /** Returns the text of a file below {@code openspec/changes}. */
  static String read(String file) throws IOException {
    return Files.readString(RESOURCES.resolve("project/openspec/changes").resolve(file));
  }

  /** Returns the lines of a file in this module's resources. */
  static List<String> lines(String name) throws IOException {
    return Files.readAllLines(Path.of("src/test/resources/dev/ralph/cli/agent").resolve(name));
  }
}

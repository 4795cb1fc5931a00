package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files with the expected output of a command or a server. Ids, times, durations, process ids and
 * paths are replaced by their kinds. The tests rewrite the files with {@code -Dgolden.update=true}.
 */
public final class GoldenFile {

  private final Path files;
  private final Path folder;

  /**
   * Creates a comparison of outputs with files.
   *
   * @param files the folder of the files, relative to the module
   * @param folder the working folder of the commands
   */
  public GoldenFile(String files, Path folder) {
    this.files = Path.of(files);
    this.folder = folder;
  }

  /** Fails if an output differs from the file with the name. */
  public void compare(String name, String output) throws IOException {
    Path file = files.resolve(name);
    String normal = normalize(output);
    if (Boolean.getBoolean("golden.update")) {
      Files.createDirectories(files);
      Files.writeString(file, normal);
    }
    assertThat(normal).as("%s; -Dgolden.update=true rewrites it", name).isEqualTo(read(file));
  }

  private static String read(Path file) throws IOException {
    return Files.exists(file) ? Files.readString(file) : "";
  }

  private String normalize(String output) {
    return output
        .replace(folder.toString(), "FOLDER")
        .replaceAll("\\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\b", "UUID")
        .replaceAll("\\b03[0-9a-z]{4,23}\\b", "ID")
        .replaceAll("\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?Z?", "TIME")
        .replaceAll("(\"(pid|started|ticks|duration_ms|millis|ms|age|lease)\"):\\d+", "$1:NUMBER")
        .replaceAll("(\"(host|boot|pid_ns|user|by)\"):\"[^\"]*\"", "$1:\"TEXT\"")
        .replaceAll("\\b[0-9a-f]{64}\\b", "HASH")
        .replaceAll("\\b\\d+(\\.\\d+)? ?(ms|s)\\b", "DURATION");
  }
}

package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A Git repository that is prepared once and copied for each test, because starting git several
 * times takes longer than most tests. Symbolic links and file permissions are not copied.
 */
public final class RepositoryTemplate {

  private final Set<String> folders = new TreeSet<>();

  /** The contents of the files, by name. */
  private final Map<String, byte[]> files = new TreeMap<>();

  private RepositoryTemplate() {}

  /** Reads a prepared repository. */
  public static RepositoryTemplate read(Path root) throws IOException {
    RepositoryTemplate template = new RepositoryTemplate();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.toList()) {
        String name = root.relativize(each).toString();
        if (Files.isDirectory(each)) {
          template.folders.add(name);
        } else {
          template.files.put(name, Files.readAllBytes(each));
        }
      }
    }
    return template;
  }

  /**
   * Prepares a repository with one commit on the branch {@code main}, without hooks.
   *
   * @param message the message of the commit
   * @param files pairs of a file name and a text
   */
  public static RepositoryTemplate of(String message, String... files) {
    try {
      Path root = Files.createTempDirectory("repository");
      try {
        git(root, "init", "--quiet", "--template=", "-b", "main");
        git(root, "config", "user.name", "Somebody");
        git(root, "config", "user.email", "somebody@example.org");
        for (int i = 0; i < files.length; i += 2) {
          Path file = root.resolve(files[i]);
          Files.createDirectories(file.getParent());
          Files.writeString(file, files[i + 1]);
        }
        git(root, "add", ".");
        git(root, "commit", "--quiet", "-m", message);
        Files.createDirectories(root.resolve(".git/hooks"));
        Files.createDirectories(root.resolve(".git/info"));
        return read(root);
      } finally {
        delete(root);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Writes the repository to a folder, which may exist. */
  public void copyTo(Path root) throws IOException {
    for (String folder : folders) {
      Files.createDirectories(root.resolve(folder));
    }
    for (Map.Entry<String, byte[]> each : files.entrySet()) {
      Files.write(root.resolve(each.getKey()), each.getValue());
    }
  }

  /** Runs git, which must succeed, and returns its output. */
  public static String git(Path root, String... arguments) throws InterruptedException {
    CommandResult answer = new Git(root, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.sorted((one, other) -> other.compareTo(one)).toList()) {
        Files.delete(each);
      }
    }
  }
}

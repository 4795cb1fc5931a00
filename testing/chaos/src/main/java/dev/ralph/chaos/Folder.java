package dev.ralph.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.stream.Stream;

/** Copies and deletes folders with their content. */
final class Folder {

  private Folder() {}

  static void delete(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      paths
          .sorted(Comparator.reverseOrder())
          .forEach(
              path -> {
                try {
                  Files.delete(path);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }

  static void deleteIfThere(Path folder) throws IOException {
    if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      delete(folder);
    }
  }

  /** Copies a folder; links and pipes are copied as such. */
  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        Path copy = to.resolve(from.relativize(path).toString());
        if (Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
            .isOther()) {
          makePipe(copy);
        } else {
          Files.copy(path, copy, LinkOption.NOFOLLOW_LINKS);
        }
      }
    }
  }

  static void makePipe(Path path) throws IOException {
    try {
      new ProcessBuilder("mkfifo", path.toString()).start().waitFor();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}

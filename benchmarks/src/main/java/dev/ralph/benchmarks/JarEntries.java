package dev.ralph.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;

/** Copies parts of jars into a new jar. */
final class JarEntries {

  private JarEntries() {}

  /** Copies the entries with wanted names, in order. */
  static void copy(Path jar, Predicate<String> wanted, JarOutputStream out) throws IOException {
    try (JarFile source = new JarFile(jar.toFile())) {
      for (JarEntry entry : (Iterable<JarEntry>) source.stream()::iterator) {
        if (wanted.test(entry.getName())) {
          out.putNextEntry(new JarEntry(entry.getName()));
          try (InputStream content = source.getInputStream(entry)) {
            content.transferTo(out);
          }
        }
      }
    }
  }
}

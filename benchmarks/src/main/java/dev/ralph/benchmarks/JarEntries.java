package dev.ralph.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;

/** Makes a jar of parts of others. */
final class JarEntries {

  private JarEntries() {}

  /** Copies those entries of a jar whose names are wanted, in their order there. */
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

package dev.ralph;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A host program that depends only on the API compiles with all warnings enabled as errors.
 *
 * <p>The nullness annotations are not among a host's dependencies. The compiler accepts a missing
 * annotation, but warns if the annotation has a value. So public types must not use annotations
 * with values.
 */
class EmbedderCompilesTest {
  private static Path api;

  @TempDir Path output;

  @BeforeAll
  static void findTheApi() throws Exception {
    Path tests =
        Path.of(
            EmbedderCompilesTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    api = Files.createDirectories(tests.resolveSibling("classes"));
  }

  @Test
  void embedder_compilesWithoutWarnings() throws IOException {
    assertThat(diagnosticsOf("embedder.Embedder", resource("/embedder/Embedder.java"))).isEmpty();
  }

  @Test
  void publicTypes_causeNoWarnings() throws IOException {
    String namesThemAll =
        publicTypes().map(type -> type + ".class").collect(joining(", ", "{", "}"));

    assertThat(
            diagnosticsOf(
                "embedder.All",
                "package embedder; class All { Class<?>[] types = " + namesThemAll + "; }"))
        .isEmpty();
  }

  private List<String> diagnosticsOf(String className, String source) {
    DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
    List<String> options =
        List.of("-Xlint:all", "-Werror", "-cp", api.toString(), "-d", output.toString());
    boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(null, null, diagnostics, options, null, List.of(new Source(className, source)))
            .call();

    List<String> messages =
        diagnostics.getDiagnostics().stream().map(each -> each.toString()).toList();
    assertThat(compiled).as("compiler messages: %s", messages).isTrue();
    return messages;
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = EmbedderCompilesTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private static Stream<String> publicTypes() throws IOException {
    try (Stream<Path> files = Files.walk(api)) {
      return files
          .map(file -> api.relativize(file).toString())
          .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
          .map(file -> file.substring(0, file.length() - ".class".length()))
          .map(file -> file.replace('/', '.').replace('\\', '.'))
          .filter(EmbedderCompilesTest::isPublic)
          .map(type -> type.replace('$', '.'))
          .toList()
          .stream();
    }
  }

  private static boolean isPublic(String binaryName) {
    try {
      Class<?> type = Class.forName(binaryName, false, EmbedderCompilesTest.class.getClassLoader());
      for (Class<?> each = type; each != null; each = each.getEnclosingClass()) {
        if (!Modifier.isPublic(each.getModifiers())) {
          return false;
        }
      }
      return type.getCanonicalName() != null;
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String className, String text) {
      super(URI.create("string:///" + className.replace('.', '/') + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}

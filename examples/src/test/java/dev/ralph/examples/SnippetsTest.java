package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that the Java snippets of a page occur in a compiled and tested example. */
class SnippetsTest {

  private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @ParameterizedTest
  @CsvSource({
    "writing-a-store.md, examples, dev/ralph/examples/store, 4",
    "domains.md, examples, org/example/reservations, 4",
    "frameworks.md, frameworks/ralph-servlet, org/example, 2"
  })
  void snippets_occurInTheExample(String page, String module, String example, int least)
      throws IOException {
    List<String> sources = new ArrayList<>();
    for (String part : List.of("main", "test")) {
      Path folder =
          ProjectModules.ROOT.resolve(module).resolve(Path.of("src", part, "java", example));
      if (!Files.isDirectory(folder)) {
        continue; // some examples have no tests
      }
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          sources.add(Files.readString(file));
        }
      }
    }
    Matcher snippet = SNIPPET.matcher(Files.readString(Path.of("../docs", page)));
    int snippets = 0;
    while (snippet.find()) {
      snippets++;
      assertThat(sources).anyMatch(source -> source.contains(snippet.group(1)), snippet.group(1));
    }
    assertThat(snippets).isGreaterThanOrEqualTo(least);
  }
}

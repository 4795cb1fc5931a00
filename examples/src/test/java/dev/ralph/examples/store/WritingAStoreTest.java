package dev.ralph.examples.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What docs/writing-a-store.md shows stands in the example, which is compiled and tested. */
class WritingAStoreTest {

  private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @Test
  void everySnippetIsCodeOfTheExample() throws IOException {
    List<String> sources = new ArrayList<>();
    for (String part : List.of("main", "test")) {
      Path folder = Path.of("src", part, "java/dev/ralph/examples/store");
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          sources.add(Files.readString(file));
        }
      }
    }
    Matcher snippet = SNIPPET.matcher(Files.readString(Path.of("../docs/writing-a-store.md")));
    int snippets = 0;
    while (snippet.find()) {
      snippets++;
      assertThat(sources).anyMatch(source -> source.contains(snippet.group(1)), snippet.group(1));
    }
    assertThat(snippets).isGreaterThan(3);
  }
}

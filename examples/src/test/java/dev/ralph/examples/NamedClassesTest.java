package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that the pages name each module and that each row of the security page names its tests.
 */
class NamedClassesTest {

  private static final Pattern CLASS = Pattern.compile("`([A-Z][A-Za-z]+)`");
  private static final Pattern MODULE =
      Pattern.compile("(?m)^\\| (`[a-z0-9-]+`(?:, `[a-z0-9-]+`)*) \\|");

  @Test
  void securityPage_namesTestsPerRow() throws IOException {
    String page = Files.readString(ProjectModules.ROOT.resolve("docs/security.md"));

    Set<String> tests = new TreeSet<>();
    int rows = 0;
    for (String line : page.lines().toList()) {
      if (line.startsWith("| ") && !line.endsWith("| test |")) {
        String last = line.substring(line.lastIndexOf('|', line.length() - 2));
        assertThat(last).as(line).matches("\\|( `\\w+(Test|IT)`,?)+ \\|");
        tests.addAll(names(CLASS.matcher(last)));
        rows++;
      }
    }
    assertThat(rows).isGreaterThan(15);
    assertThat(sources()).containsAll(tests);
  }

  @Test
  void architecturePage_namesEveryModule() throws IOException {
    String page = Files.readString(ProjectModules.ROOT.resolve("docs/architecture.md"));

    Set<String> modules = new TreeSet<>();
    Matcher row = MODULE.matcher(page);
    while (row.find()) {
      modules.addAll(Set.of(row.group(1).replace("`", "").split(", ")));
    }
    Set<String> expected = new TreeSet<>();
    for (Path module : ProjectModules.withCode()) {
      expected.add(module.getFileName().toString());
    }
    assertThat(modules).containsExactlyInAnyOrderElementsOf(expected);
  }

  private static Set<String> names(Matcher matcher) {
    Set<String> names = new TreeSet<>();
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }

  private static Set<String> sources() throws IOException {
    Set<String> names = new TreeSet<>();
    for (Path module : ProjectModules.withCode()) {
      for (String part : Set.of("main", "test")) {
        Path folder = module.resolve("src/" + part + "/java");
        if (!Files.isDirectory(folder)) {
          continue;
        }
        try (Stream<Path> files = Files.walk(folder)) {
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".java"))
              .forEach(name -> names.add(name.substring(0, name.length() - 5)));
        }
      }
    }
    return names;
  }
}

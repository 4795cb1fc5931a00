package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.cli.Option;
import org.junit.jupiter.api.Test;

/** Compares the options that the code reads by name with the options of all commands. */
class OptionNamesTest {

  private static final Pattern READ =
      Pattern.compile(
          "(?:arguments(?:\\(\\))?|given|call)\\s*\\.(?:has|text|textIfAny|values|number|duration"
              + "|deadline|past|priority|required|written)\\(\\s*\"([a-z-]*[a-z])\"");

  private static final Pattern DECLARED =
      Pattern.compile("(?:flag|value|values|passedOn)\\(\\s*(?:\"[a-z]\",\\s*)?\"[^\"]+\",");

  private static String sources() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .map(OptionNamesTest::read)
          .collect(Collectors.joining("\n"));
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Set<String> options() {
    Set<String> names = new TreeSet<>();
    for (String command : Commands.NAMES) {
      for (Option option : Objects.requireNonNull(Commands.create(command)).syntax().inOrder()) {
        names.add(option.getLongOpt());
      }
    }
    return names;
  }

  @Test
  void readOptions_exist() throws Exception {
    Matcher reads = READ.matcher(sources());
    Set<String> names = new TreeSet<>();
    while (reads.find()) {
      names.add(reads.group(1));
    }

    assertThat(names).hasSizeGreaterThan(80);
    assertThat(options()).containsAll(names);
  }

  @Test
  void options_areRead() throws Exception {
    String others = DECLARED.matcher(sources()).replaceAll("");

    assertThat(options())
        .filteredOn(name -> !name.startsWith("on-")) // Hooks appends the kind of an event
        .allMatch(name -> others.contains("\"" + name + "\""));
  }
}

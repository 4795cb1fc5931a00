package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Only one class starts git, because it decides which variables and settings git sees. */
class GitStartTest {

  private static final Path GATEWAY =
      ProjectModules.ROOT.resolve(
          "ralph-core/src/main/java/dev/ralph/core/internal/process/Git.java");

  /** A Git command line that is printed for a user. */
  private static final Pattern PRINTED =
      Pattern.compile(
          "CommandLineWords\\.join\\(\\s*(?:new\\s+ArrayList<>\\(\\s*)?List\\.of\\(\\s*\"git\"");

  /** The program git as the first word of a command, or a shell command that begins with it. */
  private static final Pattern STARTED =
      Pattern.compile(
          "(?:List\\.of|asList|command|run|exec|start|ProcessBuilder|\\{)\\s*\\(?\\s*\"git(?:\"|\\s)"
              + "|\"-c\",\\s*\"git\\s");

  @Test
  void git_startsInSingleClass() throws IOException {
    assertThat(starts(Files.readString(GATEWAY))).isTrue();
    List<Path> others = new ArrayList<>();
    for (Path source : sources()) {
      if (!source.equals(GATEWAY) && starts(Files.readString(source))) {
        others.add(source);
      }
    }
    assertThat(others).as("sources that bypass %s", GATEWAY.getFileName()).isEmpty();
  }

  @Test
  void forbiddenStarts_areFound() {
    assertThat(
            Stream.of(
                "new ProcessBuilder(\"git\", \"status\")",
                "new ProcessBuilder(List.of(\n    \"git\", \"status\"))",
                "ProcessSpec.command(\"git\", \"status\")",
                "Runtime.getRuntime().exec(\"git status\")",
                "String[] command = {\"git\", \"status\"};",
                "new ArrayList<>(List.of(\"git\", \"-C\"))",
                "command(\"sh\", \"-c\", \"git status\")"))
        .allMatch(GitStartTest::starts);
    assertThat(starts("CommandLineWords.join(\n  List.of(\"git\", \"merge\"))")).isFalse();
  }

  private static boolean starts(String source) {
    return STARTED.matcher(PRINTED.matcher(source).replaceAll("")).find();
  }

  /** Returns the sources of all modules, including frameworks and developer programs. */
  private static List<Path> sources() throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path module : ProjectModules.withCode()) {
      try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
        files.filter(file -> file.toString().endsWith(".java")).forEach(found::add);
      }
    }
    assertThat(found).contains(GATEWAY);
    return found;
  }
}

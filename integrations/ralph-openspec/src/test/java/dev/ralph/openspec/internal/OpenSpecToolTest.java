package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.ralph.log.Meta;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** OpenSpec's own tool accepts the fixtures, and counts the same tasks as this module. */
@Tag("clients")
@Timeout(600)
class OpenSpecToolTest {

  private static final int MUTATIONS = 400;

  /** Beginnings of lines, of which only some are tasks. */
  private static final List<String> LINES =
      Stream.of(
              TaskLines.COUNTED,
              TaskLines.OTHERS,
              List.of(
                  "> - [ ] a",
                  "- [\u2028] a",
                  "```\n- [ ] a\n```",
                  "<!-- - [ ] a -->",
                  "- [x] a\r"))
          .flatMap(List::stream)
          .toList();

  @TempDir Path folder;
  private Path changes;
  private String program;

  @BeforeEach
  void makeAProject() throws IOException {
    changes = Files.createDirectories(folder.resolve(Change.FOLDER));
    program =
        Optional.ofNullable(System.getProperty("RALPH_OPENSPEC"))
            .orElse(System.getenv("RALPH_OPENSPEC"));
    if (program == null || !Files.isExecutable(Path.of(program))) {
      fail(
          "This test needs a program: npm install @fission-ai/openspec@1.13.2, then set"
              + " RALPH_OPENSPEC, now "
              + program
              + ", to node_modules/.bin/openspec");
    }
  }

  private Meta openspec(String... words) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(program);
    builder.command().addAll(List.of(words));
    builder.environment().put("OPENSPEC_TELEMETRY", "0");
    builder.environment().put("DO_NOT_TRACK", "1");
    builder.environment().put("HOME", folder.toString());
    Path said = folder.resolve("said");
    Process process =
        builder
            .directory(folder.toFile())
            .redirectOutput(said.toFile())
            .redirectError(folder.resolve("errors").toFile())
            .start();
    int code = process.waitFor();
    String text = Files.readString(said);
    assertThat(code).as(text + Files.readString(folder.resolve("errors"))).isZero();
    return Meta.parse(text);
  }

  @Test
  void fixtures_areValidForOpenSpec() throws Exception {
    Path fixtures = Path.of("src/test/resources/project");
    try (Stream<Path> files = Files.walk(fixtures)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path copy = folder.resolve(fixtures.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
    Meta answer = openspec("validate", "--changes", "--strict", "--json");

    Meta totals = Optional.ofNullable(answer.object("summary")).orElseThrow().object("totals");
    assertThat(totals).isNotNull();
    assertThat(totals.json())
        .contains("\"failed\":0")
        .contains("\"passed\":" + Change.names(folder).size());
    Change change = Change.read(folder, "add-login");
    assertThat(change.problems()).isEmpty();
    assertThat(change.stories()).hasSize(3);
    theCountsAreTheSame();
  }

  @Test
  void taskCount_matchesOpenSpec() throws Exception {
    for (int i = 0; i < LINES.size(); i++) {
      String text = "## 1. A\n" + LINES.get(i) + "\n- [x] 1.9 z\n";
      write("line-" + i, text.getBytes(StandardCharsets.UTF_8));
    }
    theCountsAreTheSame();
  }

  @Test
  void taskCountOfMutatedFiles_matchesOpenSpec() throws Exception {
    Mutations mutations = new Mutations(Long.getLong("openspec.seed", 1));
    for (int i = 0; i < MUTATIONS; i++) {
      write("mutation-" + i, mutations.next());
    }
    theCountsAreTheSame();
  }

  private void write(String name, byte[] tasks) throws IOException {
    Path change = Files.createDirectories(changes.resolve(name));
    Files.write(change.resolve(TaskFile.NAME), tasks);
  }

  private void theCountsAreTheSame() throws Exception {
    Map<String, String> theirs = new TreeMap<>();
    for (Meta each : openspec("list", "--json").objects("changes")) {
      theirs.put(
          String.valueOf(each.string("name")),
          each.integer("completedTasks").orElseThrow()
              + " of "
              + each.integer("totalTasks").orElseThrow());
    }
    Map<String, String> ours = new TreeMap<>();
    for (String name : Change.names(folder)) {
      int done = 0;
      int all = 0;
      for (Story story : Change.read(folder, name).stories()) {
        done += story.done();
        all += story.tasks().size();
      }
      ours.put(name, done + " of " + all);
    }
    assertThat(ours).isNotEmpty().isEqualTo(theirs);
  }
}

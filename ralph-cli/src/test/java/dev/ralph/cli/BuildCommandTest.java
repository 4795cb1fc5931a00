package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.cli.Terminal.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ralph build} with agents that are real processes. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BuildCommandTest {

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void writeASpec() throws IOException {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    Files.createDirectory(folder.resolve("specs"));
    Files.writeString(folder.resolve("specs/SPEC.md"), "# A spec\n");
  }

  private Result build(String agent, String... more) {
    List<String> words = new ArrayList<>(List.of("build", "--agent", agent));
    words.addAll(List.of(more));
    return terminal.call(words.toArray(new String[0]));
  }

  @Test
  void plainLinesTellHowItGoes() {
    Result result = build("echo 'hello  there' \"you\"", "-i", "2");

    assertThat(result.code()).isEqualTo(3);
    assertThat(result.out())
        .isEqualTo(
            """
            auth - Iteration #1...
              hello  there you
            Done!

            auth - Iteration #2...
              hello  there you
            Done!

            auth: loop ended: max_iterations after 2 iterations
            """);
    assertThat(result.err())
        .isEqualTo("ralph: made the store " + folder.resolve(".ralph/store") + "\n");
    assertThat(terminal.call("iterations", "--transcript", "2").out()).contains("hello  there you");
  }

  @Test
  void aCompletedSessionEndsWell() {
    terminal.call("task", "add", "--create", "one");
    terminal.call("task", "done", "t1");
    terminal.call("complete");

    Result result = build("true", "--gate", "test -f specs/SPEC.md");

    assertThat(result.code()).as(result.out()).isZero();
    assertThat(result.out()).contains("gate passed", "completed");
  }

  @Test
  void failuresEndIt() {
    Result result = build("false", "--max-failures", "1");

    assertThat(result.code()).isEqualTo(5);
    assertThat(result.out()).contains("Failed: failure", "exit code 1");
  }

  @Test
  void anAgentThatIsNotThereEndsIt() {
    assertThat(build("no-such-program-at-all").code()).isEqualTo(5);
  }

  @Test
  void theTimeLimitEndsIt() {
    Result result = build("sleep 600", "--time-limit", "300ms");

    assertThat(result.code()).isEqualTo(4);
  }

  @Test
  void anIterationHasALimitOfItsOwn() {
    Result result = build("sleep 600", "--timeout", "300ms", "--max-failures", "1");

    assertThat(result.code()).isEqualTo(5);
    assertThat(terminal.call("iterations").out()).contains("#1 timeout");
  }

  @Test
  void anOrderStopsIt() throws Exception {
    CompletableFuture<Result> loop = CompletableFuture.supplyAsync(() -> build("sleep 1"));
    while (!terminal.call("status", "--json").out().contains("\"state\":\"running\"")) {
      Thread.onSpinWait();
    }
    Result second = build("true");
    assertThat(second.code()).as("two loops on one session").isEqualTo(1);
    assertThat(second.err()).startsWith("ralph: ").hasLineCount(1);
    assertThat(terminal.call("stop").out()).startsWith("Stop ordered");

    assertThat(loop.get().code()).isZero();
  }

  @Test
  void eventsAreLinesOfJson() throws IOException {
    Result result = build("echo hi", "-i", "1", "--json");

    List<String> types = new ArrayList<>();
    for (String line : result.out().lines().toList()) {
      JsonNode event = new ObjectMapper().readTree(line);
      assertThat(event.get("v").asInt()).isEqualTo(1);
      assertThat(event.get("kind").asText()).isEqualTo("event");
      types.add(event.get("type").asText());
    }
    assertThat(types)
        .containsExactly(
            "loop_started", "iteration_started", "output", "iteration_ended", "loop_ended");
  }

  @Test
  void quietLeavesOutWhatTheAgentPrints() {
    assertThat(build("echo secret", "-i", "1", "--quiet").out())
        .contains("Done!")
        .doesNotContain("secret");
  }

  @Test
  void aPersonSeesTimeAndTasks() {
    terminal.call("task", "add", "--create", "one");
    terminal.call("task", "add", "two");
    terminal.call("task", "done", "t1");

    terminal.terminals("012");

    assertThat(build("true", "-i", "1").out())
        .containsPattern("Iteration #1\\.\\.\\. \\d+\\.\\ds, 1 of 2 tasks done");
  }

  @Test
  void theAgentReadsThePromptFromItsInput() {
    assertThat(build("cat", "-i", "1", "--prompt", "Only {{session}}").out()).contains("Only auth");
    assertThat(build("cat", "-i", "1").out())
        .contains(
            folder.resolve("specs/SPEC.md").toString(), "'" + folder.resolve("ralph") + "' tasks");
  }

  @Test
  void pipedTextIsThePrompt() {
    Result result = terminal.pipe("Piped {{session}}\n", "build", "--agent", "cat", "-i", "1");
    assertThat(result.out()).contains("  Piped auth\n");
    Result empty = terminal.pipe("", "build", "--agent", "cat", "-i", "1");
    assertThat(empty.out()).contains("## Instructions");
  }

  @Test
  void pipedTextGoesIntoTheTemplateThatIsNamed() throws IOException {
    Files.writeString(folder.resolve("t"), "first {{ extra }} last {{inbox}}\n");
    String[] build = {"build", "--dry-run", "--template", "t"};

    assertThat(terminal.pipe("piped\n", build).out()).startsWith("first piped last");
    assertThat(terminal.pipe("", build).out()).startsWith("first  last");
    Files.writeString(folder.resolve("t"), "only {{session}} {{inbox}}\n");
    assertThat(terminal.pipe("piped {{tasks}}\n", build).out())
        .startsWith("only auth")
        .endsWith("\npiped {{tasks}}\n");
    assertThat(
            terminal
                .pipe("piped", "build", "--dry-run", "--template", "t", "--extra", "given")
                .out())
        .endsWith("\ngiven\n\npiped\n");
  }

  @Test
  void aTemplateIsFound() throws IOException {
    Files.writeString(folder.resolve(".ralph.template"), "own {{iteration}} {{inbox}}");
    assertThat(build("cat", "-i", "1").out()).contains("own 1");
    Files.writeString(folder.resolve("t"), "named {{extra}} {{inbox}}");
    assertThat(build("cat", "-i", "1", "--template", "t", "--extra", "more").out())
        .contains("named more");
    Result unknown = build("cat", "--template", "nowhere");
    assertThat(unknown.code()).isEqualTo(1);
    Files.writeString(folder.resolve("t"), "{{nonsense}}");
    Result wrong = build("cat", "--template", "t");
    assertThat(wrong.code()).isEqualTo(1);
    assertThat(wrong.err()).contains("nonsense").hasLineCount(1);
  }

  @Test
  void aDryRunShowsThePromptAndMakesNothing() {
    Result result = build("cat", "--dry-run");

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .contains("- Iteration: 1", "- Store: " + folder.resolve(".ralph/store"), "No tasks yet");
    assertThat(folder.resolve(".ralph")).doesNotExist();

    terminal.call("task", "add", "--create", "one");
    String before = terminal.call("log").out();
    assertThat(build("cat", "--dry-run").out()).contains("one");
    assertThat(terminal.call("log").out()).isEqualTo(before);
  }

  @Test
  void theSpecMustBeThereUnlessThePromptSaysAll() throws IOException {
    Files.delete(folder.resolve("specs/SPEC.md"));

    Result result = build("cat");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("specs/SPEC.md", "--spec", "--prompt").hasLineCount(1);
    assertThat(folder.resolve(".ralph")).doesNotExist();
    assertThat(build("cat", "-i", "1", "--prompt", "do it").code()).isEqualTo(3);
  }

  @Test
  void anAgentsCommandLineMustBeWhole() {
    Result result = build("agent 'not closed");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("a single quote is not closed").hasLineCount(1);
  }
}

package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.core.CommandAgent;
import dev.ralph.core.RepositoryTemplate;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.core.internal.process.TurnVariables;
import dev.ralph.log.RalphException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The environment of agents that are shell scripts, in work trees of a real repository. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(300)
class LoopVariablesTest extends LoopFixture {

  private static final RepositoryTemplate REPOSITORY =
      RepositoryTemplate.of("begin", "all.txt", "first\n");

  /** Prints the variables, the sizes of the text and the file in bytes, and the changed files. */
  private static final String SCRIPT =
      """
      cat >/dev/null
      for name in TASK ATTEMPT ITERATION BRANCH AGENT; do
        eval "echo $name=\\${RALPH_$name-unset}"
      done
      printf 'text='; printf %s "$RALPH_TASK_TEXT" | wc -c
      printf 'file='; test -z "$RALPH_TASK_FILE" || wc -c <"$RALPH_TASK_FILE"
      echo
      echo "path=$RALPH_TASK_FILE"
      git status --porcelain --untracked-files=all
      """;

  private final List<String> seen = new CopyOnWriteArrayList<>();

  @BeforeEach
  void repository() throws Exception {
    REPOSITORY.copyTo(folder);
  }

  /** Runs the script for a turn, and completes the turn's task if it has one. */
  private AgentResult run(Turn turn) throws Exception {
    AgentResult result = CommandAgent.of("sh", "-c", SCRIPT).run(turn);
    Iteration iteration = turn.session().iterations().list().get(turn.iteration() - 1);
    if (iteration.task() != null) {
      turn.session().tasks().complete(iteration.task());
    }
    return result;
  }

  private Loop.Builder several() {
    return loop(this::run)
        .agents(2)
        .maxIterations(1)
        .onEvent(
            event -> {
              if (event.type() == LoopEvent.Type.OUTPUT) {
                seen.addAll(event.message().lines().map(String::strip).toList());
              }
            });
  }

  private Path path() {
    return Path.of(
        seen.stream()
            .filter(line -> line.startsWith("path="))
            .findFirst()
            .orElseThrow()
            .substring("path=".length()));
  }

  @Test
  void worker_hasEveryVariable() {
    Task done = session.tasks().add("Write the form");
    session.tasks().complete(done.id());
    session.tasks().add("Write the login: äöü");

    several().run();

    assertThat(seen)
        .contains(
            "TASK=t2",
            "ATTEMPT=1",
            "ITERATION=1",
            "BRANCH=ralph/s.t2",
            "AGENT=1",
            "text=23",
            "file=23")
        .noneMatch(line -> line.startsWith("??"));
    assertThat(path()).isAbsolute().doesNotExist();
    assertThat(path().getParent()).doesNotExist();
  }

  @Test
  void loneAgent_hasIterationAndBranch() {
    session.tasks().add("Write the form");

    loop(this::run)
        .maxIterations(1)
        .onEvent(event -> seen.addAll(event.message().lines().toList()))
        .run();

    assertThat(seen)
        .contains(
            "TASK=unset", "ATTEMPT=unset", "ITERATION=1", "BRANCH=main", "AGENT=unset", "path=");
  }

  @Test
  void workerWithoutTask_hasNoTaskVariables() {
    several().prompt("Make tasks").run();

    assertThat(seen)
        .contains(
            "TASK=unset", "ATTEMPT=unset", "ITERATION=1", "BRANCH=ralph/s.t0", "AGENT=1", "path=");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "ä", "€", "\ud83d\ude00", "a\0", "'\"$(exit 1)`"})
  void longTask_worksEndToEnd(String piece) {
    String text = piece.repeat(200_000 / piece.length());
    Task task = session.tasks().add(text);

    LoopResult result = several().maxIterations(2).doneWhen(now -> true).run();

    assertThat(result.reason()).as(result.detail()).isEqualTo(StopReason.COMPLETED);
    assertThat(session.iterations().list().get(0).status()).isEqualTo(Iteration.Status.SUCCESS);
    int bytes = session.tasks().get(task.id()).content().getBytes(StandardCharsets.UTF_8).length;
    assertThat(seen).contains("file=" + bytes);
    assertThat(prompts.get(0)).contains(text);
    int size =
        seen.stream()
            .filter(line -> line.startsWith("text="))
            .mapToInt(line -> Integer.parseInt(line.substring("text=".length()).strip()))
            .findFirst()
            .orElseThrow();
    assertThat(size).isBetween(8 * 1024 - 4, 8 * 1024);
  }

  @Test
  void boundedText_isCutBetweenCharacters() {
    assertThat(TurnVariables.bounded("a" + "\ud83d\ude00".repeat(4_000)))
        .isEqualTo("a" + "\ud83d\ude00".repeat(2_047));
    assertThat(TurnVariables.bounded("\0a\ud83db\ude00")).isEqualTo("?a?b?");
    assertThat(TurnVariables.bounded("\ud83d".repeat(10_000))).isEqualTo("?".repeat(8_192));
    assertThat(TurnVariables.bounded("")).isEmpty();
  }

  @Test
  void hostVariables_doNotReplaceTheTask() {
    session.tasks().add("Write the form");

    several().variable("RALPH_TASK", "t99").variable("RALPH_BRANCH", "main").run();

    assertThat(seen).contains("TASK=t1", "BRANCH=ralph/s.t1");
  }

  @Test
  void variablesOfOuterLoop_areNotInherited() throws Exception {
    Map<String, String> turn = Map.of("RALPH_SESSION", "s");
    ProcessSpec.Builder spec = ProcessSpec.command("env");
    for (String name : List.of("TASK", "TASK_TEXT", "TASK_FILE", "ATTEMPT", "BRANCH", "AGENT")) {
      spec.environment("RALPH_" + name, "outer");
    }
    TurnVariables.addTo(spec, turn);

    String printed = spec.run(Duration.ofMinutes(1), Duration.ofSeconds(5), 100_000).output();

    assertThat(printed).contains("RALPH_SESSION=s").doesNotContain("outer");
  }

  @Test
  void longHostVariable_isRefused() {
    assertThatThrownBy(() -> several().variable("LONG", "x".repeat(128 * 1024)))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("LONG")
        .hasMessageContaining("file");
  }
}

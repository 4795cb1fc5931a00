package dev.ralph.cli.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages of task commands for a user who does not know the rules. */
class TaskCommandsTest {

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void addTwoTasks() {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    done("task", "add", "one");
    done("task", "add", "two", "--depends", "t1");
  }

  private Result done(String... words) {
    Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result;
  }

  @Test
  void dependencies_areListedWithTask() {
    assertThat(done("tasks").out()).endsWith("two (waits for t1)\n");
    for (int i = 3; i <= 9; i++) {
      done("task", "add", "more");
      done("task", "depend", "t2", "t" + i);
    }
    assertThat(done("tasks", "--limit", "2").out())
        .contains("two (waits for t1, t3, t4, t5, t6 and 3 more)\n");
    assertThat(done("task", "done", "t1").out()).endsWith("one\n");
    assertThat(done("tasks", "--limit", "2").out()).contains("(waits for t3, t4, t5, t6, t7 and");
  }

  @ParameterizedTest
  @ValueSource(strings = {"task cancel t1", "task status t1 cancelled"})
  void cancelledTask_releasesDependentsWithWarning(String command) {
    Result result = done(command.split(" "));

    assertThat(result.err())
        .isEqualTo("ralph: warning: t1 is cancelled, so t2 no longer waits for this task\n");
    assertThat(done("tasks", "--ready").out()).startsWith("t2 ").hasLineCount(1);
    assertThat(done("task", "status", "t1", "remaining").err()).isEmpty();
    assertThat(done("tasks", "--ready").out()).startsWith("t1 ").hasLineCount(1);
  }

  @Test
  void noReadyTask_isExplained() {
    done("task", "add", "three");
    done("task", "block", "t1", "waits for a key");
    done("task", "claim", "t3", "--owner", "ann");

    String why = done("tasks", "--ready").line();
    assertThat(why)
        .startsWith("No task is ready: t2 waits for t1; t3 is claimed by ann until 20")
        .endsWith("; t1 is blocked (waits for a key)");
    assertThat(terminal.call("task", "claim", "--next", "--owner", "bob").err())
        .isEqualTo("ralph: n" + why.substring(1) + "\n");
    done("task", "cancel", "t1", "t2", "t3");
    assertThat(done("tasks", "--ready").line())
        .isEqualTo("No task is ready: all are completed or cancelled");
  }

  @Test
  void removingMissingDependency_isReported() {
    assertThat(done("task", "undepend", "t1", "t2").err())
        .isEqualTo("ralph: t1 did not wait for t2\n");
    assertThat(done("task", "undepend", "t2", "t1").err()).isEmpty();
  }

  @Test
  void severalTasks_areCompletedTogether() {
    assertThat(done("task", "done", "t1", "t2").out())
        .containsPattern("t1 .* completed +one\nt2 .* completed +two\n");
    done("task", "add", "three");
    done("task", "add", "four");
    assertThat(done("task", "cancel", "t3", "t4", "--reason", "too late", "--json").out())
        .startsWith("{\"v\":1,\"kind\":\"tasks\",\"tasks\":[{\"ref\":\"t3\"")
        .contains("\"status\":\"cancelled\"", "\"reason\":\"too late\"");
    assertThat(terminal.call("task", "done", "t3", "t4", "--token", "x").code()).isEqualTo(2);
  }

  @Test
  void unknownTask_changesNoneOfSeveral() {
    assertThat(terminal.call("task", "done", "t1", "t9").code()).isEqualTo(1);
    assertThat(done("tasks", "--open").out()).hasLineCount(2);
  }

  @Test
  void severalMessages_areReadTogether() {
    done("message", "hello");
    done("message", "again");
    assertThat(terminal.call("inbox", "read", "m1", "m9").code()).isEqualTo(1);
    assertThat(done("inbox").out()).hasLineCount(2);
    assertThat(done("inbox", "read", "m1", "m2").out()).hasLineCount(2);
    assertThat(done("inbox").line()).isEqualTo("No unread messages");
  }

  @Test
  void touchedPaths_separateConcurrentTasks() {
    done("task", "add", "three", "--touches", "src/a/**", "--touches", "README.md");
    done("task", "add", "four", "--touches", "README.md");
    done("task", "claim", "t3", "--owner", "ann");
    done("task", "done", "t1", "t2");
    assertThat(done("tasks", "--ready").line()).endsWith("; t4 touches files of a claimed task");
    assertThat(done("task", "show", "t3").out())
        .contains("  touches   src/a/**\n  touches   README.md\n");
    assertThat(done("task", "edit", "t4", "--touches", "docs", "--json").out())
        .contains("\"touches\":[\"docs\"]");
    assertThat(done("tasks", "--ready").out()).startsWith("t4 ").hasLineCount(1);
    assertThat(terminal.call("task", "add", "five", "--touches", "../x").err())
        .contains("within the repository");
  }

  /** Appends a frame, as a loop with several agents does. */
  private String frame(String kind, Meta meta) {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      Draft draft = Draft.of(Topic.of("ralph.auth." + kind), meta, "");
      Batch batch = Batch.of(UUID.randomUUID().toString(), List.of(draft));
      return ralph.log().append(batch).frames().get(0).id();
    }
  }

  private String id(String ref) {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      return ralph.session("auth").tasks().get(ref).id();
    }
  }

  /** Assigns a task to agent 2 for an iteration, and returns the token of the claim. */
  private String give(String ref, int iteration) {
    Meta claim = Meta.of("action", "claim").with("id", id(ref)).with("owner", "agent-2");
    String until = Instant.now().plusSeconds(600).toString();
    String token =
        frame(
            "task",
            claim
                .with("until", until)
                .with("iteration", iteration)
                .with("branch", "ralph/auth." + ref));
    Meta start = Meta.of("action", "start").with("n", iteration).with("agent", 2);
    frame("iteration", start.with("task", id(ref)));
    return token;
  }

  @Test
  void workerOfTeam_completesOnlyOwnAssignment() {
    done("task", "add", "three");
    String token = give("t1", 1);
    terminal.with("RALPH_AGENT", "2");

    assertThat(terminal.call("task", "done", "t3").err()).contains("t3 three is not your task");
    assertThat(terminal.call("task", "claim", "--next", "--owner", "me").out()).contains("t1 ");
    assertThat(done("task", "done", "t1").out()).contains("completed").contains("(not merged yet)");
    assertThat(done("tasks").out()).contains("two (waits for t1)");
    assertThat(done("task", "show", "t1").out())
        .contains("  changed   in iteration 1\n  branch    ralph/auth.t1, not merged yet\n");
    assertThat(done("task", "show", "t1", "--json").out())
        .contains("\"branch\":\"ralph/auth.t1\",\"settled\":false,\"merged\":false");

    frame(
        "task",
        Meta.of("action", "landed")
            .with("id", id("t1"))
            .with("claim", token)
            .with("commit", "0123456789abcdef"));
    assertThat(done("tasks").out()).contains("one (merged as 012345678)").doesNotContain("waits");
    assertThat(done("task", "show", "t1").out()).contains(" as 0123456789abcdef\n");
    assertThat(done("task", "show", "t1", "--json").out())
        .contains("\"settled\":true,\"merged\":true,\"merged_at\":\"20")
        .contains("\"commit\":\"0123456789abcdef\"");
    assertThat(done("iterations").out()).contains("#1 agent 2 t1 interrupted");
    assertThat(done("iterations", "--json").out()).contains("\"agent\":2,\"task\":\"t1\"");
  }

  @Test
  void workerWithEndedIteration_isRefused() {
    give("t1", 1);
    frame("iteration", Meta.of("action", "complete").with("n", 1).with("status", "success"));
    terminal.with("RALPH_AGENT", "2");
    assertThat(terminal.call("task", "done", "t1").err())
        .contains("no iteration of agent 2 of session auth runs");
    assertThat(done("tasks").out()).contains("one");
    terminal.with("RALPH_AGENT", "two");
    assertThat(terminal.call("task", "done", "t1"))
        .satisfies(
            refused -> {
              assertThat(refused.code()).isEqualTo(2);
              assertThat(refused.err()).contains("RALPH_AGENT must be the number of an agent");
            });
    terminal.with("RALPH_AGENT", "2").with("RALPH_SESSION", "other");
    assertThat(terminal.call("task", "done", "-n", "auth", "t1").code())
        .as("a session of another loop")
        .isZero();
  }

  @Test
  void completionOutsideLoop_isAttributedToUser() {
    terminal.with("USER", "ann");
    done("task", "done", "t1");
    assertThat(done("log").out()).doesNotContain("ann");
    terminal.with("RALPH_SESSION", "other");
    done("task", "done", "-n", "auth", "t2");
    assertThat(done("log", "-n", "auth").out()).contains("ann");
  }

  @Test
  void returnedTask_showsReasonShortAndWhole() {
    done("task", "status", "t1", "remaining", "--reason", "conflict in README.md\n<<<<<<< ours");
    assertThat(done("tasks").out()).contains("one (conflict in README.md …)");
    assertThat(done("task", "show", "t1").out())
        .contains("  reason    conflict in README.md\n    <<<<<<< ours\n");
  }
}

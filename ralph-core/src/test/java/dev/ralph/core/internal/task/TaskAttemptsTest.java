package dev.ralph.core.internal.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Claim;
import dev.ralph.NewTask;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.Task.Status;
import dev.ralph.TaskEdit;
import dev.ralph.core.internal.view.Replay;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Counting the failed attempts of a task, as pure functions. */
class TaskAttemptsTest {

  private static final Instant NOW = Replay.NOW;
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Topic TOPIC = Topic.of("ralph.test.task");

  private final TaskDecider decider = new TaskDecider(TOPIC);
  private final Replay<?, Tasks> log = Replay.reading(TaskFold::new);

  private void add(String text) {
    log.append(decider.add(log.state(), NewTask.of(text)));
  }

  private Claim claim() {
    return log.append(
            decider.claimNext(
                log.state(), "agent-1", HOUR, 1, task -> "ralph/s.t" + task.number(), NOW))
        .orElseThrow();
  }

  private Claim completed() {
    Claim claim = claim();
    status(StatusChange.to(Status.COMPLETED).under(claim.token()), false, claim.taskId());
    return claim;
  }

  private Task status(StatusChange change, boolean byWorker, String ref) {
    return log.append(decider.status(log.state(), ref, change, byWorker, NOW));
  }

  private Task fail(int limit) {
    Claim claim = completed();
    return log.append(
        decider.failAttempt(log.state(), claim.taskId(), claim.token(), "gate failed", limit));
  }

  private void append(Meta meta) {
    log.append(Decision.append(Draft.of(TOPIC, meta), after -> after));
  }

  private Task task() {
    return log.state().get("t1");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, remaining",
    "0, 9, remaining",
    "1, 1, blocked",
    "5, 4, remaining",
    "5, 5, blocked"
  })
  void failures_blockAtLimit(int limit, int failures, String status) {
    add("a");
    for (int i = 0; i < failures; i++) {
      fail(limit);
    }
    assertThat(task().attempts()).isEqualTo(failures);
    assertThat(task().attemptLimit()).isEqualTo(limit);
    assertThat(task().status().word()).isEqualTo(status);
    assertThat(task().reason()).isEqualTo("gate failed");
    assertThat(task().isOutOfAttempts()).isEqualTo(status.equals("blocked"));
  }

  @Test
  void returnWithoutFault_isNotCounted() {
    add("a");
    fail(5);
    Claim claim = completed();
    Task again =
        log.append(decider.reopen(log.state(), claim.taskId(), claim.token(), "the base is red"));
    assertThat(again.attempts()).isEqualTo(1);
    assertThat(again.status()).isEqualTo(Status.REMAINING);
    assertThat(again.reason()).isEqualTo("the base is red");
  }

  @Test
  void releasedClaim_isNotCounted() {
    add("a");
    fail(5);
    claim();
    log.append(decider.endIterations(log.state(), number -> true));
    assertThat(task().attempts()).isEqualTo(1);
  }

  @Test
  void conflictWithNewerMerge_isNotCounted() {
    add("a");
    add("b");
    Claim first = completed();
    Claim second = completed();
    log.append(decider.merged(log.state(), first.taskId(), first.token(), "c0ffee"));
    Task task =
        log.append(decider.failMerge(log.state(), second.taskId(), second.token(), "conflict", 5));
    assertThat(task.attempts()).isZero();
    assertThat(task.reason()).isEqualTo("conflict");
  }

  @Test
  void conflictWithOlderMerge_isCounted() {
    add("a");
    add("b");
    Claim first = completed();
    log.append(decider.merged(log.state(), first.taskId(), first.token(), "c0ffee"));
    Claim second = completed();
    Task task =
        log.append(decider.failMerge(log.state(), second.taskId(), second.token(), "conflict", 5));
    assertThat(task.attempts()).isEqualTo(1);
  }

  @Test
  void mergeWithoutChanges_movesNoBranch() {
    add("a");
    add("b");
    Claim first = completed();
    Claim second = completed();
    log.append(decider.merged(log.state(), first.taskId(), first.token(), null));
    Task task =
        log.append(decider.failMerge(log.state(), second.taskId(), second.token(), "conflict", 5));
    assertThat(task.attempts()).isEqualTo(1);
  }

  @Test
  void conflictAfterTestedCompletion_isNotCounted() {
    add("a");
    Claim claim = claim();
    append(
        Meta.of("action", "status")
            .with("id", claim.taskId())
            .with("status", "completed")
            .with("claim", claim.token())
            .with("onto", "c0ffee"));
    Task task =
        log.append(decider.failMerge(log.state(), claim.taskId(), claim.token(), "conflict", 5));
    assertThat(task.attempts()).isZero();
  }

  @Test
  void refusedCompletion_isCountedAtItsEnd() {
    add("a");
    Claim claim = claim();
    log.append(decider.refuse(log.state(), claim.taskId(), claim.token(), "conflict"));
    assertThat(task().attempts()).isZero();
    assertThat(task().status()).isEqualTo(Status.IN_PROGRESS);
    Task task =
        log.append(decider.failAttempt(log.state(), claim.taskId(), claim.token(), "conflict", 1));
    assertThat(task.attempts()).isEqualTo(1);
    assertThat(task.isOutOfAttempts()).isTrue();
    assertThat(log.state().heldFor(number -> true)).isEmpty();
  }

  @Test
  void openTaskWithoutRefusal_cannotFail() {
    add("a");
    Claim claim = claim();
    assertThatThrownBy(
            () -> decider.failAttempt(log.state(), claim.taskId(), claim.token(), "conflict", 1))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("does not wait for a merge");
  }

  @Test
  void refusal_isForgottenByLaterCompletion() {
    add("a");
    Claim claim = claim();
    log.append(decider.refuse(log.state(), claim.taskId(), claim.token(), "conflict"));
    assertThat(log.state().entry(0).attempts.refused()).isEqualTo("conflict");
    status(StatusChange.to(Status.COMPLETED).under(claim.token()), true, "t1");
    assertThat(log.state().entry(0).attempts.refused()).isNull();
  }

  @Test
  void refusal_isForgottenByNextClaim() {
    add("a");
    Claim claim = claim();
    log.append(decider.refuse(log.state(), claim.taskId(), claim.token(), "conflict"));
    log.append(decider.endIterations(log.state(), number -> true));
    claim();
    assertThat(log.state().entry(0).attempts.refused()).isNull();
    assertThatThrownBy(() -> decider.refuse(log.state(), claim.taskId(), claim.token(), "conflict"))
        .isInstanceOf(RalphException.class);
  }

  private static Stream<Arguments> edits() {
    return Stream.of(
        Arguments.of(TaskEdit.of().content("b")),
        Arguments.of(TaskEdit.of().priority(0)),
        Arguments.of(TaskEdit.of().touches(List.of("src/**"))));
  }

  @ParameterizedTest
  @MethodSource("edits")
  void edit_resetsAttempts(TaskEdit edit) {
    add("a");
    fail(5);
    assertThat(log.append(decider.edit(log.state(), "t1", edit, NOW)).attempts()).isZero();
    fail(1);
    Task open = log.append(decider.edit(log.state(), "t1", edit.content("c"), NOW));
    assertThat(open.attempts()).isZero();
    assertThat(open.status()).isEqualTo(Status.REMAINING);
    assertThat(open.reason()).isEqualTo("gate failed");
  }

  @ParameterizedTest
  @MethodSource("edits")
  void editByWorker_keepsAttempts(TaskEdit edit) {
    add("a");
    fail(2);
    assertThat(log.append(decider.edit(log.state(), "t1", edit, true, NOW)).attempts()).isOne();
    fail(2);
    Task task = log.append(decider.edit(log.state(), "t1", edit.content("c"), true, NOW));
    assertThat(task.isOutOfAttempts()).isTrue();
  }

  @Test
  void statusByPerson_resetsAttempts() {
    add("a");
    fail(5);
    assertThat(status(StatusChange.to(Status.REMAINING), false, "t1").attempts()).isZero();
    fail(1);
    Task open = status(StatusChange.to(Status.REMAINING), false, "t1");
    assertThat(open.attempts()).isZero();
    assertThat(open.status()).isEqualTo(Status.REMAINING);
  }

  @Test
  void statusByAgent_keepsAttempts() {
    add("a");
    fail(5);
    Claim claim = claim();
    List<UnaryOperator<StatusChange>> byAgent =
        List.of(change -> change.under(claim.token()), change -> change.iteration(3));
    for (UnaryOperator<StatusChange> agent : byAgent) {
      assertThat(status(agent.apply(StatusChange.to(Status.REMAINING)), false, "t1").attempts())
          .isOne();
    }
    assertThat(status(StatusChange.to(Status.REMAINING).because("x"), true, "t1").attempts())
        .isOne();
    assertThat(status(StatusChange.to(Status.BLOCKED), false, "t1").attempts()).isOne();
    assertThat(task().isOutOfAttempts()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"t1", "T1 is wrong", "do t1, please", "(t1)", "see t2 and t1.", "t1-related"})
  void messageWithTask_resetsAttempts(String text) {
    add("a");
    fail(5);
    log.append(decider.resetNamed(log.state(), text));
    assertThat(task().attempts()).isZero();
    fail(1);
    log.append(decider.resetNamed(log.state(), text));
    assertThat(task().status()).isEqualTo(Status.REMAINING);
    assertThat(task().reason()).isEqualTo("gate failed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "t12", "at1", "t1a", "t_1", "task 1", "t2", "_t1"})
  void messageWithoutTask_keepsAttempts(String text) {
    add("a");
    fail(5);
    assertThat(decider.resetNamed(log.state(), text).drafts()).isEmpty();
    assertThat(task().attempts()).isOne();
  }

  @Test
  void merge_resetsAttempts() {
    add("a");
    fail(5);
    Claim claim = completed();
    assertThat(task().attempts()).as("kept until the merge").isOne();
    log.append(decider.merged(log.state(), claim.taskId(), claim.token(), "c0ffee"));
    assertThat(task().attempts()).isZero();
  }

  @Test
  void framesOfOlderLoops_countNothing() {
    add("a");
    Claim claim = completed();
    append(
        Meta.of("action", "status")
            .with("id", claim.taskId())
            .with("status", "remaining")
            .with("reason", "gate failed"));
    assertThat(task().attempts()).isZero();
    assertThat(task().reason()).isEqualTo("gate failed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "99999999999999", "\"three\"", "{}", "null"})
  void forgedCount_changesNothing(String count) {
    add("a");
    fail(5);
    Claim claim = completed();
    append(
        Meta.parse(
            "{\"action\":\"status\",\"id\":\""
                + claim.taskId()
                + "\",\"status\":\"remaining\",\"attempt\":"
                + count
                + "}"));
    assertThat(task().attempts()).isLessThanOrEqualTo(1);
  }

  @Test
  void attempts_surviveSnapshot() {
    add("a");
    add("b");
    Claim first = completed();
    Claim second = claim();
    log.append(decider.refuse(log.state(), second.taskId(), second.token(), "conflict"));
    log.append(decider.failAttempt(log.state(), second.taskId(), second.token(), "conflict", 3));
    Claim third = completed();
    log.append(decider.merged(log.state(), first.taskId(), first.token(), "c0ffee"));
    Tasks before = log.state();
    log.encodeAndDecode();
    assertThat(log.state().all()).isEqualTo(before.all());
    assertThat(log.state().get("t2").attempts()).isOne();
    assertThat(log.state().get("t2").attemptLimit()).isEqualTo(3);
    log.append(decider.failMerge(log.state(), third.taskId(), third.token(), "conflict", 3));
    assertThat(log.state().get("t2").attempts()).as("unchanged after the merge").isOne();
  }

  @Test
  void refusal_survivesSnapshot() {
    add("a");
    Claim claim = claim();
    log.append(decider.refuse(log.state(), claim.taskId(), claim.token(), "conflict"));
    log.encodeAndDecode();
    assertThat(log.state().entry(0).attempts.refused()).isEqualTo("conflict");
  }

  @ParameterizedTest
  @CsvSource({
    "'', ''",
    "limit, 't1'",
    "'limit,remaining', ''",
    "'limit,blocked', ''",
    "'limit,limit', 't1 t2'",
    "'limit,waits1', 't1'",
    "'limit,waits1,waits2', 't1'",
    "'limit,blocked,waits2', ''",
    "'limit,completed,cancelled', 't1'",
    "blocked, ''",
    "completed, ''"
  })
  void allOutOfAttempts_needsEveryOpenTask(String kinds, String expected) {
    int number = 0;
    for (String kind : kinds.isEmpty() ? new String[0] : kinds.split(",")) {
      number++;
      boolean waits = kind.startsWith("waits");
      NewTask task = NewTask.of("task " + number);
      log.append(decider.add(log.state(), waits ? task.dependsOn("t" + kind.substring(5)) : task));
      if (kind.equals("limit")) {
        fail(1);
      } else if (!waits) {
        status(StatusChange.to(Status.of(kind)), false, "t" + number);
      }
    }
    assertThat(log.state().allOutOfAttempts().stream().map(task -> "t" + task.number()))
        .containsExactly(expected.isEmpty() ? new String[0] : expected.split(" "));
  }
}

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
import dev.ralph.log.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of tasks that are completed on a branch of their own, as pure functions. */
class TaskMergeTest {

  private static final Instant NOW = Replay.NOW;
  private static final Duration HOUR = Duration.ofHours(1);

  private final TaskDecider decider = new TaskDecider(Topic.of("ralph.test.task"));
  private final Replay<?, Tasks> log = Replay.reading(TaskFold::new);

  private Task add(NewTask task) {
    return log.append(decider.add(log.state(), task));
  }

  private Claim claimOnBranch(int iteration) {
    return log.append(
            decider.claimNext(
                log.state(),
                "agent-" + iteration,
                HOUR,
                iteration,
                task -> "ralph/s.t" + task.number(),
                NOW))
        .orElseThrow();
  }

  private Task status(String ref, StatusChange change) {
    return log.append(decider.status(log.state(), ref, change, NOW));
  }

  private Task complete(Claim claim) {
    return status(claim.taskId(), StatusChange.to(Status.COMPLETED).under(claim.token()));
  }

  private Task merged(Claim claim, @Nullable String commit) {
    return log.append(decider.merged(log.state(), claim.taskId(), claim.token(), commit));
  }

  private Task reopen(Claim claim, String reason) {
    return log.append(decider.reopen(log.state(), claim.taskId(), claim.token(), reason));
  }

  private void end(int iteration) {
    log.append(decider.endIterations(log.state(), number -> number == iteration));
  }

  private String ready() {
    return log.state().ready(NOW).stream().map(Task::content).collect(Collectors.joining(" "));
  }

  @Test
  void taskOnBranch_isSettledAfterTheMerge() {
    add(NewTask.of("a"));
    add(NewTask.of("b").dependsOn("t1"));
    Claim claim = claimOnBranch(1);
    assertThat(log.state().get("t1").branch()).isEqualTo("ralph/s.t1");

    Task done = complete(claim);
    assertThat(done.status()).isEqualTo(Status.COMPLETED);
    assertThat(done.isSettled()).isFalse();
    assertThat(log.state().all().toMerge()).containsExactly(done);
    assertThat(log.state().areSettled()).isFalse();
    assertThat(log.state().get("t2").awaited()).containsExactly(done);
    assertThat(ready()).isEmpty();
    assertThatThrownBy(() -> decider.claim(log.state(), "t2", "ann", HOUR, 0, NOW))
        .hasMessageContaining("waits for t1 a (completed, not merged)");

    Task merged = merged(claim, "c0ffee");
    assertThat(merged.isSettled()).isTrue();
    assertThat(merged.commit()).isEqualTo("c0ffee");
    assertThat(merged.mergedAt()).isEqualTo(NOW);
    assertThat(merged.branch()).isNull();
    assertThat(log.state().all().toMerge()).isEmpty();
    assertThat(ready()).isEqualTo("b");
  }

  @Test
  void taskWithoutChanges_isSettledWithoutCommit() {
    add(NewTask.of("a"));
    Claim claim = claimOnBranch(1);
    complete(claim);
    Task merged = merged(claim, null);
    assertThat(merged.isSettled()).isTrue();
    assertThat(merged.commit()).isNull();
    assertThat(merged.mergedAt()).isNotNull();
    assertThat(log.state().areSettled()).isTrue();
  }

  @Test
  void taskWithoutBranch_isSettledAtOnce() {
    add(NewTask.of("a"));
    log.append(decider.claimNext(log.state(), "ann", HOUR, 1, task -> null, NOW));
    Task done = status("t1", StatusChange.to(Status.COMPLETED));
    assertThat(done.isSettled()).isTrue();
    assertThat(done.branch()).isNull();
    assertThat(done.mergedAt()).isNull();
    assertThat(add(NewTask.of("done before").status(Status.COMPLETED)).isSettled()).isTrue();
    assertThat(add(NewTask.of("b")).isSettled()).isFalse();
    assertThat(status("t3", StatusChange.to(Status.CANCELLED)).isSettled()).isFalse();
  }

  @Test
  void claimedTaskCompletedByPerson_needsAMerge() {
    add(NewTask.of("a"));
    claimOnBranch(1);
    assertThat(status("t1", StatusChange.to(Status.COMPLETED)).isSettled()).isFalse();
    Task again = status("t1", StatusChange.to(Status.COMPLETED).because("seen"));
    assertThat(again.isSettled()).isFalse();
  }

  @Test
  void unclaimedTaskCompletedByPerson_isSettled() {
    add(NewTask.of("a"));
    claimOnBranch(1);
    end(1);
    Task done = status("t1", StatusChange.to(Status.COMPLETED));
    assertThat(done.isSettled()).isTrue();
    assertThat(done.branch()).as("the agent's branch remains").isNotNull();
  }

  @Test
  void mergedTask_isNotMergedAgain() {
    add(NewTask.of("a"));
    Claim claim = claimOnBranch(1);
    complete(claim);
    merged(claim, "c0ffee");
    assertThat(decider.merged(log.state(), "t1", claim.token(), "other").drafts()).isEmpty();
    String frame = "{'action':'landed','id':'%s','claim':'%s','commit':'other'}";
    log.frame(frame.formatted(claim.taskId(), claim.token()), "");
    assertThat(log.state().get("t1").commit()).isEqualTo("c0ffee");
  }

  @Test
  void lostClaim_mergesNothing() {
    add(NewTask.of("a"));
    Claim lost = claimOnBranch(1);
    assertThatThrownBy(() -> merged(lost, "c0ffee"))
        .hasMessageContaining("does not wait for a merge under the claim")
        .hasMessageContaining("it is in_progress");
    end(1);
    Claim newer = claimOnBranch(2);
    complete(newer);
    assertThatThrownBy(() -> merged(lost, "c0ffee")).hasMessageContaining("under a newer claim");
    assertThatThrownBy(() -> reopen(lost, "no")).hasMessageContaining("under a newer claim");
    String frame = "{'action':'landed','id':'%s','claim':'%s','commit':'c0ffee'}";
    log.frame(frame.formatted(lost.taskId(), lost.token()), "");
    log.frame("{'action':'landed','id':'" + lost.taskId() + "'}", "");
    assertThat(log.state().get("t1").isSettled()).isFalse();
    assertThat(merged(newer, "c0ffee").isSettled()).isTrue();
  }

  @Test
  void rejectedMerge_reopensTaskWithBranchAndReason() {
    add(NewTask.of("a"));
    Claim first = claimOnBranch(1);
    complete(first);
    Task back = reopen(first, "conflict in README.md");
    assertThat(back.status()).isEqualTo(Status.REMAINING);
    assertThat(back.reason()).isEqualTo("conflict in README.md");
    assertThat(back.branch()).isEqualTo("ralph/s.t1");
    assertThat(log.state().all().toMerge()).isEmpty();
    assertThat(ready()).isEqualTo("a");
    assertThatThrownBy(() -> merged(first, "c0ffee")).hasMessageContaining("it is remaining");

    claimOnBranch(2);
    assertThat(log.state().get("t1").reason()).isEqualTo("conflict in README.md");
    end(2);
    assertThat(log.state().get("t1").reason()).isEqualTo("conflict in README.md");
    Task done = complete(claimOnBranch(3));
    assertThat(done.reason()).isNull();
    assertThat(done.isSettled()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.class,
      names = {"REMAINING", "BLOCKED", "CANCELLED"})
  void statusSetByPerson_leavesTheMergeQueue(Status other) {
    add(NewTask.of("a"));
    Claim claim = claimOnBranch(1);
    complete(claim);
    status("t1", StatusChange.to(other));
    assertThat(log.state().all().toMerge()).isEmpty();
    assertThatThrownBy(() -> merged(claim, "c0ffee")).hasMessageContaining(other.word());
  }

  @Test
  void reopenedTask_startsWithoutABranch() {
    add(NewTask.of("a"));
    Claim claim = claimOnBranch(1);
    complete(claim);
    merged(claim, "c0ffee");
    Task again = status("t1", StatusChange.to(Status.REMAINING));
    assertThat(again.branch()).isNull();
    assertThat(again.commit()).isNull();
    assertThat(status("t1", StatusChange.to(Status.COMPLETED)).isSettled()).isTrue();
  }

  @Test
  void repeatedClaim_keepsTheBranch() {
    add(NewTask.of("a"));
    claimOnBranch(1);
    Claim again =
        log.append(decider.claim(log.state(), "t1", "agent-1", HOUR, 1, NOW)).orElseThrow();
    assertThat(complete(again).isSettled()).isFalse();
  }

  @Test
  void endOfIterations_releasesTheirTasks() {
    add(NewTask.of("a"));
    add(NewTask.of("b"));
    add(NewTask.of("a person's"));
    claimOnBranch(7);
    claimOnBranch(8);
    log.append(decider.claim(log.state(), "t3", "ann", HOUR, 0, NOW));
    log.append(decider.endIterations(log.state(), number -> number > 0));
    assertThat(ready()).isEqualTo("a b");
  }

  // ---- assignments

  private Task byAgent(TaskAssignment given, String ref, Status status) {
    Tasks tasks = log.state();
    StatusChange change = given.checked(tasks, tasks.find(ref), StatusChange.to(status));
    return status(ref, change);
  }

  @Test
  void agent_completesOnlyItsAssignedTask() {
    add(NewTask.of("a"));
    add(NewTask.of("b"));
    Claim claim = claimOnBranch(4);
    TaskAssignment given = new TaskAssignment(claim.taskId(), 4);
    for (Status work : List.of(Status.COMPLETED, Status.IN_PROGRESS)) {
      assertThatThrownBy(() -> byAgent(given, "t2", work))
          .hasMessageContaining("t2 b is not your task; yours is t1 a");
    }
    assertThat(byAgent(given, "t2", Status.CANCELLED).status()).isEqualTo(Status.CANCELLED);
    assertThat(given.claim(log.state())).isEqualTo(claim);
    assertThat(byAgent(given, "t1", Status.COMPLETED).isSettled()).isFalse();
    assertThat(given.claim(log.state())).isNull();
  }

  @Test
  void agentWithoutTask_completesNone() {
    add(NewTask.of("a"));
    TaskAssignment none = new TaskAssignment(null, 4);
    assertThat(none.claim(log.state())).isNull();
    assertThatThrownBy(() -> byAgent(none, "t1", Status.COMPLETED))
        .hasMessageContaining("t1 a is not your task");
    assertThatThrownBy(() -> none.claim(log.state(), 0)).hasMessageContaining("is not your task");
    assertThat(byAgent(none, "t1", Status.BLOCKED).status()).isEqualTo(Status.BLOCKED);
  }

  @Test
  void agent_cannotChangeATaskOfTheTeam() {
    add(NewTask.of("a"));
    add(NewTask.of("b"));
    TaskAssignment given = new TaskAssignment(claimOnBranch(4).taskId(), 4);
    claimOnBranch(5);
    assertThatThrownBy(() -> byAgent(given, "t2", Status.CANCELLED))
        .hasMessageContaining("t2 b is claimed by 'agent-5'");
  }

  @Test
  void agentOfEndedIteration_completesNothing() {
    add(NewTask.of("a"));
    TaskAssignment given = new TaskAssignment(claimOnBranch(4).taskId(), 4);
    end(4);
    assertThatThrownBy(() -> byAgent(given, "t1", Status.COMPLETED))
        .hasMessageContaining("has ended: the task is remaining");
    claimOnBranch(5);
    assertThatThrownBy(() -> byAgent(given, "t1", Status.COMPLETED))
        .hasMessageContaining("t1 a is no longer your task");
  }

  // ---- touched paths

  @Test
  void tasksWithOverlappingPatterns_areNotReadyTogether() {
    add(NewTask.of("a").touches("src/login/**"));
    add(NewTask.of("b").touches("docs").touches("src/login/Form.java"));
    add(NewTask.of("c").touches("src/shop/**"));
    add(NewTask.of("d"));
    Claim first = claimOnBranch(1);
    assertThat(ready()).isEqualTo("c d");
    assertThat(claimOnBranch(2).taskId()).isEqualTo(log.state().get("t3").id());
    complete(first);
    assertThat(ready()).as("a is not merged yet").isEqualTo("d");
    assertThat(log.state().all().waiting(NOW)).extracting(Task::number).containsExactly(2, 3);
    merged(first, "c0ffee");
    assertThat(ready()).isEqualTo("b d");
    log.encodeAndDecode();
    assertThat(ready()).isEqualTo("b d");
  }

  @Test
  void claimByReference_ignoresPatterns() {
    add(NewTask.of("a").touches("src"));
    add(NewTask.of("b").touches("src"));
    claimOnBranch(1);
    assertThat(log.append(decider.claim(log.state(), "t2", "ann", HOUR, 0, NOW))).isPresent();
  }

  @Test
  void touchedPatterns_canBeEdited() {
    add(NewTask.of("a").touches("src"));
    assertThat(edit(List.of("docs", "pom.xml")).touches()).containsExactly("docs", "pom.xml");
    assertThat(
            decider
                .edit(log.state(), "t1", TaskEdit.of().touches(List.of("docs", "pom.xml")), NOW)
                .drafts())
        .isEmpty();
    assertThat(
            log.append(decider.edit(log.state(), "t1", TaskEdit.of().priority(0), NOW)).touches())
        .containsExactly("docs", "pom.xml");
    assertThat(edit(List.of()).touches()).isEmpty();
  }

  private Task edit(List<String> touches) {
    return log.append(decider.edit(log.state(), "t1", TaskEdit.of().touches(touches), NOW));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../x", "/x", " "})
  void touchedPatternOutsideRepository_isRejected(String glob) {
    assertThatThrownBy(() -> add(NewTask.of("a").touches(glob))).hasMessageContaining("touches");
    add(NewTask.of("a"));
    assertThatThrownBy(() -> edit(List.of(glob))).hasMessageContaining("touches");
  }

  @Test
  void encodedBranchesAndPatterns_areDecodedUnchanged() {
    add(NewTask.of("a").touches("src/**"));
    add(NewTask.of("b"));
    add(NewTask.of("c"));
    Claim a = claimOnBranch(1);
    complete(a);
    merged(a, "c0ffee");
    complete(claimOnBranch(2));
    claimOnBranch(3);
    List<Task> before = List.copyOf(log.state().list());
    log.encodeAndDecode();
    assertThat(log.state().list()).isEqualTo(before);
    assertThat(log.state().all().toMerge()).hasSize(1);
  }
}

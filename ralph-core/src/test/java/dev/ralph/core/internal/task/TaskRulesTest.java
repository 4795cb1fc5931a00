package dev.ralph.core.internal.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ralph.Claim;
import dev.ralph.NewTask;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.Task.Status;
import dev.ralph.TaskEdit;
import dev.ralph.core.internal.view.Replay;
import dev.ralph.log.Decision;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of tasks, as pure functions without a store. */
class TaskRulesTest {

  private static final Instant NOW = Replay.NOW;
  private static final Duration HOUR = Duration.ofHours(1);

  private final TaskDecider decider = new TaskDecider(Topic.of("ralph.test.task"));
  private final Replay<?, Tasks> log = Replay.reading(TaskFold::new);

  private Task add(NewTask task) {
    return log.append(decider.add(log.state(), task));
  }

  private Task add(String content, String... dependencies) {
    NewTask task = NewTask.of(content);
    for (String dependency : dependencies) {
      task = task.dependsOn(dependency);
    }
    return add(task);
  }

  private Task status(String ref, Status status) {
    return status(ref, StatusChange.to(status));
  }

  private Task status(String ref, StatusChange change) {
    return log.append(decider.status(log.state(), ref, change, NOW));
  }

  private Optional<Claim> claim(String ref, String owner, Instant now) {
    return log.append(decider.claim(log.state(), ref, owner, HOUR, 0, now));
  }

  private List<String> ready(Instant now) {
    return log.state().ready(now).stream().map(Task::content).collect(Collectors.toList());
  }

  private static RalphException failure(Runnable change) {
    RalphException failure = catchThrowableOfType(RalphException.class, change::run);
    assertThat(failure).as("expected a rejection").isNotNull();
    return failure;
  }

  // ---- adding

  @Test
  void numbers_followTheOrderOfAdding() {
    assertThat(add("a").number()).isEqualTo(1);
    assertThat(add("b").number()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "\n\t"})
  void taskWithoutText_isRejected(String content) {
    assertThat(failure(() -> add(content)).code()).isEqualTo(Code.INVALID);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 5, Integer.MAX_VALUE})
  void priorityOutOfRange_isRejected(int priority) {
    assertThat(failure(() -> add(NewTask.of("a").priority(priority))))
        .hasMessageContaining("0 (first) to 4 (last)");
  }

  @Test
  void dependencies_areKeptOnceAsFullIds() {
    Task first = add("a");
    Task second = add("b", "t1", first.id(), first.shortId());
    assertThat(second.dependencies()).containsExactly(first.id());
  }

  @Test
  void unknownDependency_isRejected() {
    assertThat(failure(() -> add("a", "t7")).code()).isEqualTo(Code.NOT_FOUND);
  }

  // ---- adding several

  private List<Task> addAll(NewTask... tasks) {
    return log.append(decider.addAll(log.state(), List.of(tasks)));
  }

  @Test
  void tasksAddedTogether_mayDependOnEarlierTasks() {
    Task first = add("there before");
    List<Task> added =
        addAll(
            NewTask.of("a"),
            NewTask.of("b").priority(0).dependsOn("#1").dependsOn("t1").dependsOn("#1"),
            NewTask.of("c").dependsOn("#2").dependsOn(first.id()));
    assertThat(added).extracting(Task::number).containsExactly(2, 3, 4);
    assertThat(added.get(1).dependencies()).containsExactly(added.get(0).id(), first.id());
    assertThat(added.get(2).dependencies()).containsExactly(added.get(1).id(), first.id());
    assertThat(ready(NOW)).containsExactly("there before", "a");
    log.encodeAndDecode();
    assertThat(log.state().get("t4").dependencies()).hasSize(2);
    assertThat(addAll()).isEmpty();
  }

  @Test
  void taskWithKey_isAddedOnce() {
    Task first = add(NewTask.of("2.1 Write the form").key("2.1"));
    status("t1", Status.COMPLETED);

    Task again = add(NewTask.of("other words").key("2.1"));
    assertThat(again.id()).isEqualTo(first.id());
    assertThat(again.key()).isEqualTo("2.1");
    assertThat(again.content()).isEqualTo("2.1 Write the form");
    assertThat(again.status()).isEqualTo(Status.COMPLETED);

    List<Task> several =
        addAll(
            NewTask.of("b").key("2.2"),
            NewTask.of("known").key("2.1"),
            NewTask.of("twice in the list").key("2.2"),
            NewTask.of("c").dependsOn("#1").dependsOn("#2").dependsOn("#3"));
    assertThat(several).extracting(Task::number).containsExactly(2, 1, 2, 3);
    assertThat(several.get(3).dependencies()).containsExactly(several.get(0).id(), first.id());
    assertThat(log.state().all()).hasSize(3);

    log.encodeAndDecode();
    assertThat(log.state().get("t2").key()).isEqualTo("2.2");
    assertThat(log.state().get("t3").key()).isNull();
    assertThat(addAll(NewTask.of("b").key("2.2"))).extracting(Task::number).containsExactly(2);
    assertThat(failure(() -> add(NewTask.of("d").key(" "))))
        .hasMessageContaining("must not be blank");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "#1 | task #1 of the list: there is no task '#1'",
        "#2 | task #2 of the list: no task '#2' before this task; use #1 to #1",
        "#0 | task #2 of the list: no task '#0' before this task",
        "#x | task #2 of the list: no task '#x' before this task",
        "t9 | task #2 of the list: there is no task 't9'"
      })
  void invalidTaskInList_isNamed(String ref, String message) {
    add("there before");
    NewTask wrong = NewTask.of("wrong").dependsOn(ref);
    List<NewTask> list =
        ref.equals("#1") ? List.of(wrong, NewTask.of("a")) : List.of(NewTask.of("a"), wrong);
    assertThat(failure(() -> decider.addAll(log.state(), list))).hasMessageContaining(message);
  }

  @Test
  void tasksAddedTogether_keepReferencesIfRenumbered() {
    for (int i = 1; i <= 4; i++) {
      log.frame("{'action':'add','n':" + i + "}", "own " + i);
    }
    log.frame("{'action':'add','n':3}", "a");
    log.frame("{'action':'add','n':4,'depends':['#3']}", "b");
    assertThat(log.state().get("t6").dependencies()).containsExactly(log.state().get("t5").id());
    log.frame("{'action':'add','n':20,'depends':['#x','#','#19','#20','#99999999999']}", "c");
    assertThat(log.state().get("t20").dependencies()).isEmpty();
  }

  // ---- editing

  private Task edit(String ref, TaskEdit edit) {
    return log.append(decider.edit(log.state(), ref, edit, NOW));
  }

  private static List<String> words(String list) {
    return list.isEmpty() ? List.of() : List.of(list.split(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "new,  ,    ,         new, 1, t1",
    ",     4,   ,         c,   4, t1",
    ",     ,    '',       c,   1, ''",
    ",     ,    t2,       c,   1, t2",
    ",     ,    t2 t1 t2, c,   1, t2 t1",
    "new,  0,   t2,       new, 0, t2",
  })
  void edit_changesOnlyTheGivenFields(
      @Nullable String content,
      @Nullable Integer priority,
      @Nullable String depends,
      String text,
      int urgency,
      String awaited) {
    add("a");
    add("b");
    add(NewTask.of("c").priority(1).dependsOn("t1").status(Status.BLOCKED).iteration(3));
    TaskEdit named = TaskEdit.of();
    named = content == null ? named : named.content(content);
    named = priority == null ? named : named.priority(priority);
    TaskEdit edit = depends == null ? named : named.dependencies(words(depends));

    Task edited = edit("t3", edit);

    assertThat(edited.content()).isEqualTo(text);
    assertThat(edited.priority()).isEqualTo(urgency);
    assertThat(edited.dependencies())
        .isEqualTo(words(awaited).stream().map(ref -> log.state().get(ref).id()).toList());
    assertThat(edited.status()).isEqualTo(Status.BLOCKED);
    assertThat(edited.iteration()).isEqualTo(3);
    assertThat(decider.edit(log.state(), "t3", edit, NOW).drafts()).as("no change").isEmpty();
    log.encodeAndDecode();
    assertThat(log.state().get("t3").content()).isEqualTo(text);
  }

  @Test
  void invalidEdit_isRejected() {
    add("a");
    add("b", "t1");
    add("c", "t2");
    assertThat(failure(() -> edit("t1", TaskEdit.of().content(" ")))).hasMessageContaining("text");
    assertThat(failure(() -> edit("t1", TaskEdit.of().priority(5))))
        .hasMessageContaining("0 (first) to 4 (last), not 5");
    assertThat(failure(() -> edit("t1", TaskEdit.of().dependencies(List.of("t9")))).code())
        .isEqualTo(Code.NOT_FOUND);
    assertThat(failure(() -> edit("t1", TaskEdit.of().dependencies(List.of("t3")))))
        .hasMessageContaining("t1 -> t3 -> t2 -> t1");
    assertThat(failure(() -> edit("t1", TaskEdit.of().dependencies(List.of("t1")))))
        .hasMessageContaining("t1 -> t1");
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.class,
      names = {"COMPLETED", "CANCELLED"})
  void endedTask_isNotEdited(Status end) {
    add("a");
    add(NewTask.of("b").dependsOn("t1").status(end));
    assertThat(failure(() -> edit("t2", TaskEdit.of().content("c"))))
        .hasMessageContaining("t2 b can't be edited because its status is " + end.word());
    assertThat(failure(() -> decider.undepend(log.state(), "t2", "t1")).code())
        .isEqualTo(Code.INVALID);
  }

  @Test
  void claimedTask_isEditedByHolderOrOperator() {
    add("a");
    Claim claim = claim("t1", "ann", NOW).orElseThrow();
    assertThat(edit("t1", TaskEdit.of().content("b").owner("ann")).content()).isEqualTo("b");
    assertThat(edit("t1", TaskEdit.of().priority(0)).priority()).isZero();
    RalphException refused = failure(() -> edit("t1", TaskEdit.of().content("c").owner("bob")));
    assertThat(refused.code()).isEqualTo(Code.CONTENDED);
    assertThat(complete(claim).status()).isEqualTo(Status.COMPLETED);
  }

  @Test
  void dependency_isRemovedOnce() {
    add("a");
    add("b");
    Task third = add("c", "t1", "t2");
    Task left = log.append(decider.undepend(log.state(), "t3", "t1"));
    assertThat(left.dependencies()).containsExactly(log.state().get("t2").id());
    assertThat(decider.undepend(log.state(), third.id(), "t1").drafts()).isEmpty();
    assertThat(failure(() -> decider.undepend(log.state(), "t3", "t9")).code())
        .isEqualTo(Code.NOT_FOUND);
  }

  // ---- ready tasks

  @Test
  void readyTasks_areOrderedByPriorityAndAge() {
    add(NewTask.of("late").priority(4));
    add(NewTask.of("usual"));
    add(NewTask.of("urgent").priority(0));
    add(NewTask.of("usual, younger"));
    assertThat(ready(NOW)).containsExactly("urgent", "usual", "usual, younger", "late");
  }

  @ParameterizedTest
  @CsvSource({
    "REMAINING, true",
    "IN_PROGRESS, true",
    "BLOCKED, false",
    "COMPLETED, false",
    "CANCELLED, false"
  })
  void readiness_dependsOnTheStatus(Status status, boolean isReady) {
    add(NewTask.of("a").status(status));
    assertThat(ready(NOW)).isEqualTo(isReady ? List.of("a") : List.of());
  }

  @ParameterizedTest
  @EnumSource(Status.class)
  void task_waitsUntilItsDependencyEnds(Status status) {
    add("a");
    add("b", "t1");
    status("t1", status);
    assertThat(ready(NOW).contains("b")).isEqualTo(status.isTerminal());
    status("t1", Status.REMAINING);
    assertThat(ready(NOW)).containsExactly("a");
  }

  @Test
  void leasedTask_isReadyAfterExpiry() {
    add("a");
    claim("t1", "ann", NOW);
    assertThat(ready(NOW)).isEmpty();
    assertThat(ready(NOW.plus(HOUR).minusMillis(1))).isEmpty();
    assertThat(ready(NOW.plus(HOUR))).containsExactly("a");
  }

  // ---- claims

  @Test
  void claim_startsTheTask() {
    add("a");
    Claim claim = claim("t1", "ann", NOW).orElseThrow();
    Task task = log.state().get("t1");
    assertThat(task.status()).isEqualTo(Status.IN_PROGRESS);
    assertThat(task.claim()).isEqualTo(claim);
    assertThat(claim.taskId()).isEqualTo(task.id());
    assertThat(claim.until()).isEqualTo(NOW.plus(HOUR));
  }

  @Test
  void repeatedClaim_fencesTheEarlierToken() {
    add("a");
    Claim first = claim("t1", "ann", NOW).orElseThrow();
    Claim second = claim("t1", "ann", NOW).orElseThrow();
    assertThat(second.token()).isNotEqualTo(first.token());
    assertThat(failure(() -> complete(first)).code()).isEqualTo(Code.CONTENDED);
    assertThat(complete(second).status()).isEqualTo(Status.COMPLETED);
  }

  private Task complete(Claim claim) {
    StatusChange change = StatusChange.to(Status.COMPLETED).under(claim.token());
    return log.append(decider.status(log.state(), claim.taskId(), change, NOW));
  }

  @Test
  void foreignLease_isRespectedUntilExpiry() {
    add("a");
    Claim ann = claim("t1", "ann", NOW).orElseThrow();
    assertThat(claim("t1", "bob", NOW.plus(HOUR).minusMillis(1))).isEmpty();
    assertThat(claim("t1", "bob", NOW.plus(HOUR))).isPresent();
    assertThat(failure(() -> complete(ann)))
        .hasMessageContaining("t1 a")
        .hasMessageContaining("'bob'");
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.class,
      names = {"BLOCKED", "COMPLETED", "CANCELLED"})
  void blockedOrEndedTask_isNotClaimed(Status status) {
    add(NewTask.of("a").status(status));
    RalphException failure = failure(() -> claim("t1", "ann", NOW));
    assertThat(failure.code()).isEqualTo(Code.INVALID);
    assertThat(failure)
        .hasMessageEndingWith("t1 a can't be claimed because its status is " + status.word());
    status("t1", StatusChange.to(status).because("no key"));
    assertThat(failure(() -> claim("t1", "ann", NOW)))
        .hasMessageEndingWith("because its status is " + status.word() + ": no key");
  }

  @Test
  void waitingTask_isNotClaimedAndNamesItsDependency() {
    add("a");
    add("b");
    add("c", "t1", "t2");
    status("t1", Status.COMPLETED);
    RalphException failure = failure(() -> claim("t3", "ann", NOW));
    assertThat(failure.code()).isEqualTo(Code.INVALID);
    assertThat(failure).hasMessageContaining("waits for t2 b (remaining)");
  }

  @Test
  void claimNext_claimsTheFirstReadyTask() {
    add(NewTask.of("late").priority(4));
    add(NewTask.of("urgent").priority(0));
    assertThat(
            log.append(decider.claimNext(log.state(), "ann", HOUR, 0, task -> null, NOW))
                .orElseThrow()
                .taskId())
        .isEqualTo(log.state().get("t2").id());
    assertThat(
            log.append(decider.claimNext(log.state(), "ann", HOUR, 0, task -> null, NOW))
                .orElseThrow()
                .taskId())
        .isEqualTo(log.state().get("t1").id());
    assertThat(log.append(decider.claimNext(log.state(), "ann", HOUR, 0, task -> null, NOW)))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PT0S",
        "PT-1S",
        "PT0.0000001S",
        "P30DT0.001S",
        "PT9999999999999S",
        "PT-9223372036854775807S"
      })
  void invalidLeaseDuration_isRejected(String lease) {
    add("a");
    Duration duration = Duration.parse(lease);
    assertThatThrownBy(() -> decider.claim(log.state(), "t1", "ann", duration, 0, NOW))
        .hasMessageContaining("1 ms to 30 days");
    assertThatThrownBy(() -> decider.claimNext(log.state(), "ann", duration, 0, task -> null, NOW))
        .hasMessageContaining("1 ms to 30 days");
    Claim claim = claim("t1", "ann", NOW).orElseThrow();
    assertThatThrownBy(() -> decider.renew(log.state(), claim, duration, NOW))
        .hasMessageContaining("1 ms to 30 days");
  }

  @Test
  void claimWithoutOwner_isRejected() {
    add("a");
    Claim nobodys = new Claim(log.state().get("t1").id(), "token", " ", NOW, NOW.plus(HOUR), 0);
    for (Runnable claiming :
        List.<Runnable>of(
            () -> claim("t1", " ", NOW),
            () -> decider.claimNext(log.state(), " ", HOUR, 0, task -> null, NOW),
            () -> decider.renew(log.state(), nobodys, HOUR, NOW))) {
      RalphException refused = failure(claiming);
      assertThat(refused.code()).isEqualTo(Code.INVALID);
      assertThat(refused).hasMessageContaining("owner");
    }
  }

  @Test
  void negativeIteration_isRejected() {
    add("a");
    for (Runnable change :
        List.<Runnable>of(
            () -> add(NewTask.of("b").iteration(-1)),
            () -> decider.claim(log.state(), "t1", "ann", HOUR, -1, NOW),
            () -> decider.claimNext(log.state(), "ann", HOUR, -1, task -> null, NOW),
            () -> status("t1", StatusChange.to(Status.BLOCKED).iteration(-1)))) {
      RalphException refused = failure(change);
      assertThat(refused.code()).isEqualTo(Code.INVALID);
      assertThat(refused).hasMessageContaining("iteration").hasMessageContaining("-1");
    }
  }

  @Test
  void expiredClaim_isRenewedIfNotTakenOver() {
    add("a");
    Claim claim = claim("t1", "ann", NOW).orElseThrow();
    Instant later = NOW.plus(HOUR).plus(HOUR);
    Claim renewed = log.append(decider.renew(log.state(), claim, HOUR, later));
    assertThat(renewed.token()).isEqualTo(claim.token());
    assertThat(renewed.until()).isEqualTo(later.plus(HOUR));
  }

  @Test
  void releasedTask_isReadyAndFencesItsHolder() {
    add("a");
    Claim claim = claim("t1", "ann", NOW).orElseThrow();
    assertThat(log.append(decider.release(log.state(), claim)).status())
        .isEqualTo(Status.REMAINING);
    assertThat(ready(NOW)).containsExactly("a");
    assertThat(failure(() -> decider.renew(log.state(), claim, HOUR, NOW)).code())
        .isEqualTo(Code.CONTENDED);
    assertThat(failure(() -> decider.release(log.state(), claim)).code()).isEqualTo(Code.CONTENDED);
    assertThat(failure(() -> complete(claim)).code()).isEqualTo(Code.CONTENDED);
    assertThat(claim("t1", "bob", NOW)).isPresent();
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.class,
      names = {"COMPLETED", "CANCELLED"})
  void endOfTask_endsItsLease(Status end) {
    add("a");
    Claim claim = claim("t1", "ann", NOW).orElseThrow();
    status("t1", end);
    assertThat(failure(() -> decider.renew(log.state(), claim, HOUR, NOW)))
        .hasMessageContaining("has ended: the task is " + end.word());
    status("t1", Status.REMAINING);
    assertThat(ready(NOW)).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void resetByAnyone_endsTheLease(boolean holder) {
    add("a");
    Claim claim = claim("t1", "ann", NOW).orElseThrow();
    StatusChange reset = StatusChange.to(Status.REMAINING).under(holder ? claim.token() : null);
    log.append(decider.status(log.state(), "t1", reset, NOW));
    assertThat(ready(NOW)).containsExactly("a");
    assertThat(failure(() -> complete(claim)).code()).isEqualTo(Code.CONTENDED);
    assertThat(decider.status(log.state(), "t1", reset, NOW).drafts()).isEmpty();
    assertThat(claim("t1", "bob", NOW)).isPresent();
  }

  @Test
  void blockedTask_losesItsClaimAndStaysBlocked() {
    add("a");
    Claim claim = claim("t1", "ann", NOW).orElseThrow();
    StatusChange block = StatusChange.to(Status.BLOCKED).because("no key").under(claim.token());
    log.append(decider.status(log.state(), "t1", block, NOW));
    assertThat(failure(() -> decider.release(log.state(), claim)).code()).isEqualTo(Code.CONTENDED);
    assertThat(log.state().get("t1").status()).isEqualTo(Status.BLOCKED);
    assertThat(log.state().get("t1").reason()).isEqualTo("no key");
  }

  @Test
  void endOfIteration_releasesItsTasks() {
    add("for the first");
    add("for the second");
    add("done in the first");
    add("for none");
    log.append(decider.claim(log.state(), "t1", "ann", HOUR, 1, NOW));
    log.append(decider.claim(log.state(), "t2", "ann", HOUR, 2, NOW));
    log.append(decider.claim(log.state(), "t3", "ann", HOUR, 1, NOW));
    status("t3", Status.COMPLETED);
    log.append(decider.claim(log.state(), "t4", "ann", HOUR, 0, NOW));

    assertThat(log.append(decider.endIterations(log.state(), number -> number == 1))).isEqualTo(1);

    assertThat(ready(NOW)).containsExactly("for the first");
    assertThat(log.state().get("t3").status()).isEqualTo(Status.COMPLETED);
    assertThat(decider.endIterations(log.state(), number -> number == 1).drafts()).isEmpty();
  }

  @Test
  void repeatedCompletion_isAccepted() {
    add("a");
    Claim claim = claim("t1", "ann", NOW).orElseThrow();
    complete(claim);
    StatusChange change = StatusChange.to(Status.COMPLETED).under(claim.token());
    Decision<Tasks, Task> again = decider.status(log.state(), "t1", change, NOW);
    assertThat(again.drafts()).isEmpty();
  }

  @Test
  void inventedToken_isRejected() {
    add("a");
    StatusChange change = StatusChange.to(Status.COMPLETED).under("x");
    RalphException refused = failure(() -> status("t1", change));
    assertThat(refused.code()).isEqualTo(Code.CONTENDED);
    assertThat(refused).hasMessageContaining("is unknown: the task was never claimed");
    claim("t1", "ann", NOW);
    assertThat(failure(() -> status("t1", change)))
        .hasMessageContaining("'x' on t1 a")
        .message()
        .doesNotContain("was never claimed");
  }

  // ---- status

  @Test
  void operator_changesAnyStatusWithoutToken() {
    add("a");
    claim("t1", "ann", NOW);
    assertThat(status("t1", Status.BLOCKED).status()).isEqualTo(Status.BLOCKED);
    assertThat(status("t1", Status.COMPLETED).status()).isEqualTo(Status.COMPLETED);
    assertThat(status("t1", Status.REMAINING).status()).isEqualTo(Status.REMAINING);
  }

  @Test
  void unchangedStatus_appendsNoFrame() {
    add("a");
    StatusChange blocked = StatusChange.to(Status.BLOCKED).because("x").iteration(2);
    assertThat(log.append(decider.status(log.state(), "t1", blocked, NOW)).reason()).isEqualTo("x");
    assertThat(decider.status(log.state(), "t1", blocked, NOW).drafts()).isEmpty();
    assertThat(decider.status(log.state(), "t1", StatusChange.to(Status.BLOCKED), NOW).drafts())
        .isEmpty();
    assertThat(decider.status(log.state(), "t1", blocked.because("y"), NOW).drafts()).hasSize(1);
    assertThat(decider.status(log.state(), "t1", blocked.iteration(3), NOW).drafts()).hasSize(1);
  }

  @Test
  void repeatedStart_appendsNoFrame() {
    add("a");
    Claim claim = claim("t1", "ann", NOW).orElseThrow();
    StatusChange begun = StatusChange.to(Status.IN_PROGRESS);
    assertThat(decider.status(log.state(), "t1", begun, NOW).drafts()).isEmpty();
    assertThat(status("t1", begun.iteration(2)).claim()).isEqualTo(claim);
  }

  // ---- dependencies

  @Test
  void dependencyCycle_isRejectedAndNamed() {
    add("a");
    add("b", "t1");
    add("c", "t2");
    RalphException failure = failure(() -> decider.depend(log.state(), "t1", "t3"));
    assertThat(failure.code()).isEqualTo(Code.INVALID);
    assertThat(failure).hasMessageContaining("t1 -> t3 -> t2 -> t1");
    assertThat(failure(() -> decider.depend(log.state(), "t1", "t1")))
        .hasMessageContaining("t1 -> t1");
  }

  @Test
  void dependency_isAddedOnce() {
    Task first = add("a");
    add("b");
    assertThat(log.append(decider.depend(log.state(), "t2", "t1")).dependencies())
        .containsExactly(first.id());
    assertThat(decider.depend(log.state(), "t2", "t1").drafts()).isEmpty();
    assertThat(ready(NOW)).containsExactly("a");
  }

  // ---- frames of other programs

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'action':7}",
        "{'action':'dance','id':'ID'}",
        "{'action':'status'}",
        "{'action':'status','id':7,'status':'completed'}",
        "{'action':'status','id':'','status':'completed'}",
        "{'action':'status','id':'0','status':'completed'}",
        "{'action':'status','id':'ID0','status':'completed'}",
        "{'action':'status','id':'0000000000000000000000000','status':'completed'}",
        "{'action':'status','id':'ID','status':'finished'}",
        "{'action':'status','id':'ID','status':['completed']}",
        "{'action':'status','id':'ID','status':'completed','claim':'x'}",
        "{'action':'claim','id':'ID','owner':'ann','until':'soon'}",
        "{'action':'claim','id':'ID','until':'2026-03-01T11:00:00Z'}",
        "{'action':'renew','id':'ID','claim':'x','until':'2026-03-01T11:00:00Z'}",
        "{'action':'release','id':'ID','claim':'x'}",
        "{'action':'depend','id':'ID','on':'ID'}",
        "{'action':'depend','id':'ID','on':'nowhere'}",
        "{'action':'edit','content':'x'}",
        "{'action':'edit','id':'nowhere','priority':1}",
        "{'action':'edit','id':'ID','priority':9,'depends':['ID','nowhere','#1']}",
      })
  void invalidFrame_changesNothing(String meta) {
    Task task = add("a");
    log.frame(meta.replace("ID", task.id()), " ");
    assertThat(log.state().list()).hasSize(1);
    Task after = log.state().get("t1");
    assertThat(after.content()).isEqualTo("a");
    assertThat(after.priority()).isEqualTo(2);
    assertThat(after.status()).isEqualTo(Status.REMAINING);
    assertThat(after.claim()).isNull();
    assertThat(after.dependencies()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'action':'status','id':'ID','status':'completed','claim':'x'}",
        "{'action':'status','id':'ID','status':'completed','claim':'FORMER'}",
        "{'action':'renew','id':'ID','until':'2026-03-02T10:00:00Z'}",
        "{'action':'renew','id':'ID','until':'2026-03-02T10:00:00Z','claim':'x'}",
        "{'action':'renew','id':'ID','until':'2026-03-02T10:00:00Z','claim':'FORMER'}",
        "{'action':'renew','id':'ID','claim':'NEWEST'}",
        "{'action':'release','id':'ID'}",
        "{'action':'release','id':'ID','claim':'x'}",
        "{'action':'release','id':'ID','claim':'FORMER'}",
      })
  void outdatedToken_changesNothing(String meta) {
    Task task = add("a");
    Claim former = claim("t1", "ann", NOW).orElseThrow();
    Claim newest = claim("t1", "ann", NOW).orElseThrow();
    String said =
        meta.replace("ID", task.id())
            .replace("FORMER", former.token())
            .replace("NEWEST", newest.token());

    log.frame(said, "");

    assertThat(log.state().get("t1").status()).isEqualTo(Status.IN_PROGRESS);
    assertThat(log.state().get("t1").claim()).isEqualTo(newest);
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.class,
      names = {"COMPLETED", "CANCELLED"})
  void claimFrames_doNotReopenAnEndedTask(Status end) {
    Task task = add("a");
    Claim claim = claim("t1", "ann", NOW).orElseThrow();
    status("t1", end);
    Claim ended = log.state().get("t1").claim();
    String id = "'id':'" + task.id() + "'";
    String later = "'until':'2026-03-02T10:00:00Z'";
    for (String said :
        List.of(
            "{'action':'claim'," + id + ",'owner':'bob'," + later + "}",
            "{'action':'renew'," + id + "," + later + ",'claim':'" + claim.token() + "'}",
            "{'action':'release'," + id + ",'claim':'" + claim.token() + "'}")) {
      log.frame(said, "");
      assertThat(log.state().get("t1").status()).as(said).isEqualTo(end);
      assertThat(log.state().get("t1").claim()).as(said).isEqualTo(ended);
      assertThat(ready(NOW)).as(said).isEmpty();
    }
  }

  @Test
  void invalidFieldsOfAddedTask_becomeDefaults() {
    log.frame(
        "{'action':'add','status':'odd','n':'x','priority':9,'depends':['no',3],'iteration':-4}",
        "a");
    Task task = log.state().get("t1");
    assertThat(task.status()).isEqualTo(Status.REMAINING);
    assertThat(task.priority()).isEqualTo(2);
    assertThat(task.dependencies()).isEmpty();
    assertThat(task.iteration()).isZero();
  }

  @Test
  void shortId_refersToItsOnlyMatch() {
    log.frame("0000000aaaaaaaaaaaaaaaaaa", "{'action':'add'}", "a");
    log.frame("0000000abbbbbbbbbbbbbbbbb", "{'action':'add'}", "b");
    log.frame("{'action':'status','id':'0000000a','status':'completed'}", "");
    assertThat(log.state().list()).as("ambiguous id").noneMatch(t -> t.status().isTerminal());
    log.frame("{'action':'status','id':'0000000ab','status':'completed'}", "");
    assertThat(log.state().get("t2").status()).isEqualTo(Status.COMPLETED);
    log.frame("0000000bbbbbbbbbbbbbbbbbb", "{'action':'add'}", "c");
    log.frame("{'action':'status','id':'0000000b','status':'blocked'}", "");
    assertThat(log.state().get("t3").status()).as("a task added later").isEqualTo(Status.BLOCKED);
  }

  @Test
  void numbers_areUniqueAndIncrease() {
    log.frame("{'action':'add','n':5}", "a");
    log.frame("{'action':'add','n':5}", "b");
    log.frame("{'action':'add'}", "c");
    log.frame("{'action':'add','n':3}", "d");
    log.frame("{'action':'add','n':9223372036854775807}", "e");
    assertThat(log.state().list()).extracting(Task::number).containsExactly(5, 6, 7, 8, 9);
    assertThat(add("f").number()).isEqualTo(10);
  }

  @Test
  void numberOfErasedTask_isNotReused() {
    log.frame("{'action':'numbered','n':7}", "");
    assertThat(add("a").number()).isEqualTo(8);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2147483647, 2147483647", "2147483648, 0", "0, 0", "-1, 0"})
  void iterationOutOfRange_becomesZero(String said, int iteration) {
    log.frame("{'action':'add','iteration':" + said + "}", "a");
    assertThat(log.state().get("t1").iteration()).isEqualTo(iteration);
  }

  @Test
  void firstTask_isReferredToByItsNumber() {
    log.frame("{'action':'add','n':5}", "a");
    log.frame("{'action':'add','n':6,'depends':['#4','#5','#7']}", "b");
    assertThat(log.state().get("t6").dependencies()).containsExactly(log.state().get("t5").id());
  }

  @Test
  void changeByForeignOwner_isRejectedDuringLease() {
    add("a");
    log.append(decider.claimNext(log.state(), "ann", Duration.ofMinutes(1), 0, task -> null, NOW));
    StatusChange done = StatusChange.to(Status.COMPLETED);
    RalphException refused =
        failure(() -> decider.status(log.state(), "t1", done.owner("bob"), NOW));
    assertThat(refused.code()).isEqualTo(Code.CONTENDED);
    assertThat(refused).hasMessageContaining("t1 a is claimed by 'ann' until");
    assertThat(decider.status(log.state(), "t1", done.owner("ann"), NOW).drafts()).hasSize(1);
    Instant later = NOW.plus(Duration.ofMinutes(1));
    assertThat(decider.status(log.state(), "t1", done.owner("bob"), later).drafts()).hasSize(1);
  }

  @Test
  void encodedState_isDecodedUnchanged() {
    add(NewTask.of("a \"quoted\"\n\u0001 \ud83d\ude00").priority(0).iteration(3));
    add("b", "t1");
    Claim claim = claim("t1", "ann", NOW).orElseThrow();
    status("t2", Status.BLOCKED);
    log.append(
        decider.status(log.state(), "t2", StatusChange.to(Status.BLOCKED).because("why"), NOW));
    List<Task> before = log.state().list();

    log.encodeAndDecode();

    assertThat(log.state().list())
        .usingRecursiveComparison()
        .ignoringFieldsOfTypes(Tasks.class)
        .isEqualTo(before);
    assertThat(complete(claim).status()).isEqualTo(Status.COMPLETED);
    assertThat(add("c").number()).isEqualTo(3);
  }
}

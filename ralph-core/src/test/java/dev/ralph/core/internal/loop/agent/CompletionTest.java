package dev.ralph.core.internal.loop.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Gate;
import dev.ralph.LoopEvent;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.Verdict;
import dev.ralph.core.internal.loop.RunFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The judgement of claims that a session is complete. */
class CompletionTest extends RunFixture {

  private static final Gate PASSED = Gate.named("check", context -> Verdict.passed());
  private static final Gate FAILED =
      Gate.named("check", context -> Verdict.failed("a secret\nis not kept"));

  private boolean judge(Completion completion) {
    return completion.judge(4, time.box(null));
  }

  private List<LoopEvent> refusals() {
    return events.stream().filter(LoopEvent.CompletionRefused.class::isInstance).toList();
  }

  @Test
  void claimWithNothingOpen_isGrantedIfGatesPass() {
    session.control().complete();

    assertThat(judge(completion(PASSED))).isTrue();

    assertThat(session.control().isCompleted()).isTrue();
    assertThat(refusals()).isEmpty();
  }

  @Test
  void openTask_refusesTheClaimWithoutRunningGates() {
    session.control().complete();
    session.tasks().add("one");
    AtomicInteger asked = new AtomicInteger();
    Completion completion =
        completion(
            Gate.named(
                "count",
                context -> {
                  asked.incrementAndGet();
                  return Verdict.passed();
                }));

    assertThat(judge(completion)).isFalse();

    assertThat(asked).hasValue(0);
    assertThat(completion.refusedFor()).hasSize(1);
    assertThat(session.control().steering().claimed()).isFalse();
    assertThat(session.control().steering().refusals()).isEqualTo(completion.refusedFor());
  }

  @Test
  void failedGate_refusesTheClaimWithRedactedReason() {
    session.control().complete();
    Completion completion = completion(FAILED);

    assertThat(judge(completion)).isFalse();

    List<String> reasons = List.of("gate failed: check\na ***\nis not kept");
    assertThat(completion.refusedFor()).isEqualTo(reasons);
    assertThat(session.control().steering().refusals()).isEqualTo(reasons);
    LoopEvent told = refusals().get(0);
    assertThat(told.iteration()).isEqualTo(4);
    assertThat(told).hasToString("completion refused: gate failed: check");
    assertThat(((LoopEvent.CompletionRefused) told).reasons()).isEqualTo(reasons);
  }

  @Test
  void refusal_isKnownInTheNextRunUntilForgotten() {
    session.control().complete();
    judge(completion(FAILED));

    Completion next = completion(FAILED);
    assertThat(next.refusedFor()).hasSize(1);
    next.forgetRefusal();

    assertThat(next.refusedFor()).isEmpty();
  }

  @Test
  void claimWithoutTimeForGates_staysPending() {
    session.control().complete();

    assertThat(completion(PASSED).judge(4, time.box(Duration.ZERO))).isFalse();

    assertThat(session.control().steering().claimed()).isTrue();
    assertThat(refusals()).isEmpty();
  }

  @Test
  void claimOfCancelledLoop_staysPending() {
    session.control().complete();
    cancellation.request("enough");

    assertThat(judge(completion(PASSED))).isFalse();

    assertThat(session.control().steering().claimed()).isTrue();
    assertThat(refusals()).isEmpty();
  }

  @Test
  void taskAddedByGate_refusesTheClaim() {
    session.control().complete();
    Completion completion =
        completion(
            Gate.named(
                "adds",
                context -> {
                  session.tasks().add("one more");
                  return Verdict.passed();
                }));

    assertThat(judge(completion)).isFalse();

    assertThat(completion.refusedFor()).hasSize(1);
    assertThat(refusals()).hasSize(1);
  }

  @Test
  void claimWithdrawnDuringGates_isNotRefused() {
    session.control().complete();
    Completion completion =
        completion(
            Gate.named(
                "takes back",
                context -> {
                  session.control().refuseCompletion(List.of("not yet"));
                  return Verdict.passed();
                }));

    assertThat(judge(completion)).isFalse();

    assertThat(session.control().isCompleted()).isFalse();
    assertThat(session.control().steering().refusals()).containsExactly("not yet");
    assertThat(refusals()).isEmpty();
  }

  @Test
  void cancelledTask_doesNotBlockCompletion() {
    session.tasks().add("one");
    session.tasks().status("t1", StatusChange.to(Task.Status.CANCELLED));
    session.control().complete();

    assertThat(judge(completion())).isTrue();
  }
}

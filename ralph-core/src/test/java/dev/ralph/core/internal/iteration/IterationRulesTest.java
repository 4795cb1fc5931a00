package dev.ralph.core.internal.iteration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Iteration;
import dev.ralph.Iteration.Status;
import dev.ralph.Usage;
import dev.ralph.core.internal.view.Replay;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of iterations, as pure functions without a store. */
class IterationRulesTest {

  private static final ProcessIdentity PROCESS = new ProcessIdentity("there", 42, 1000);

  private final IterationDecider decider = new IterationDecider(Topic.of("ralph.test.iteration"));
  private final Replay<?, Iterations> log = Replay.of(new IterationFold());

  private Iteration start() {
    return log.append(decider.start(log.state(), null, 0, null, PROCESS, Replay.NOW));
  }

  private Iteration complete(int number, Status status, String summary, Usage usage) {
    return log.append(decider.complete(log.state(), number, status, summary, usage, Replay.NOW));
  }

  @Test
  void frames_haveTheDocumentedFormat() {
    Decision<Iterations, Iteration> start =
        decider.start(log.state(), null, 0, null, PROCESS, Replay.NOW);
    assertThat(start.drafts())
        .extracting(draft -> draft.meta().json())
        .containsExactly(
            "{\"action\":\"start\",\"n\":1,\"timestamp\":\"2026-03-01T10:00:00Z\","
                + "\"host\":\"there\",\"pid\":42,\"started\":1000}");
    log.append(start);
    Usage usage = Usage.of(3, 4, new BigDecimal("0.50"));
    assertThat(
            decider.complete(log.state(), 1, Status.SUCCESS, "did it", usage, Replay.NOW).drafts())
        .extracting(draft -> draft.meta().json())
        .containsExactly(
            "{\"action\":\"complete\",\"n\":1,\"status\":\"success\","
                + "\"timestamp\":\"2026-03-01T10:00:00Z\",\"summary\":\"did it\","
                + "\"usage\":{\"input_tokens\":3,\"output_tokens\":4,\"cost_usd\":0.50}}");
  }

  @Test
  void iteration_endsOnceAndUsageIsSummed() {
    assertThat(start().status()).isEqualTo(Status.RUNNING);
    Usage usage = Usage.of(3, 4, new BigDecimal("0.50"));
    Iteration done = complete(1, Status.TIMEOUT, "too long", usage);
    assertThat(done.status()).isEqualTo(Status.TIMEOUT);
    assertThat(done.summary()).isEqualTo("too long");
    assertThat(done.duration()).isEqualTo(Duration.ZERO);
    assertThat(complete(1, Status.SUCCESS, null, usage).status()).isEqualTo(Status.TIMEOUT);
    start();
    complete(2, Status.SUCCESS, null, usage);
    assertThat(log.state().usage()).isEqualTo(Usage.of(6, 8, BigDecimal.ONE));
    assertThat(log.state().last().orElseThrow().number()).isEqualTo(2);
  }

  @Test
  void clockSetBack_givesZeroDuration() {
    start();
    Iteration done =
        log.append(
            decider.complete(
                log.state(),
                1,
                Status.SUCCESS,
                null,
                Usage.NONE,
                Replay.NOW.minus(Duration.ofHours(1))));
    assertThat(done.duration()).isEqualTo(Duration.ZERO);
  }

  @Test
  void unfinishedIteration_isInterruptedByTheNextStart() {
    start();
    Decision<Iterations, Iteration> next =
        decider.start(log.state(), null, 0, null, PROCESS, Replay.NOW);
    assertThat(next.drafts()).hasSize(2);
    assertThat(log.append(next).number()).isEqualTo(2);
    assertThat(log.state().list())
        .extracting(Iteration::status)
        .containsExactly(Status.INTERRUPTED, Status.RUNNING);
  }

  @Test
  void unknownIteration_cannotEnd() {
    assertThatThrownBy(() -> complete(1, Status.SUCCESS, null, Usage.NONE))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_FOUND));
    start();
    assertThatThrownBy(() -> complete(2, Status.SUCCESS, null, Usage.NONE))
        .hasMessageContaining("there are 1 to 1");
    assertThatThrownBy(() -> complete(1, Status.RUNNING, null, Usage.NONE))
        .hasMessageContaining("can't end as running");
  }

  @Test
  void framesWithMissingFields_areUnderstood() {
    log.frame("{'action':'start','n':1,'timestamp':'x'}", "");
    log.frame("{'action':'start','n':1}", "");
    log.frame("{'action':'complete','n':1,'status':'odd'}", "");
    log.frame("{'action':'complete','n':7,'status':'success'}", "");
    log.frame("{'action':'start'}", "");
    log.frame("{'action':'complete','status':'success'}", "");
    assertThat(log.state().list()).extracting(Iteration::number).containsExactly(1, 2, 3);
    assertThat(log.state().list())
        .extracting(Iteration::status)
        .containsExactly(Status.RUNNING, Status.FAILURE, Status.SUCCESS);
    for (Draft draft : decider.start(log.state(), null, 0, null, PROCESS, Replay.NOW).drafts()) {
      log.frame(draft.meta().json(), "");
    }
    assertThat(log.state().running()).extracting(Iteration::number).containsExactly(4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'input_tokens':-5,'output_tokens':'x','cost_usd':-1}",
        "{'cost_usd':1e999999999}",
        "{'cost_usd':1e99999999999}",
        "{'cost_usd':1e-2147483647}",
        "[]",
        "7"
      })
  void invalidUsage_countsAsNone(String usage) {
    log.frame("{'action':'start','n':1}", "");
    log.frame("{'action':'complete','n':1,'status':'success','usage':" + usage + "}", "");
    assertThat(log.state().usage()).isEqualTo(Usage.NONE);
  }

  @Test
  void encodedState_isDecodedUnchanged() {
    start();
    complete(1, Status.RATE_LIMITED, "later", Usage.of(3, 4, new BigDecimal("0.5")));
    start();
    List<Iteration> before = log.state().list();
    log.encodeAndDecode();
    assertThat(log.state().list()).usingRecursiveComparison().isEqualTo(before);
    assertThat(start().number()).isEqualTo(3);
  }

  // ---- several agents at once

  private Iteration start(int agent, String task) {
    return log.append(decider.start(log.state(), null, agent, task, PROCESS, Replay.NOW));
  }

  @Test
  void iterationsOfSeveralAgents_runInParallel() {
    Iteration first = start(1, "task-a");
    assertThat(first.agent()).isEqualTo(1);
    assertThat(first.task()).isEqualTo("task-a");
    start(2, "task-b");
    assertThat(log.state().running()).extracting(Iteration::number).containsExactly(1, 2);
    complete(1, Status.SUCCESS, null, Usage.NONE);
    start(1, "task-c");
    assertThat(log.state().running()).extracting(Iteration::number).containsExactly(2, 3);
    log.encodeAndDecode();
    assertThat(log.state().get(3).task()).isEqualTo("task-c");
    assertThat(log.state().get(2).agent()).isEqualTo(2);
  }

  @Test
  void refusedCompletion_marksIterationsWithoutTask() {
    start();
    complete(1, Status.SUCCESS, null, Usage.NONE);
    log.append(decider.returned(log.state(), 1, null, "gate failed"));
    start(2, "task-b");
    complete(2, Status.SUCCESS, null, Usage.NONE);
    log.append(decider.returned(log.state(), 2, null, "gate failed"));
    log.encodeAndDecode();
    assertThat(log.state().get(1).returned()).isEqualTo("gate failed");
    assertThat(log.state().get(2).returned()).isNull();
  }

  @Test
  void newIteration_interruptsThePreviousOfItsAgent() {
    start(1, null);
    start(2, null);
    start(1, null);
    assertThat(log.state().get(1).status()).isEqualTo(Status.INTERRUPTED);
    assertThat(log.state().running()).extracting(Iteration::number).containsExactly(2, 3);
    start();
    assertThat(log.state().running()).extracting(Iteration::number).containsExactly(4);
    start(1, null);
    assertThat(log.state().running()).extracting(Iteration::number).containsExactly(5);
  }

  @Test
  void nextIteration_beganAfterTheEnd() {
    start(1, null);
    start(2, null);
    complete(1, Status.SUCCESS, null, Usage.NONE);
    start(1, null);
    log.encodeAndDecode();
    assertThat(log.state().after(log.state().get(1)).orElseThrow().number()).isEqualTo(3);
    assertThat(log.state().after(log.state().get(2))).as("still running").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "'two'", "99999999999"})
  void invalidAgentNumber_isTolerated(String agent) {
    log.frame("{'action':'start','n':1,'agent':" + agent + "}", "");
    assertThat(log.state().get(1).agent()).isIn(0, Integer.MAX_VALUE);
  }
}

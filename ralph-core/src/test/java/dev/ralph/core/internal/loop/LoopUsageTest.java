package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Usage;
import dev.ralph.core.internal.control.RunToken;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.core.internal.loop.run.HandClock;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.domain.ProcessIdentity;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The usage of agents: sums, reports and budgets. */
@Timeout(120)
class LoopUsageTest extends LoopFixture {

  private static final Usage SOME = Usage.of(10, 2, new BigDecimal("0.01"));

  @Test
  void usage_isSummedOverIterations() {
    LoopResult result =
        loop(turn -> AgentResult.success().usage(SOME.withCachedTokens(5))).maxIterations(3).run();

    assertThat(result.usage())
        .isEqualTo(Usage.of(30, 6, new BigDecimal("0.03")).withCachedTokens(15));
    assertThat(session.iterations().usage()).isEqualTo(result.usage());
  }

  @Test
  void usage_isReportedOncePerChange() {
    loop(turn -> {
          turn.usage(SOME);
          turn.usage(SOME);
          turn.usage(SOME.plus(SOME));
          return AgentResult.success();
        })
        .maxIterations(1)
        .run();

    assertThat(events.stream().filter(event -> event.type() == LoopEvent.Type.USAGE))
        .extracting(event -> event.data().json())
        .containsExactly(
            "{\"usage\":{\"input_tokens\":10,\"output_tokens\":2,\"cost_usd\":0.01}}",
            "{\"usage\":{\"input_tokens\":20,\"output_tokens\":4,\"cost_usd\":0.02}}");
  }

  @Test
  void nullUsage_failsTheIteration() {
    List<Agent> agents =
        List.of(
            turn -> {
              turn.usage(SOME);
              turn.usage(null);
              return AgentResult.success();
            },
            turn -> {
              turn.usage(SOME);
              return AgentResult.success().usage(null);
            });

    for (Agent agent : agents) {
      LoopResult result = loop(agent).maxFailures(1).run();

      assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
      assertThat(result.usage()).isEqualTo(SOME);
      assertThat(session.iterations().last().orElseThrow().summary()).contains("Usage.NONE");
    }
  }

  @Test
  @SuppressWarnings("NullAway") // an unchecked agent may pass null
  void nullOutputOrNotice_failsTheIteration() {
    List<Agent> agents =
        List.of(
            turn -> {
              turn.output(null);
              return AgentResult.success();
            },
            turn -> {
              turn.notice(null);
              return AgentResult.success();
            });

    for (Agent agent : agents) {
      assertThat(loop(agent).maxFailures(1).run().reason()).isEqualTo(StopReason.FAILURES);
      assertThat(session.iterations().last().orElseThrow().summary()).endsWith("must not be null");
    }
  }

  @Test
  void throwingAgent_keepsItsLastUsage() {
    loop(turn -> {
          turn.usage(SOME);
          throw new IllegalStateException("crash");
        })
        .maxIterations(1)
        .run();

    assertThat(session.iterations().usage()).isEqualTo(SOME);
  }

  @Test
  void timedOutAgent_keepsItsLastUsage() {
    HandClock clock = new HandClock();
    try (Ralph store = Ralph.builder().store("memory").clock(clock).open()) {
      Session timed = store.session("s");
      LoopResult result =
          timed
              .loop(
                  turn -> {
                    turn.usage(SOME);
                    clock.advance(Duration.ofHours(1));
                    new CountDownLatch(1).await();
                    return AgentResult.success();
                  })
              .directory(folder)
              .iterationTimeLimit(Duration.ofHours(1))
              .maxIterations(1)
              .run();

      assertThat(timed.iterations().last().orElseThrow().status())
          .isEqualTo(Iteration.Status.TIMEOUT);
      assertThat(result.usage()).isEqualTo(SOME.plus(Usage.UNKNOWN));
    }
  }

  @Test
  void usageOfResult_replacesEarlierReports() {
    loop(turn -> {
          turn.usage(SOME);
          return AgentResult.success().usage(SOME.plus(SOME));
        })
        .maxIterations(1)
        .run();

    assertThat(session.iterations().usage()).isEqualTo(SOME.plus(SOME));
  }

  @Test
  void unknownUsage_isOmittedFromEvents() {
    loop(turn -> AgentResult.success()).maxIterations(1).run();

    assertThat(only(LoopEvent.Type.ITERATION_ENDED).data().has("usage")).isFalse();
    assertThat(only(LoopEvent.Type.LOOP_ENDED).data().has("usage")).isFalse();
  }

  // ---- budgets

  /** Returns an agent that reports one usage step per millisecond until it is cancelled. */
  private static Agent spender(Usage step) {
    return turn -> {
      Usage used = Usage.NONE;
      while (!turn.cancelled()) {
        used = used.plus(step);
        turn.usage(used);
        Thread.sleep(1);
      }
      return AgentResult.failure("cut off");
    };
  }

  @Test
  void exhaustedCostBudget_endsTheRunningAgent() {
    LoopResult result =
        loop(spender(Usage.of(1, 1, new BigDecimal("1.28")))).maxCost(new BigDecimal("5")).run();

    // The agent may report more usage before it is ended.
    assertThat(result.toString())
        .startsWith("budget after 1 iteration: the budget of $5.00 is used up: $");
    assertThat(result.usage().costUsd()).isGreaterThanOrEqualTo(new BigDecimal("5.12"));
    assertThat(statuses()).containsExactly(Iteration.Status.INTERRUPTED);
    assertThat(session.iterations().list().get(0).summary()).contains("$5.00 is used up");
    assertThat(session.iterations().usage()).isEqualTo(result.usage());
  }

  @Test
  void exhaustedTokenBudget_endsTheLoopAfterTheIteration() {
    Usage each = Usage.of(30, 10, null).withCachedTokens(60);

    LoopResult result =
        loop(turn -> AgentResult.success().usage(each)).maxTokens(250).maxIdle(0).run();

    assertThat(result)
        .hasToString("budget after 3 iterations: the budget of 250 tokens is used up: 300 tokens");
  }

  @Test
  void iterationOverItsBudget_isEndedAsFailed() {
    LoopResult result =
        loop(spender(Usage.of(60, 0, null))).iterationMaxTokens(100).maxFailures(2).run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(statuses()).containsExactly(Iteration.Status.FAILURE, Iteration.Status.FAILURE);
    assertThat(session.iterations().list().get(0).summary())
        .isEqualTo("the budget of 100 tokens for an iteration is used up: 120 tokens");
  }

  @Test
  void completion_takesPrecedenceOverTheBudget() {
    LoopResult result =
        loop(turn -> {
              turn.session().control().complete();
              return AgentResult.success().usage(SOME);
            })
            .maxTokens(1)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
  }

  @Test
  void unknownCost_isReportedForACostLimit() {
    loop(turn -> AgentResult.success().usage(Usage.of(1, 1, null)))
        .maxCost(BigDecimal.ONE)
        .maxIterations(2)
        .run();

    assertThat(only(LoopEvent.Type.NOTICE).message()).contains("reports no cost");
  }

  @Test
  void unknownCost_isReportedWhileTheAgentWorks() {
    List<String> known = new CopyOnWriteArrayList<>();

    loop(turn -> {
          turn.usage(Usage.of(1, 1, null));
          events.forEach(event -> known.add(event.type() + " " + event.message()));
          return AgentResult.success();
        })
        .maxCost(BigDecimal.ONE)
        .maxIterations(1)
        .run();

    assertThat(known).last().asString().startsWith("NOTICE the agent reports no cost");
  }

  @Test
  void missingUsage_isReportedForATokenLimit() {
    loop(turn -> AgentResult.success()).maxTokens(1).maxIterations(2).run();

    assertThat(only(LoopEvent.Type.NOTICE).message())
        .isEqualTo("the agent reports no usage, so the limit of the tokens is not in force");
  }

  @Test
  void partialUsage_isReportedForATokenLimit() {
    Usage partial = SOME.plus(Usage.UNKNOWN);

    LoopResult result =
        loop(turn -> AgentResult.success().usage(partial)).maxTokens(24).maxIdle(0).run();

    assertThat(result.reason()).isEqualTo(StopReason.BUDGET);
    assertThat(only(LoopEvent.Type.NOTICE).message()).contains("applies to the reported part");
    assertThat(only(LoopEvent.Type.LOOP_ENDED).data().object("usage").json())
        .isEqualTo("{\"input_tokens\":20,\"output_tokens\":4,\"cost_usd\":0.02,\"partial\":true}");
  }

  @Test
  void exhaustedBudget_takesPrecedenceOverFailures() {
    LoopResult result =
        loop(turn -> AgentResult.failure("late").usage(SOME)).maxTokens(24).maxFailures(2).run();

    assertThat(result.reason()).isEqualTo(StopReason.BUDGET);
  }

  @Test
  void agentObservingItsBudget_endsTheLoopByBudget() {
    List<BigDecimal> budgets = new CopyOnWriteArrayList<>();

    LoopResult result =
        loop(turn -> {
              budgets.add(turn.maxCost());
              Usage used = Usage.of(1, 1, new BigDecimal("0.4"));
              if (turn.maxCost().compareTo(used.costUsd()) <= 0) {
                turn.usage(used);
                return AgentResult.failure("my budget is used up");
              }
              return AgentResult.success().usage(used);
            })
            .maxCost(BigDecimal.ONE)
            .iterationMaxCost(new BigDecimal("0.9"))
            .maxFailures(1)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.BUDGET);
    assertThat(budgets)
        .containsExactly(new BigDecimal("0.9"), new BigDecimal("0.6"), new BigDecimal("0.2"));
    assertThat(statuses()).last().isEqualTo(Iteration.Status.INTERRUPTED);
  }

  // ---- crashes

  @Test
  void usageOfKilledRun_countsInTheNextBudget() {
    LedgerIterationLog iterations = ((LiveSession) session).iterations();
    ProcessIdentity killed = new ProcessIdentity(ProcessIdentity.current().host(), 4_000_000, 1);
    loop(turn -> AgentResult.success().usage(SOME)).maxIterations(1).run();
    RunToken token = RunToken.take();
    ((LiveSession) session).control().startLoop(killed, token, 2, 0, 1, null);
    token.release();
    iterations.start(null, killed, 0, null);
    iterations.complete(2, Iteration.Status.SUCCESS, null, SOME);
    iterations.start(null, killed, 0, null);
    iterations.used(3, SOME.plus(SOME));

    LoopResult result = loop(turn -> AgentResult.success()).maxTokens(36).run();

    assertThat(result)
        .hasToString("budget after 0 iterations: the budget of 36 tokens is used up: 36 tokens");
    assertThat(session.iterations().list().get(2).status()).isEqualTo(Iteration.Status.INTERRUPTED);
    assertThat(session.iterations().usage())
        .as("usage after the last record is unknown")
        .isEqualTo(Usage.of(40, 8, new BigDecimal("0.04")).plus(Usage.UNKNOWN));
    assertThat(events)
        .extracting(LoopEvent::message)
        .contains(
            "the interrupted run counts towards the budget; used: at least 30 tokens in,"
                + " 6 out, $0.03",
            "the interrupted run had started 2 iterations; this run may start up to 50 more");

    assertThat(loop(turn -> AgentResult.success()).maxTokens(36).maxIterations(1).run().reason())
        .as("a new run after a finished run")
        .isEqualTo(StopReason.MAX_ITERATIONS);
  }

  @Test
  void budgetFrom_countsEarlierIterations() {
    loop(turn -> AgentResult.success().usage(SOME)).maxIterations(3).run();

    assertThat(loop(turn -> AgentResult.success()).maxTokens(24).budgetFrom(2).run())
        .hasToString("budget after 0 iterations: the budget of 24 tokens is used up: 24 tokens");
    assertThat(
            loop(turn -> AgentResult.success().usage(SOME))
                .maxTokens(36)
                .budgetFrom(2)
                .maxIterations(5)
                .run())
        .hasToString("budget after 1 iteration: the budget of 36 tokens is used up: 36 tokens");
    assertThat(events)
        .extracting(LoopEvent::message)
        .noneMatch(message -> message.contains("cut off"));
  }

  @Test
  void usage_isRecordedBeforeTheIterationEnds() throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    Agent agent =
        turn -> {
          turn.usage(SOME);
          await(seen);
          return AgentResult.success();
        };
    try (Loop loop = loop(agent).maxIterations(1).build()) {
      Thread runs = new Thread(loop::run);
      runs.start();
      while (!session.iterations().usage().equals(SOME)) {
        Thread.onSpinWait();
      }
      assertThat(statuses()).containsExactly(Iteration.Status.RUNNING);
      seen.countDown();
      runs.join();
    }
    assertThat(session.iterations().usage()).isEqualTo(SOME);
  }
}

package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a loop does with what agents use. */
@Timeout(60)
class LoopUsageTest extends LoopFixture {

  private static final Usage SOME = Usage.of(10, 2, new BigDecimal("0.01"));

  @Test
  void sumsUsage() {
    LoopResult result =
        loop(turn -> AgentResult.success().usage(SOME.withCachedTokens(5))).maxIterations(3).run();

    assertThat(result.usage())
        .isEqualTo(Usage.of(30, 6, new BigDecimal("0.03")).withCachedTokens(15));
    assertThat(session.iterations().usage()).isEqualTo(result.usage());
  }

  @Test
  void usageIsToldWhileItStreamsInOnceForEachChange() {
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
  void whatWasToldLastCountsForAnAgentThatThrows() {
    loop(turn -> {
          turn.usage(SOME);
          throw new IllegalStateException("crash");
        })
        .maxIterations(1)
        .run();

    assertThat(session.iterations().usage()).isEqualTo(SOME);
  }

  @Test
  void whatWasToldLastCountsForAnAgentWhoseTimeIsUp() {
    LoopResult result =
        loop(turn -> {
              turn.usage(SOME);
              new CountDownLatch(1).await();
              return AgentResult.success();
            })
            .iterationTimeLimit(Duration.ofMillis(50))
            .maxIterations(1)
            .run();

    assertThat(statuses()).containsExactly(Iteration.Status.TIMEOUT);
    assertThat(result.usage()).isEqualTo(SOME);
  }

  @Test
  void theResultOfAnAgentCountsMoreThanWhatItToldBefore() {
    loop(turn -> {
          turn.usage(SOME);
          return AgentResult.success().usage(SOME.plus(SOME));
        })
        .maxIterations(1)
        .run();

    assertThat(session.iterations().usage()).isEqualTo(SOME.plus(SOME));
  }

  @Test
  void whatIsNotKnownOfUsageIsAbsentFromEvents() {
    loop(turn -> AgentResult.success()).maxIterations(1).run();

    assertThat(only(LoopEvent.Type.ITERATION_ENDED).data().has("usage")).isFalse();
    assertThat(only(LoopEvent.Type.LOOP_ENDED).data().has("usage")).isFalse();
  }
}

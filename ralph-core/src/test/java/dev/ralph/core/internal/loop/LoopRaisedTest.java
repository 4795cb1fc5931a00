package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.Control;
import dev.ralph.Control.More;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.Usage;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits that are raised while a loop runs. */
class LoopRaisedTest extends LoopFixture {

  private Control control() {
    return session.control();
  }

  private static Usage used(String usd, long tokens) {
    return Usage.of(tokens, 0, new BigDecimal(usd));
  }

  @Test
  void raisedIterations_areAddedToTheLimit() {
    LoopResult result =
        loop(turn -> {
              if (turn.iteration() == 2) {
                control().raise(More.iterations(1));
                control().raise(More.iterations(2));
              }
              return AgentResult.success();
            })
            .maxIterations(2)
            .maxIdle(0)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(result.iterations()).isEqualTo(5);
  }

  @Test
  void raisedLimit_isReported() {
    loop(turn -> {
          control().raise(More.iterations(3));
          assertThat(control().running().orElseThrow().limit()).isEqualTo(4);
          control().stop("seen");
          return AgentResult.success();
        })
        .maxIterations(1)
        .run();
  }

  @Test
  void budget_isRaisedDuringAnIteration() {
    LoopResult result =
        loop(turn -> {
              if (turn.iteration() == 1) {
                control().raise(More.cost(new BigDecimal("1.50")));
                control().raise(More.tokens(100));
              }
              return AgentResult.success().usage(used("0.80", 60));
            })
            .maxCost(BigDecimal.ONE)
            .maxTokens(100)
            .maxIterations(20)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.BUDGET);
    assertThat(result.iterations()).as("$2.40 of $2.50 after three, $3.20 after four").isEqualTo(4);
  }

  @Test
  void forgedRaise_doesNoHarm() {
    LoopResult result =
        loop(turn -> {
              for (String cost : List.of("1E-999999999", "1E+999999999", "-5", "1E-999999998")) {
                Meta raise = Meta.of("action", "raise").with("cost_usd", new BigDecimal(cost));
                ralph.append(Topic.of("ralph.s.control"), raise, "");
              }
              return AgentResult.success().usage(used("1.00", 60));
            })
            .maxCost(BigDecimal.ONE)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.BUDGET);
    assertThat(result.iterations()).isEqualTo(1);
  }

  @Test
  void raise_endsWithItsLoop() {
    loop(turn -> {
          control().raise(More.iterations(2));
          control().stop("enough");
          return AgentResult.success();
        })
        .maxIterations(1)
        .run();

    assertThat(loop(turn -> AgentResult.success()).maxIterations(1).run().iterations())
        .isEqualTo(1);
  }

  @Test
  void raiseWithoutLoop_isRejected() {
    assertThatThrownBy(() -> control().raise(More.iterations(1)))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("no loop runs");
  }

  @Test
  void raiseOfUnlimitedIterations_isRejected() {
    loop(turn -> {
          assertThatThrownBy(() -> control().raise(More.iterations(1)))
              .hasMessageContaining("no iteration limit to raise");
          control().stop("enough");
          return AgentResult.success();
        })
        .maxIterations(0)
        .run();
  }

  @ParameterizedTest
  @CsvSource({"0, , 0", "-1, , 0", "0, 0, 0", "0, -1, 0", "0, , -1", "1, -1, 1"})
  void raiseByZeroOrLess_isRejected(int iterations, BigDecimal cost, long tokens) {
    assertThatThrownBy(() -> new More(iterations, cost, tokens))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("by more than 0");
  }
}

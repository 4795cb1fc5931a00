package dev.ralph.core.internal.loop.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Usage;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.loop.policy.Limits;
import dev.ralph.log.Meta;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Budgets of runs and iterations, as far as agents report their usage. */
class BudgetTest {

  private static final String NO_COST = "the agent reports no cost";
  private static final String NOTHING = "the agent reports no usage";
  private static final String PART = "the usage of an iteration was reported only in part";

  private static Limits limits(@Nullable BigDecimal cost, @Nullable Long tokens) {
    return new Limits(cost, tokens);
  }

  private static Usage usage(String words) {
    if (words.equals("nothing")) {
      return Usage.NONE;
    }
    if (words.equals("unknown")) {
      return Usage.UNKNOWN;
    }
    String[] parts = words.split(" ");
    return Usage.of(
        Long.parseLong(parts[0]), 0, parts.length == 1 ? null : new BigDecimal(parts[1]));
  }

  /**
   * The first four values are the cost and tokens of the run, and the cost and tokens of an
   * iteration.
   */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "5, -, -, -, 100,     COST",
        "-, -, 5, -, 100,     COST",
        "5, 9, 5, 9, 100,     COST",
        "5, -, -, -, 100 1,   -",
        "5, -, -, -, 0 1,     -",
        "5, -, -, -, nothing, -",
        "-, 9, -, 9, 100,     -",
        "-, -, -, -, 100,     -",
      })
  void unknownCostOfRunningAgent_isReportedOnce(
      @Nullable BigDecimal cost,
      @Nullable Long tokens,
      @Nullable BigDecimal costOfOne,
      @Nullable Long tokensOfOne,
      String soFar,
      @Nullable String said) {
    Budget budget = new Budget(limits(cost, tokens));
    Budget.Share share = budget.begin(1, limits(costOfOne, tokensOfOne));
    String words = share.blindTo(usage(soFar));
    if (said == null) {
      assertThat(words).isNull();
    } else {
      assertThat(words).startsWith(NO_COST);
      assertThat(share.blindTo(usage(soFar))).as("reported only once").isNull();
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "-, -, -, -, unknown, true,  -",
        "-, -, -, -, nothing, true,  -",
        "5, -, -, -, unknown, true,  PART",
        "-, -, -, 9, unknown, false, PART",
        "5, -, -, -, nothing, true,  NOTHING the cost",
        "-, -, 5, -, nothing, true,  NOTHING the cost",
        "-, 9, -, -, nothing, true,  NOTHING the tokens",
        "-, -, -, 9, nothing, true,  NOTHING the tokens",
        "5, -, -, -, nothing, false, -",
        "5, -, -, -, 100,     true,  NO_COST",
        "5, -, -, -, 100,     false, NO_COST",
        "-, 9, -, -, 100,     true,  -",
        "5, -, -, -, 100 1,   true,  -",
      })
  void missingUsageOfEndedIteration_isReportedOnce(
      @Nullable BigDecimal cost,
      @Nullable Long tokens,
      @Nullable BigDecimal costOfOne,
      @Nullable Long tokensOfOne,
      String all,
      boolean well,
      @Nullable String said) {
    Budget budget = new Budget(limits(cost, tokens));
    Budget.Share share = budget.begin(1, limits(costOfOne, tokensOfOne));
    String words = share.blindToEnded(usage(all), well);
    if (said == null) {
      assertThat(words).isNull();
    } else {
      assertThat(words)
          .startsWith(said.equals("PART") ? PART : said.equals("NO_COST") ? NO_COST : NOTHING);
      assertThat(words).contains(said.startsWith("NOTHING ") ? said.substring(8) : "");
      assertThat(share.blindToEnded(usage(all), well)).as("reported only once").isNull();
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "-, -, 10 2, -",
        "5, -, 10 2, 3",
        "5, -, 10,   5",
        "-, 4, 10 2, 4",
        "5, 4, 10 2, 3",
        "5, 2, 10 2, 2",
        "5, 3, 10 2, 3",
        "5, 9, 10 6, -1",
      })
  void iteration_mayCostTheSmallerLimit(
      @Nullable BigDecimal ofRun,
      @Nullable BigDecimal ofIteration,
      String used,
      @Nullable BigDecimal left) {
    Budget budget = new Budget(limits(ofRun, null));
    budget.add(usage(used));
    Budget.Share share = budget.begin(1, limits(ofIteration, null));
    assertThat(share.left()).isEqualTo(left);
    assertThat(budget.isLimited()).isEqualTo(ofRun != null);
  }

  @Test
  void exhaustedBudget_staysExhausted() {
    Budget budget = new Budget(limits(null, 100L));
    budget.add(usage("50"));
    Budget.Share share = budget.begin(1, limits(null, 80L));
    assertThat(budget.reached()).isNull();
    assertThat(share.reachedWith(usage("49"))).isNull();
    assertThat(share.reachedByIteration(usage("79"))).isNull();
    assertThat(share.reachedByIteration(usage("80")))
        .isEqualTo("the budget of 80 tokens for an iteration is used up: 80 tokens");

    String words = "the budget of 100 tokens is used up: 100 tokens";
    assertThat(share.reachedWith(usage("50"))).isEqualTo(words);

    share.end(usage("1"));
    assertThat(share.reachedWith(usage("0"))).isNull();
    assertThat(budget.reached()).isEqualTo(words);
  }

  @Test
  void endedIterations_useUpTheBudget() {
    Budget budget = new Budget(limits(new BigDecimal("5"), null));
    budget.add(usage("10 2.5"));
    assertThat(budget.reached()).isNull();
    budget.add(usage("10 2.5"));
    assertThat(budget.reached()).isEqualTo("the budget of $5.00 is used up: $5.00");
  }

  @Test
  void parallelIterations_shareTheBudget() {
    Budget budget = new Budget(limits(new BigDecimal("5"), null));
    Budget.Share one = budget.begin(1, limits(null, null));
    Budget.Share two = budget.begin(1, limits(null, null));

    assertThat(one.reachedWith(usage("10 2"))).isNull();
    assertThat(two.left()).isEqualTo(new BigDecimal("3"));
    assertThat(two.reachedWith(usage("10 3"))).isEqualTo("the budget of $5.00 is used up: $5.00");
    one.end(usage("10 2"));
    assertThat(budget.reached()).isNotNull();
  }

  @Test
  void recordedBudget_namesRunningIterationsAndRaises() {
    Budget budget = new Budget(limits(new BigDecimal("5"), null));
    Budget.Share one = budget.begin(7, limits(null, null));
    budget.begin(8, limits(null, null));
    budget.raise(new ControlState.Raised("2", 0));
    one.end(usage("10 2"));
    budget.begin(9, limits(null, null));

    assertThat(budget.json())
        .isEqualTo(
            Meta.parse(
                """
                {"max_cost_usd":7,"raised_cost_usd":2,\
                "used":{"input_tokens":10,"output_tokens":0,"cost_usd":2},"running":[8,9]}
                """));
  }
}

package dev.ralph.core.internal.cost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Iteration;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.Usage;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Meta;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostsTest {

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("s");
  private final LedgerIterationLog iterations = (LedgerIterationLog) session.iterations();
  private final Map<Integer, WorkOrigin> records = new HashMap<>();

  @AfterEach
  void close() {
    ralph.close();
  }

  private void begin(int agent, String budget) {
    int number = iterations.start(null, ProcessIdentity.current(), agent, null).number();
    if (!budget.isEmpty()) {
      Meta data = Meta.of("folder", "/x").with("budget", Meta.parse(budget));
      records.put(
          number, WorkOrigin.NOTHING.with(new RecordEntry(RecordEntry.Type.BEGIN, data, null)));
    }
  }

  private void end(int number, String cost) {
    Usage usage = Usage.of(10, 0, new BigDecimal(cost));
    iterations.complete(number, Iteration.Status.SUCCESS, null, usage);
  }

  private Meta budget() {
    return Objects.requireNonNull(
        Costs.budget(session, number -> records.getOrDefault(number, WorkOrigin.NOTHING)));
  }

  private BigDecimal used() {
    return Objects.requireNonNull(
        Usage.of(Objects.requireNonNull(budget().object("used"))).costUsd());
  }

  @Test
  void severalAgents_budgetIsTheSumOfTheRun() {
    begin(0, "{\"max_cost_usd\":9,\"used\":{}}"); // an earlier run
    end(1, "5");
    begin(1, "{\"max_cost_usd\":2,\"used\":{},\"running\":[2,3,4]}");
    begin(2, "{\"max_cost_usd\":2,\"used\":{},\"running\":[2,3,4]}");
    begin(3, "{\"max_cost_usd\":2,\"used\":{},\"running\":[2,3,4]}");
    end(2, "0.25");
    iterations.used(3, Usage.of(10, 0, new BigDecimal("0.5")));
    assertThat(used()).isEqualByComparingTo("0.75");

    begin(1, "{\"max_cost_usd\":2,\"used\":{\"cost_usd\":0.25},\"running\":[3,4,5]}");
    end(4, "0.10");
    end(3, "0.55");
    end(5, "0.05");
    assertThat(used()).isEqualByComparingTo("0.95");
  }

  @Test
  void workerWithoutARecord_budgetStays() {
    begin(1, "{\"max_cost_usd\":2,\"used\":{\"cost_usd\":1},\"running\":[1,2]}");
    begin(2, "");
    iterations.used(1, Usage.of(10, 0, new BigDecimal("0.5")));
    iterations.used(2, Usage.of(10, 0, new BigDecimal("0.2")));
    assertThat(used()).isEqualByComparingTo("1.7");
    end(2, "0.3");
    assertThat(Costs.budget(session, number -> WorkOrigin.NOTHING)).isNull();
  }

  @Test
  void olderRecordWithoutRunning_countsTheNewestIteration() {
    begin(0, "{\"max_cost_usd\":2,\"used\":{\"cost_usd\":1}}");
    end(1, "0.5");
    assertThat(used()).isEqualByComparingTo("1.5");
  }

  @ParameterizedTest
  @CsvSource({
    "'{\"max_cost_usd\":2}', 0, 0, '{\"max_cost_usd\":2}'",
    "'{\"max_cost_usd\":2}', 3, 5, '{\"max_cost_usd\":5}'",
    "'{\"max_cost_usd\":3,\"raised_cost_usd\":1}', 1, 0, '{\"max_cost_usd\":3}'",
    "'{\"max_cost_usd\":3,\"raised_cost_usd\":1}', 1.5, 0, '{\"max_cost_usd\":3.5}'",
    "'{\"max_cost_usd\":3,\"raised_cost_usd\":1}', 0, 0, '{\"max_cost_usd\":3}'",
    "'{\"max_tokens\":100}', 1, 50, '{\"max_tokens\":150}'",
    "'{\"max_cost_usd\":1,\"max_tokens\":100,\"raised_tokens\":20}', 2, 50,"
        + " '{\"max_cost_usd\":3,\"max_tokens\":130}'",
  })
  void raisedLimits_areThePresentLimits(String recorded, String cost, long tokens, String present) {
    Meta limits = Costs.present(Meta.parse(recorded), new ControlState.Raised(cost, tokens));

    Meta expected = Meta.parse(present);
    for (String name : new String[] {"max_cost_usd", "max_tokens"}) {
      assertThat(limits.number(name))
          .as(name)
          .usingComparator(CostsTest::compare)
          .isEqualTo(expected.number(name));
    }
  }

  private static int compare(BigDecimal one, BigDecimal other) {
    return one == null || other == null ? (one == other ? 0 : 1) : one.compareTo(other);
  }
}

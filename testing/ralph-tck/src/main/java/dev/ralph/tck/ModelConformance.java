package dev.ralph.tck;

import dev.ralph.tck.internal.model.RandomPrograms;
import dev.ralph.tck.internal.model.TestedStore;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Compares a store with a plain list: random programs of operations run on both. A program with
 * different results is shrunk and printed with its seed.
 *
 * <p>The system property {@code ralph.tck.programs} sets the number of programs, {@code
 * ralph.tck.operations} the number of operations of each, and {@code ralph.tck.seed} the seed of
 * the first; further programs have the next seeds. The default seed changes daily.
 */
public abstract class ModelConformance extends StoreConformance {

  @Test
  @Timeout(value = 1, unit = TimeUnit.DAYS)
  void randomPrograms_matchAPlainList() {
    long seed =
        Long.getLong("ralph.tck.seed", LocalDate.now(ZoneOffset.UTC).toEpochDay() * 1_000_000);
    int programs = Integer.getInteger("ralph.tck.programs", 100);
    int operations = Integer.getInteger("ralph.tck.operations", 60);
    report(programs + " programs of " + operations + " operations, from seed " + seed + " on");
    StoreFixture fixture = fixture();
    TestedStore tested =
        new TestedStore(
            fixture.provider(),
            fixture.capabilities(),
            fixture.keepsSnapshots(),
            fixture::place,
            fixture::drop);
    RandomPrograms checked = new RandomPrograms(tested, temporary, operations);
    for (long s = seed; s < seed + programs; s++) {
      checked.run(s);
    }
  }
}

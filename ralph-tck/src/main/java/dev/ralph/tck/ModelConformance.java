package dev.ralph.tck;

import dev.ralph.tck.internal.model.RandomPrograms;
import dev.ralph.tck.internal.model.Tried;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever the order in which its methods are used, a store answers like a plain list. Random
 * programs of operations run on the store and on such a list; of one on which they disagree, a
 * program as small as can be found is printed, with the seed that it came from.
 *
 * <p>The system property {@code ralph.tck.programs} says how many programs run, {@code
 * ralph.tck.operations} how long each is, and {@code ralph.tck.seed} the seed of the first; each
 * further one has the next. Without it the seed changes with the day.
 */
public abstract class ModelConformance extends StoreConformance {

  @Test
  @Timeout(value = 1, unit = TimeUnit.DAYS)
  void randomProgramsAgreeWithAPlainList() {
    long seed =
        Long.getLong("ralph.tck.seed", LocalDate.now(ZoneOffset.UTC).toEpochDay() * 1_000_000);
    int programs = Integer.getInteger("ralph.tck.programs", 100);
    int operations = Integer.getInteger("ralph.tck.operations", 60);
    report(programs + " programs of " + operations + " operations, from seed " + seed + " on");
    StoreFixture fixture = fixture();
    Tried tried =
        new Tried(
            fixture.provider(),
            fixture.capabilities(),
            fixture.keepsSnapshots(),
            fixture::place,
            fixture::drop);
    RandomPrograms checked = new RandomPrograms(tried, temporary, operations);
    for (long s = seed; s < seed + programs; s++) {
      checked.run(s);
    }
  }
}

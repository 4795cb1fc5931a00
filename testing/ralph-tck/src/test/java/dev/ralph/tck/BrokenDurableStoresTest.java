package dev.ralph.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Tests that the suites about processes, class loaders, damage and kills detect each defect. Only
 * the test that should detect the defect runs.
 */
@Tag("broken")
@Tag("slow")
class BrokenDurableStoresTest {

  private static final Map<DurableMistake, String> CAUGHT_BY = new LinkedHashMap<>();

  static {
    caught(DurableMistake.MINTS_BEFORE_IT_LOCKS, "Concurrency.eightAppenders_loseNothing");
    caught(DurableMistake.CHECKS_FORWARD_ONLY, "Damage.flippedBit_isDetected");
    caught(DurableMistake.KEEPS_THE_REST_OF_A_BATCH, "Damage.flippedBit_isDetected");
    caught(DurableMistake.REPEATS_BEHIND_DAMAGE, "Damage.flippedBit_isDetected");
    caught(DurableMistake.VERIFIES_NOTHING, "Damage.damage_isReportedByAllReaders");
    caught(DurableMistake.READS_OVER_DAMAGE_SILENTLY, "Damage.damage_isReportedByAllReaders");
    caught(DurableMistake.CUTS_OFF_DAMAGE, "Damage.damage_isUnchangedByReopenAndAppend");
    caught(DurableMistake.APPENDS_WHERE_IT_SAW_THE_END, "ClassLoader.twoClassLoaders_shareOneLog");
    caught(DurableMistake.CLOSES_THE_REFUSED_CHANNEL, "ClassLoader.twoClassLoaders_shareOneLog");
    caught(DurableMistake.GOES_BY_THE_SPELLING, "ClassLoader.twoClassLoaders_shareOneLog");
    caught(DurableMistake.GETS_STALE, "Process.foreignFrame_isFoundById");
    caught(DurableMistake.TELLS_TOPICS_STALE, "Process.foreignTopic_isListed");
    caught(DurableMistake.TELLS_THE_LAST_STALE, "Process.foreignFrame_isTheLast");
    caught(DurableMistake.READS_BACKWARD_STALE, "Process.backwardRead_startsWithForeignFrames");
    caught(DurableMistake.ENDS_CURSORS_STALE, "Process.endedCursor_continuesWithForeignFrames");
    caught(DurableMistake.FINDS_BATCHES_STALE, "Process.foreignBatch_isFoundById");
    caught(DurableMistake.IMPORTS_AGAIN, "Process.foreignImport_isNotImportedAgain");
    caught(
        DurableMistake.TAKES_AN_APPEND_FOR_DAMAGE, "Process.verifyDuringAppends_reportsNoDamage");
    caught(DurableMistake.WAITS_TOO_LONG_FOR_THE_LOCK, "Crash.stoppedWriter_isNamedInTime");
    caught(DurableMistake.WRITES_WHEN_IT_SYNCS, "Crash.killedOnlyUser_losesNothingAcknowledged");
    caught(
        DurableMistake.TAKES_IN_WHAT_IS_LEFT_WHEN_IT_APPENDS,
        "Crash.appendAfterKill_addsOnlyItsOwnFrames");
    caught(
        DurableMistake.LOCKS_BY_A_FILE_THAT_EXISTS,
        "Crash.killedOnlyUser_losesNothingAcknowledged");
  }

  private static void caught(DurableMistake mistake, String test) {
    CAUGHT_BY.put(mistake, test);
  }

  @AfterEach
  void forgetMistake() {
    System.clearProperty(DurableProvider.MISTAKE);
  }

  private static KitRun run(Class<?> suite, DurableMistake mistake) {
    System.setProperty(DurableProvider.MISTAKE, mistake.name());
    return KitRun.of(suite, new DurableFixture(mistake));
  }

  @Test
  void soundStores_passAllTests() {
    for (DurableMistake none : List.of(DurableMistake.NONE, DurableMistake.NONE_ALONE)) {
      for (Class<?> suite : SUITES.values()) {
        KitRun run = run(suite, none);
        assertThat(run.firstFailure()).as("%s by %s", none, run.failure()).isNull();
        assertThat(run.skipped()).isEmpty();
        assertThat(run.passed()).isNotEmpty();
      }
    }
  }

  @Test
  void everyMistake_hasATest() {
    assertThat(CAUGHT_BY.keySet())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(DurableMistake.values())
                .filter(mistake -> !mistake.name().startsWith("NONE"))
                .toList());
  }

  @TestFactory
  Stream<DynamicTest> mistakes_failTheNamedTest() {
    return CAUGHT_BY.entrySet().stream()
        .map(
            each ->
                dynamicTest(
                    each.getKey() + " is caught by " + each.getValue(),
                    () -> {
                      String suite = each.getValue().substring(0, each.getValue().indexOf('.'));
                      System.setProperty(DurableProvider.MISTAKE, each.getKey().name());
                      KitRun run =
                          KitRun.of(
                              SUITES.get(suite),
                              each.getValue(),
                              new DurableFixture(each.getKey()));
                      assertThat(run.firstFailure())
                          .as("failed test, run alone, with\n%s", run.failure())
                          .isEqualTo(each.getValue());
                    }));
  }

  private static final class DurableFixture implements StoreFixture {

    private final DurableMistake mistake;

    private DurableFixture(DurableMistake mistake) {
      this.mistake = mistake;
    }

    @Override
    public FrameStoreProvider provider() {
      return new DurableProvider();
    }

    @Override
    public Set<Capability> capabilities() {
      return DurableStore.capabilities(mistake);
    }

    @Override
    public List<String> jvmArguments() {
      return List.of("-D" + DurableProvider.MISTAKE + "=" + mistake);
    }
  }

  private static final Map<String, Class<?>> SUITES =
      Map.of(
          "Concurrency", Concurrency.class,
          "Damage", Damage.class,
          "ClassLoader", ClassLoader.class,
          "Process", Process.class,
          "Crash", Crash.class);

  /** The concurrency suite on the store of the present run. */
  static final class Concurrency extends ConcurrencyConformance {
    @Override
    protected StoreFixture fixture() {
      return KitRun.current;
    }
  }

  /** The damage suite on the store of the present run. */
  static final class Damage extends DamageConformance {
    @Override
    protected StoreFixture fixture() {
      return KitRun.current;
    }
  }

  /** The class loader suite on the store of the present run. */
  static final class ClassLoader extends ClassLoaderConformance {
    @Override
    protected StoreFixture fixture() {
      return KitRun.current;
    }
  }

  /** The process suite on the store of the present run. */
  static final class Process extends ProcessConformance {
    @Override
    protected StoreFixture fixture() {
      return KitRun.current;
    }
  }

  /** The crash suite on the store of the present run. */
  static final class Crash extends CrashConformance {
    @Override
    protected StoreFixture fixture() {
      return KitRun.current;
    }
  }
}

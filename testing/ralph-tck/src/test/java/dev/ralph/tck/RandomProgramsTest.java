package dev.ralph.tck;

import static dev.ralph.tck.BrokenStores.wrapped;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.tck.BrokenStores.Opener;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that random programs detect defects, are shrunk, and can be repeated by seed. */
class RandomProgramsTest {

  private static final Pattern SEED = Pattern.compile("-Dralph\\.tck\\.seed=(-?\\d+)");

  @AfterEach
  void forgetProperties() {
    System.clearProperty("ralph.tck.seed");
    System.clearProperty("ralph.tck.programs");
  }

  @Test
  void failure_printsMinimalProgram() {
    String message = failure(wrapped(BrokenStores.LastIgnoresTheFilter::new));
    assertThat(operations(message)).hasSize(2);
    assertThat(operations(message).get(0)).startsWith("append [");
    assertThat(operations(message).get(1)).startsWith("last ");
    assertThat(message).contains("Failure: ").contains("-Dralph.tck.programs=1");
  }

  @Test
  void importDefect_isShrunkToImportAndReopen() {
    String message = failure(wrapped(BrokenStores.ForgetsTopicsOfImports::new));
    assertThat(operations(message)).hasSize(1);
    assertThat(operations(message).get(0)).startsWith("append [").contains("imported as");
    assertThat(message).contains("after the store was reopened: ");
  }

  @Test
  void defects_areFoundByRandomPrograms() {
    for (Opener opener :
        List.of(
            wrapped(BrokenStores.MatchesNamesThatBeginAlike::new),
            wrapped(BrokenStores.GivesOneMoreThanTheLimit::new),
            wrapped(BrokenStores.ReadsBlocksForward::new),
            wrapped(BrokenStores.EndsCursorsForGood::new),
            wrapped(BrokenStores.ForgetsBatches::new),
            wrapped(BrokenStores.IgnoresConditions::new),
            wrapped(BrokenStores.TellsTopicsThatWereRefused::new),
            (Opener) BrokenStores::losesTheLastFrame,
            (Opener) BrokenStores.StepsIdsBackWithTheClock::new,
            wrapped(BrokenStores.CutsAtNul::new),
            wrapped(BrokenStores.RepeatsWhereHistoryEnds::new))) {
      assertThat(operations(failure(opener))).hasSizeBetween(1, 5);
    }
  }

  @Test
  void printedSeed_repeatsTheFailure() {
    Opener opener = wrapped(BrokenStores.IgnoresConditions::new);
    String message = failure(opener);
    Matcher seed = SEED.matcher(message);
    assertThat(seed.find()).isTrue();
    System.setProperty("ralph.tck.seed", seed.group(1));
    System.setProperty("ralph.tck.programs", "1");
    assertThat(operations(failure(opener))).isEqualTo(operations(message));
  }

  private static String failure(Opener opener) {
    KitRun run = KitRun.of(KitRun.Programs.class, KitRun.fixture(opener));
    assertThat(run.firstFailure()).isEqualTo("Programs.randomPrograms_matchAPlainList");
    return String.valueOf(run.failure());
  }

  /** Returns the numbered lines of the message. */
  private static List<String> operations(String message) {
    List<String> operations = new ArrayList<>();
    Matcher line = Pattern.compile("(?m)^ +\\d+\\. (.*)$").matcher(message);
    while (line.find()) {
      operations.add(line.group(1));
    }
    return operations;
  }
}

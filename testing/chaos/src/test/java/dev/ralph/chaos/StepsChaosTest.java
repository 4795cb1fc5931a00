package dev.ralph.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Kills processes during steps, with ten steps per round. */
class StepsChaosTest {

  private static final int STEPS = 10 * Integer.getInteger("chaos.rounds");

  @Test
  void killedSteps_haveOneEffectAndKeepResults() throws Exception {
    String given = System.getProperty("chaos.seed", "");
    long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
    Path all = Files.createDirectories(Path.of(System.getProperty("chaos.directory")));
    Path directory = Files.createTempDirectory(all, "run-");

    StepRounds.Figures figures =
        StepRounds.run(Stores.address("file", directory.resolve("store")), directory, STEPS, seed);

    System.out.println("seed " + seed + ": " + STEPS + " steps, " + figures);
    assertThat(figures.kills()).isGreaterThan(STEPS / 20);
    assertThat(figures.interrupted()).isPositive();
    assertThat(figures.repeated()).isPositive();
    Folder.delete(directory);
  }
}

package dev.ralph.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Kills the agents of one repository, and the loop that merges their commits. */
class AgentsChaosTest {

  private static final int TASKS = Integer.getInteger("chaos.tasks");

  @Test
  void killedAgents_loseAndRepeatNothing() throws Exception {
    String given = System.getProperty("chaos.seed", "");
    long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
    Path all = Files.createDirectories(Path.of(System.getProperty("chaos.directory")));
    Path directory = Files.createTempDirectory(all, "agents-");

    AgentRounds.Figures figures = AgentRounds.run(directory, TASKS, seed);

    System.out.println("seed " + seed + ": " + TASKS + " tasks, " + figures);
    assertThat(figures.hosts()).isPositive();
    assertThat(figures.agents()).isPositive();
    Folder.delete(directory);
  }
}

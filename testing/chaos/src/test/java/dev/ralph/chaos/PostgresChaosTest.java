package dev.ralph.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.store.postgres.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Runs the tests of {@link ChaosTest} on PostgreSQL, with server crashes and closed connections.
 */
class PostgresChaosTest {

  private static final int ROUNDS = Integer.getInteger("chaos.rounds");

  private static final String CUT =
      "select pg_terminate_backend(pid) from pg_stat_activity"
          + " where application_name = 'ralph' and random() < 0.5";

  private PostgresServer server;
  private Path directory;
  private long seed;
  private int crashes;
  private int cuts;

  @BeforeEach
  void prepare() throws Exception {
    String given = System.getProperty("chaos.seed", "");
    seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
    Path all = Files.createDirectories(Path.of(System.getProperty("chaos.directory")));
    directory = Files.createTempDirectory(all, "run-");
    server = PostgresServer.start();
  }

  @AfterEach
  void remove() {
    System.out.println("seed " + seed + ": " + crashes + " crashes, " + cuts + " times cut");
    server.remove();
  }

  /** Crashes the server, closes connections, or does nothing. */
  private void strike(SplittableRandom random) {
    switch (random.nextInt(3)) {
      case 0 -> {
        server.crash();
        server.resume();
        crashes++;
      }
      case 1 -> {
        server.execute(CUT);
        cuts++;
      }
      default -> {
        // only the writers are killed
      }
    }
  }

  @Test
  void acknowledgedFrames_areKeptOnce() throws Exception {
    RoundTotals totals =
        KillRounds.run(
            "postgres",
            home -> server.address("k" + home.getFileName().toString().replaceAll("\\W", "")),
            this::strike,
            directory,
            ROUNDS,
            seed);

    assertThat(totals.rounds()).isEqualTo(ROUNDS);
    assertThat(totals.acknowledged()).isGreaterThan(ROUNDS * 20L);
    Folder.delete(directory);
  }

  @Test
  void killedDeletion_isWholeOrNone() throws Exception {
    DeletionRounds.Figures figures =
        DeletionRounds.run(server.address("deletions"), false, directory, ROUNDS, seed);

    System.out.println("postgres, " + figures);
    assertThat(figures.whole() + figures.deleted()).isEqualTo(ROUNDS + 1);
    assertThat(figures.killed()).isPositive();
    Folder.delete(directory);
  }

  @Test
  void histories_areLinearizable() throws Exception {
    Histories.judged(server.address("histories"), this::strike, directory, 100 * ROUNDS, seed);
    Folder.delete(directory);
  }

  @Test
  void hosts_claimEachTaskOnce() throws Exception {
    ClaimRounds.run(server.address("claims"), directory);
    Folder.delete(directory);
  }
}

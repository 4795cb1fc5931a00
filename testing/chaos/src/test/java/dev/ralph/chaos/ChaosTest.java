package dev.ralph.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs each kind of failure for a short time. {@code -Dchaos.rounds} sets the length, {@code
 * -Dchaos.seed} repeats a failed run. Files of failed runs stay below {@code target/chaos}.
 */
class ChaosTest {

  private static final int ROUNDS = Integer.getInteger("chaos.rounds");

  /** The lock timeout of two seconds, with a margin for a busy machine. */
  private static final Duration LOCKED_WITHIN = Duration.ofMillis(2_500);

  /** Well below the lock timeout, with a margin for a busy machine. */
  private static final Duration APPENDED_WITHIN = Duration.ofSeconds(1);

  private static final int OPERATIONS = 100 * ROUNDS;

  private long seed;
  private Path directory;

  @BeforeEach
  void prepare() throws IOException {
    String given = System.getProperty("chaos.seed", "");
    seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
    System.out.println("seed " + seed);
    directory = Path.of(System.getProperty("chaos.directory"));
    Files.createDirectories(directory);
    directory = Files.createTempDirectory(directory, "run-");
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void killedWriters_loseNothing(String kind) throws Exception {
    RoundTotals totals = KillRounds.run(kind, directory, ROUNDS, seed);

    assertThat(totals.rounds()).isEqualTo(ROUNDS);
    assertThat(totals.acknowledged()).isGreaterThan(ROUNDS * 4L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void killedDeletion_isWholeOrNone(boolean served) throws Exception {
    DeletionRounds.Figures figures =
        DeletionRounds.run(
            Stores.address("file", directory.resolve("store")), served, directory, ROUNDS, seed);

    System.out.println((served ? "socket, " : "file, ") + figures);
    assertThat(figures.whole() + figures.deleted()).isEqualTo(ROUNDS + 1);
    assertThat(figures.killed()).isPositive();
    Folder.delete(directory);
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void powerCut_keepsSyncedFrames(String kind) throws Exception {
    assertThat(Disk.whyNot()).isNull();
    RoundTotals totals = PowerCutRounds.run(kind, directory, ROUNDS, seed);

    assertThat(totals.rounds()).isEqualTo(ROUNDS);
    assertThat(totals.acknowledged()).isGreaterThan(ROUNDS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void stoppedHolder_delaysOthersBriefly(String kind) throws Exception {
    HolderRounds.Times times = HolderRounds.run(kind, directory, ROUNDS, seed);

    // the median allows for a busy machine
    assertThat(times.untilLocked().get(ROUNDS / 2)).isLessThan(LOCKED_WITHIN);
    assertThat(times.afterKill().get(ROUNDS / 2)).isLessThan(APPENDED_WITHIN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void failedSync_abandonsTheSegment(String kind) throws Exception {
    Path store = directory.resolve("store");
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    Path segment = segment(kind, store, today, 1);
    try (WriterProcesses writers =
        new WriterProcesses(Stores.address(kind, store), directory, 2, seed, true)) {
      // The 20th sync of the segment by one writer fails, as on a disk with a bad block. A failed
      // sync of a content file only rejects one append.
      writers.wrap(
          0,
          "strace",
          "-f",
          "-qq",
          "-o",
          directory.resolve("strace").toString(),
          "-P",
          segment.toString(),
          "-e",
          "trace=fsync,fdatasync",
          "-e",
          "inject=fsync,fdatasync:error=EIO:when=20");
      writers.work();
      await("a sync fails", () -> account(writers, 0).unknown() > 0);
      awaitAppends(writers, 3);
      String held = digest(segment);
      awaitAppends(writers, 20);

      assertThat(digest(segment)).as("digest of the segment").isEqualTo(held);
      assertThat(segment(kind, store, today, 2)).exists();
      WriterProcesses.kill(writers.running());
      try (FrameStore opened = Stores.open(kind, store)) {
        assertThat(LogCheck.of(opened, writers.programs(), writers::accounts).wrong()).isEmpty();
      }
    }
    Folder.delete(directory);
  }

  /**
   * Returns the file of the given number that a new store writes to; Chronicle's files are named by
   * date.
   */
  private static Path segment(String kind, Path store, LocalDate today, int number) {
    return kind.equals("file")
        ? store.resolve("log/0000000" + number + ".jsonl")
        : store.resolve(
            "queue/"
                + DateTimeFormatter.BASIC_ISO_DATE.format(today.plusDays(number - 1))
                + "F.cq4");
  }

  private static String digest(Path file) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (InputStream in = Files.newInputStream(file)) {
      byte[] buffer = new byte[1 << 20];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        digest.update(buffer, 0, read);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static void awaitAppends(WriterProcesses writers, int more) throws InterruptedException {
    for (int writer = 0; writer < 2; writer++) {
      int number = writer;
      int before = account(writers, number).acknowledged().size();
      await(
          "writer " + number + " goes on",
          () -> account(writers, number).acknowledged().size() >= before + more);
    }
  }

  private static Journal.Account account(WriterProcesses writers, int writer) {
    try {
      return Journal.read(writers.journal(writer));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      Thread.sleep(20);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void processes_claimEachTaskOnce(String kind) throws Exception {
    ClaimRounds.run(Stores.address(kind, directory.resolve("store")), directory);
    Folder.delete(directory);
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void histories_areLinearizable(String kind) throws Exception {
    Histories.judged(
        Stores.address(kind, directory.resolve("store")), none -> {}, directory, OPERATIONS, seed);
    Folder.delete(directory);
  }
}

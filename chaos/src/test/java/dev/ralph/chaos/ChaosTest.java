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
 * A short run of everything. {@code -Dchaos.rounds} makes it longer, {@code -Dchaos.seed} repeats
 * what failed. What a failure leaves stays below {@code target/chaos}.
 */
class ChaosTest {

  private static final int ROUNDS = Integer.getInteger("chaos.rounds");

  /** The two seconds that an append waits for the lock, and what a busy machine adds. */
  private static final Duration LOCKED_WITHIN = Duration.ofMillis(2_500);

  /** Much less than the two seconds, on a busy machine too. */
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
  void killedWritersLoseNothing(String kind) throws Exception {
    Totals totals = KillRounds.run(kind, directory, ROUNDS, seed);

    assertThat(totals.rounds()).isEqualTo(ROUNDS);
    assertThat(totals.acknowledged()).isGreaterThan(ROUNDS * 4L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void whatWasSyncedOutlivesAPowerCut(String kind) throws Exception {
    assertThat(Disk.whyNot()).isNull();
    Totals totals = PowerCutRounds.run(kind, directory, ROUNDS, seed);

    assertThat(totals.rounds()).isEqualTo(ROUNDS);
    assertThat(totals.acknowledged()).isGreaterThan(ROUNDS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void theHolderOfTheLockCostsOthersLittle(String kind) throws Exception {
    HolderRounds.Times times = HolderRounds.run(kind, directory, ROUNDS, seed);

    // A busy machine may be late now and then.
    assertThat(times.untilLocked().get(ROUNDS / 2)).isLessThan(LOCKED_WITHIN);
    assertThat(times.afterKill().get(ROUNDS / 2)).isLessThan(APPENDED_WITHIN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void afterAFailedSyncNobodyWritesToThatSegmentAgain(String kind) throws Exception {
    Path store = directory.resolve("store");
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    Path segment = segment(kind, store, today, 1);
    try (WriterProcesses crew =
        new WriterProcesses(Stores.address(kind, store), directory, 2, seed, true)) {
      // The 20th sync of the segment by one writer fails, as on a disk with a bad block; a content
      // file's sync that fails refuses one append, and nothing else.
      crew.wrap(
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
      crew.work();
      await("a sync fails", () -> account(crew, 0).unknown() > 0);
      awaitAppends(crew, 3);
      String held = digest(segment);
      awaitAppends(crew, 20);

      assertThat(digest(segment)).as("what the segment holds").isEqualTo(held);
      assertThat(segment(kind, store, today, 2)).exists();
      WriterProcesses.kill(crew.running());
      try (FrameStore opened = Stores.open(kind, store)) {
        assertThat(Check.of(opened, crew.programs(), crew::accounts).wrong()).isEmpty();
      }
    }
    Folder.delete(directory);
  }

  /** Returns the file of that number which a new store writes to; those on Chronicle have dates. */
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

  private static void awaitAppends(WriterProcesses crew, int more) throws InterruptedException {
    for (int writer = 0; writer < 2; writer++) {
      int number = writer;
      int before = account(crew, number).acknowledged().size();
      await(
          "writer " + number + " goes on",
          () -> account(crew, number).acknowledged().size() >= before + more);
    }
  }

  private static Journal.Account account(WriterProcesses crew, int writer) {
    try {
      return Journal.read(crew.journal(writer));
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
  void manyProcessesThatClaimTheSameTasksGetEachOnce(String kind) throws Exception {
    ClaimRounds.run(Stores.address(kind, directory.resolve("store")), directory);
    Folder.delete(directory);
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void whatProcessesSeeAndDoIsLinearizable(String kind) throws Exception {
    Histories.judged(
        Stores.address(kind, directory.resolve("store")), none -> {}, directory, OPERATIONS, seed);
    Folder.delete(directory);
  }
}

package dev.ralph.chaos;

import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Cuts the power at random moments. Two writers share a store on a disk that loses unsynced writes;
 * each append that was acknowledged as synced must survive.
 */
public final class PowerCutRounds {

  private static final int WRITERS = 2;
  private static final int ROUNDS_PER_STORE = 10;
  private static final int LONGEST_WORK_MILLIS = 400;
  private static final long DISK_BYTES = 1L << 30;

  private PowerCutRounds() {}

  /**
   * Runs the rounds and prints totals regularly.
   *
   * @throws AssertionError if a check failed, with the place of the kept files
   */
  static RoundTotals run(String kind, Path directory, int rounds, long seed)
      throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    RoundTotals totals = new RoundTotals("power cut, " + kind);
    for (int first = 0; first < rounds; first += ROUNDS_PER_STORE) {
      Path home = Files.createDirectories(directory.resolve(kind + "-cut-" + first));
      try (Disk disk = Disk.make(home, DISK_BYTES)) {
        Path store = disk.root().resolve("store");
        try (WriterProcesses writers =
            new WriterProcesses(
                Stores.address(kind, store), home, WRITERS, random.nextLong(), false)) {
          for (int round = first; round < Math.min(rounds, first + ROUNDS_PER_STORE); round++) {
            writers.work();
            Thread.sleep(random.nextInt(LONGEST_WORK_MILLIS));
            cut(disk, writers);
            check(kind, store, writers, home, seed, round, totals);
          }
        }
      }
      totals.newStore();
      Folder.delete(home);
      System.out.println(totals);
    }
    return totals;
  }

  /**
   * Cuts the power. Acknowledgements during the cut do not count, because a write and fsync that
   * race with the kernel's shutdown of the file system may report success and be lost.
   */
  private static void cut(Disk disk, WriterProcesses writers) throws IOException {
    note(writers, Journal::cutting);
    disk.cutPower();
    WriterProcesses.kill(writers.running());
    disk.restorePower();
    note(writers, Journal::cut);
  }

  private interface Note {
    void to(Journal journal) throws IOException;
  }

  private static void note(WriterProcesses writers, Note note) throws IOException {
    for (WriterProgram program : writers.programs()) {
      try (Journal journal = Journal.open(writers.journal(program.writer()))) {
        note.to(journal);
      }
    }
  }

  private static void check(
      String kind,
      Path directory,
      WriterProcesses writers,
      Path home,
      long seed,
      int round,
      RoundTotals totals)
      throws IOException {
    LogCheck.Result result;
    try (FrameStore store = Stores.open(kind, directory)) {
      result = LogCheck.of(store, writers.programs(), writers::accounts);
    }
    totals.round(WRITERS, result, writers.accounts());
    if (!result.wrong().isEmpty()) {
      Path kept = home.resolve("left");
      Shell.run("cp", "-r", directory.toString(), kept.toString());
      List<String> wrong = result.wrong();
      throw new AssertionError(
          "round " + round + " with seed " + seed + " left in " + kept + ": " + wrong);
    }
  }

  /**
   * Runs rounds.
   *
   * @param args the kind of store, a directory, the number of rounds, and optionally a seed
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    long seed = args.length > 3 ? Long.parseLong(args[3]) : System.nanoTime();
    System.out.println("seed " + seed);
    run(args[0], Path.of(args[1]), Integer.parseInt(args[2]), seed);
  }
}

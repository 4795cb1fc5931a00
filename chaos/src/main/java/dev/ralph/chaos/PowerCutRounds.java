package dev.ralph.chaos;

import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Power cuts at random moments: two writers share a store on a disk of its own, whose unsynced
 * writes are forgotten; every append acknowledged as synced must be there when it comes back.
 */
public final class PowerCutRounds {

  private static final int WRITERS = 2;
  private static final int ROUNDS_PER_STORE = 10;
  private static final int LONGEST_WORK_MILLIS = 400;
  private static final long DISK_BYTES = 1L << 30;

  private PowerCutRounds() {}

  /**
   * Runs the rounds, and prints what came of them every so often.
   *
   * @throws AssertionError if anything was wrong, saying where to look
   */
  static Totals run(String kind, Path directory, int rounds, long seed)
      throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    Totals totals = new Totals("power cut, " + kind);
    for (int first = 0; first < rounds; first += ROUNDS_PER_STORE) {
      Path home = Files.createDirectories(directory.resolve(kind + "-cut-" + first));
      try (Disk disk = Disk.make(home, DISK_BYTES)) {
        Path store = disk.root().resolve("store");
        try (WriterProcesses crew =
            new WriterProcesses(
                Stores.address(kind, store), home, WRITERS, random.nextLong(), false)) {
          for (int round = first; round < Math.min(rounds, first + ROUNDS_PER_STORE); round++) {
            crew.work();
            Thread.sleep(random.nextInt(LONGEST_WORK_MILLIS));
            cut(disk, crew);
            check(kind, store, crew, home, seed, round, totals);
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
   * What is acknowledged during the cut doesn't count: a plain write and fsync that race with the
   * kernel's shutdown of the file system are told of success now and then, and lost.
   */
  private static void cut(Disk disk, WriterProcesses crew) throws IOException {
    note(crew, Journal::cutting);
    disk.cutPower();
    WriterProcesses.kill(crew.running());
    disk.restorePower();
    note(crew, Journal::cut);
  }

  private interface Note {
    void to(Journal journal) throws IOException;
  }

  private static void note(WriterProcesses crew, Note note) throws IOException {
    for (Program program : crew.programs()) {
      try (Journal journal = Journal.open(crew.journal(program.writer()))) {
        note.to(journal);
      }
    }
  }

  private static void check(
      String kind,
      Path directory,
      WriterProcesses crew,
      Path home,
      long seed,
      int round,
      Totals totals)
      throws IOException {
    Check.Result result;
    try (FrameStore store = Stores.open(kind, directory)) {
      result = Check.of(store, crew.programs(), crew::accounts);
    }
    totals.round(WRITERS, result, crew.accounts());
    if (!result.wrong().isEmpty()) {
      Path kept = home.resolve("left");
      Shell.run("cp", "-r", directory.toString(), kept.toString());
      List<String> wrong = result.wrong();
      throw new AssertionError(
          "round " + round + " with seed " + seed + " left in " + kept + ": " + wrong);
    }
  }

  /**
   * Runs as many rounds as are asked for.
   *
   * @param args the kind of store, a directory, the number of rounds, and a seed if one is given
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    long seed = args.length > 3 ? Long.parseLong(args[3]) : System.nanoTime();
    System.out.println("seed " + seed);
    run(args[0], Path.of(args[1]), Integer.parseInt(args[2]), seed);
  }
}

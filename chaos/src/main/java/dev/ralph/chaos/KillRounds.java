package dev.ralph.chaos;

import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Kill -9 at random moments: four writers share a store; in each round some or all of them are
 * killed while the others go on, the log is held against the journals, and the dead are replaced.
 */
public final class KillRounds {

  private static final int WRITERS = 4;
  private static final int ROUNDS_PER_STORE = 5;
  private static final int LONGEST_WORK_MILLIS = 400;

  /** In a round: else those that go on fill the log faster than it can be read. */
  private static final int MOST_BATCHES = 500;

  private KillRounds() {}

  /**
   * Runs the rounds, and prints what came of them every so often.
   *
   * @param kind the kind of store
   * @param directory where stores and journals go; what is wrong stays there
   * @throws AssertionError if anything was wrong, saying where to look
   */
  static Totals run(String kind, Path directory, int rounds, long seed)
      throws IOException, InterruptedException {
    return run(
        kind,
        home -> Stores.address(kind, home.resolve("store")),
        none -> {},
        directory,
        rounds,
        seed);
  }

  /** What fails in a round besides the writers. */
  interface Fault {
    void strike(SplittableRandom random) throws IOException;
  }

  /**
   * Runs the rounds on stores that may be elsewhere.
   *
   * @param store the address of the store for a folder of its own
   * @param fault strikes once in a round, while the writers work
   */
  static Totals run(
      String kind, Function<Path, String> store, Fault fault, Path directory, int rounds, long seed)
      throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    Totals totals = new Totals("kill -9, " + kind);
    for (int first = 0; first < rounds; first += ROUNDS_PER_STORE) {
      Path home = Files.createDirectories(directory.resolve(kind + "-kill-" + first));
      int last = Math.min(rounds, first + ROUNDS_PER_STORE);
      String address = store.apply(home);
      try (WriterProcesses crew =
          new WriterProcesses(address, home, WRITERS, random.nextLong(), false)) {
        crew.atMost(MOST_BATCHES);
        for (int round = first; round < last; round++) {
          crew.work();
          Thread.sleep(random.nextInt(LONGEST_WORK_MILLIS));
          fault.strike(random);
          List<Process> victims = crew.running();
          victims = random.nextInt(3) == 0 ? victims : some(victims, random);
          WriterProcesses.kill(victims);
          check(address, crew, home, seed, round, victims.size(), totals);
        }
      }
      totals.newStore();
      Folder.delete(home);
      System.out.println(totals);
    }
    return totals;
  }

  private static List<Process> some(List<Process> all, SplittableRandom random) {
    int from = random.nextInt(all.size());
    return all.subList(from, from + 1 + random.nextInt(all.size() - from));
  }

  private static void check(
      String address,
      WriterProcesses crew,
      Path home,
      long seed,
      int round,
      int killed,
      Totals totals)
      throws IOException {
    Check.Result result;
    try (FrameStore store = Stores.open(address)) {
      result = Check.of(store, crew.programs(), crew::accounts);
    }
    totals.round(killed, result, crew.accounts());
    if (!result.wrong().isEmpty()) {
      throw new AssertionError(
          "round " + round + " with seed " + seed + " left in " + home + ": " + result.wrong());
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

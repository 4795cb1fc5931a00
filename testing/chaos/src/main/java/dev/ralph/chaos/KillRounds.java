package dev.ralph.chaos;

import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Kills writers at random moments. Four writers share a store; each round kills some or all of
 * them, checks the log against the journals while the others continue, and replaces the killed
 * ones.
 */
public final class KillRounds {

  private static final int WRITERS = 4;
  private static final int ROUNDS_PER_STORE = 5;
  private static final int LONGEST_WORK_MILLIS = 400;

  /**
   * The maximum number of batches per round, so that continuing writers do not outpace the check.
   */
  private static final int MOST_BATCHES = 500;

  private KillRounds() {}

  /**
   * Runs the rounds and prints totals regularly.
   *
   * @param kind the kind of store
   * @param directory the directory of stores and journals; files of failed rounds are kept
   * @param rounds the number of rounds
   * @param seed the seed of all random decisions
   * @return the totals
   * @throws AssertionError if a check failed, with the place of the kept files
   */
  static RoundTotals run(String kind, Path directory, int rounds, long seed)
      throws IOException, InterruptedException {
    return run(
        kind,
        home -> Stores.address(kind, home.resolve("store")),
        none -> {},
        directory,
        rounds,
        seed);
  }

  /** A fault besides the killed writers. */
  interface Fault {
    void strike(SplittableRandom random) throws IOException;
  }

  /**
   * Runs the rounds on stores at any address.
   *
   * @param kind the kind of store
   * @param store returns the address of a store for a folder
   * @param fault called once per round while the writers work
   * @param directory the directory of journals
   * @param rounds the number of rounds
   * @param seed the seed of all random decisions
   * @return the totals
   */
  static RoundTotals run(
      String kind, Function<Path, String> store, Fault fault, Path directory, int rounds, long seed)
      throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    RoundTotals totals = new RoundTotals("kill -9, " + kind);
    for (int first = 0; first < rounds; first += ROUNDS_PER_STORE) {
      Path home = Files.createDirectories(directory.resolve(kind + "-kill-" + first));
      int last = Math.min(rounds, first + ROUNDS_PER_STORE);
      String address = store.apply(home);
      try (WriterProcesses writers =
          new WriterProcesses(address, home, WRITERS, random.nextLong(), false)) {
        writers.atMost(MOST_BATCHES);
        for (int round = first; round < last; round++) {
          writers.work();
          Thread.sleep(random.nextInt(LONGEST_WORK_MILLIS));
          fault.strike(random);
          List<Process> victims = writers.running();
          victims = random.nextInt(3) == 0 ? victims : some(victims, random);
          WriterProcesses.kill(victims);
          check(address, writers, home, seed, round, victims.size(), totals);
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
      WriterProcesses writers,
      Path home,
      long seed,
      int round,
      int killed,
      RoundTotals totals)
      throws IOException {
    LogCheck.Result result;
    try (FrameStore store = Stores.open(address)) {
      result = LogCheck.of(store, writers.programs(), writers::accounts);
    }
    totals.round(killed, result, writers.accounts());
    if (!result.wrong().isEmpty()) {
      throw new AssertionError(
          "round " + round + " with seed " + seed + " left in " + home + ": " + result.wrong());
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

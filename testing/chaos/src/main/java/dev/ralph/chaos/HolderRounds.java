package dev.ralph.chaos;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.LockedException;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Stops the holder of the store's lock; all other writers must report the holder's pid; then kills
 * the holder, and the writers must continue at once. Needs Linux to find the holder of a lock.
 */
public final class HolderRounds {

  private static final Topic TOPIC = Topic.of("chaos.holder.a");
  private static final int MOST_STOPS = 2_000;

  private HolderRounds() {}

  /**
   * The times of all rounds, in ascending order.
   *
   * @param untilLocked from the call of an append to its failure
   * @param afterKill from the holder's end to the end of a synced append
   */
  record Times(List<Duration> untilLocked, List<Duration> afterKill) {}

  /**
   * Runs the rounds and prints the times.
   *
   * @param kind the kind of store
   * @param directory the directory of the store and the journals; files of failed rounds are kept
   * @param rounds the number of rounds
   * @param seed the seed of all random decisions
   * @return the times; not checked
   * @throws AssertionError if a check failed
   */
  static Times run(String kind, Path directory, int rounds, long seed)
      throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    Path home = Files.createDirectories(directory.resolve(kind + "-holder"));
    Path directoryOfStore = home.resolve("store");
    List<Duration> untilLocked = new ArrayList<>();
    List<Duration> afterKill = new ArrayList<>();
    try (WriterProcesses writers =
        new WriterProcesses(Stores.address(kind, directoryOfStore), home, 1, seed, false)) {
      writers.work();
      try (FrameStore store = Stores.open(kind, directoryOfStore)) {
        append(store, 0);
        for (int round = 1; round <= rounds; round++) {
          writers.work();
          Process holder = writers.running().get(0);
          stopAsHolder(holder, directoryOfStore.resolve("lock"), random);
          untilLocked.add(timeUntilLocked(store, holder));
          WriterProcesses.kill(List.of(holder));
          long start = System.nanoTime();
          append(store, round);
          afterKill.add(Duration.ofNanos(System.nanoTime() - start));
        }
        List<?> damage = store.verify();
        if (!damage.isEmpty()) {
          throw new AssertionError("seed " + seed + " left in " + home + ": " + damage);
        }
      }
    }
    Folder.delete(home);
    Collections.sort(untilLocked);
    Collections.sort(afterKill);
    System.out.printf(
        Locale.ROOT,
        "lock holders, %s: %d rounds; stopped: LOCKED with its pid within %d ms; "
            + "killed: next append after %.1f ms (median), %.1f at the most%n",
        kind,
        rounds,
        untilLocked.get(rounds - 1).toMillis(),
        afterKill.get(rounds / 2).toNanos() / 1e6,
        afterKill.get(rounds - 1).toNanos() / 1e6);
    return new Times(untilLocked, afterKill);
  }

  private static void append(FrameStore store, int number) {
    Draft draft = Draft.of(TOPIC, Meta.of("n", number), "");
    store.append(Batch.of("holder-" + System.nanoTime(), List.of(draft)));
  }

  private static Duration timeUntilLocked(FrameStore store, Process holder) {
    long start = System.nanoTime();
    try {
      append(store, -1);
    } catch (LockedException locked) {
      if (locked.pid() != holder.pid()) {
        throw new AssertionError("LOCKED names " + locked.pid() + ", not " + holder.pid());
      }
      return Duration.ofNanos(System.nanoTime() - start);
    }
    throw new AssertionError("an append succeeded although the stopped process holds the lock");
  }

  /** Stops the process repeatedly until stopped with the lock. */
  private static void stopAsHolder(Process process, Path lock, SplittableRandom random)
      throws IOException, InterruptedException {
    String pid = "" + process.pid();
    String inode = ":" + Files.getAttribute(lock, "unix:ino") + " ";
    for (int i = 0; i < MOST_STOPS; i++) {
      Thread.sleep(random.nextInt(3), random.nextInt(1_000_000));
      Shell.run("kill", "-STOP", pid);
      awaitStopped(pid);
      for (String held : Files.readAllLines(Path.of("/proc/locks"))) {
        if (held.contains(" " + pid + " ") && held.contains(inode) && !held.contains("->")) {
          return;
        }
      }
      Shell.run("kill", "-CONT", pid);
    }
    throw new AssertionError("the writer was never stopped while it held the lock");
  }

  private static void awaitStopped(String pid) throws IOException {
    Path state = Path.of("/proc", pid, "stat");
    while (!Files.readString(state).contains(") T ")) {
      Thread.onSpinWait();
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

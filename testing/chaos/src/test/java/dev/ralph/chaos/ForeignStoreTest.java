package dev.ralph.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.Thread.UncaughtExceptionHandler;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Opens stores that an attacker has changed: no file outside the store changes, no file grows
 * without reason, no call hangs, and each error has a message for users.
 *
 * <p>{@code -Dchaos.foreign} sets the number of stores, for example 100,000 after a change of the
 * reading code, and {@code -Dchaos.seed} selects them. A failing store is kept below {@code
 * target/chaos}, and the failure shows how to repeat the test.
 */
class ForeignStoreTest {

  private static final int FILE_CASES = Integer.getInteger("chaos.foreign", 500);
  private static final int SEED = 20_261_124;
  private static final int WORKERS = 2;
  private static final long MILLION = 1_000_000;
  private static final long MOST_CPU_MILLIS = 20_000;
  private static final int MOST_IDLE_SECONDS = 60;
  private static final int MOST_FAILURES = 20;

  /** The maximum number of bytes that the uses of a case write. */
  private static final long MOST_WRITTEN = 16L << 20;

  /** The initial length of Chronicle's sparse roll files. */
  private static final long ROLL_FILE = 256L << 20;

  private final Path kept = Path.of(System.getProperty("chaos.directory")).toAbsolutePath();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Throwable> uncaught = new ConcurrentLinkedQueue<>();

  @Test
  void foreignFileStore_harmsNothing() throws Exception {
    run("file", FILE_CASES);
  }

  @Test
  void foreignChronicleStore_harmsNothing() throws Exception {
    run("chronicle", Math.max(1, FILE_CASES / 15));
  }

  private void run(String kind, int cases) throws Exception {
    String given = System.getProperty("chaos.seed", "");
    long seed = given.isEmpty() ? SEED : Long.parseLong(given);
    Integer only = Integer.getInteger("chaos.case");
    Logger.getLogger("").setLevel(Level.OFF); // the stores log warnings about damage
    UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> uncaught.add(e));
    Path memory = Path.of("/dev/shm"); // avoids thousands of disk syncs
    Path temporary =
        Files.isWritable(memory)
            ? Files.createTempDirectory(memory, "ralph-foreign-")
            : Files.createTempDirectory("ralph-foreign-");
    try {
      List<Path> samples = new SampleStores(kind, temporary.resolve("samples")).make();
      AtomicInteger next = new AtomicInteger(only == null ? 0 : only);
      int end = only == null ? cases : only + 1;
      List<CompletableFuture<Void>> workers = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        Worker worker = new Worker(kind, seed, samples, temporary.resolve("worker-" + i));
        workers.add(
            CompletableFuture.runAsync(
                () -> worker.work(next, end), task -> new Thread(task, "worker").start()));
      }
      for (CompletableFuture<Void> worker : workers) {
        worker.join();
      }
      assertThat(failures).as("failures of %d cases, seed %d", cases, seed).isEmpty();
      assertThat(next.get()).isGreaterThanOrEqualTo(end);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
      Folder.delete(temporary);
    }
  }

  /** Tests cases one by one in the same folder. */
  private final class Worker {
    private final String kind;
    private final long seed;
    private final List<Path> samples;
    private final Path folder;
    private @Nullable GuardedTree guarded;

    Worker(String kind, long seed, List<Path> samples, Path folder) {
      this.kind = kind;
      this.seed = seed;
      this.samples = samples;
      this.folder = folder;
    }

    void work(AtomicInteger next, int end) {
      int number = next.getAndIncrement();
      while (number < end && failures.size() < MOST_FAILURES) {
        try {
          test(number);
        } catch (Exception e) {
          failures.add(words(number, "the test itself failed", List.of(), e));
        }
        number = next.getAndIncrement();
      }
    }

    private void test(int number) throws Exception {
      GuardedTree tree = guarded;
      if (tree == null) {
        Folder.deleteIfThere(folder);
        tree = GuardedTree.make(folder.resolve("outside"), samples.get(0));
        guarded = tree;
      }
      Path store = folder.resolve("clone/project/store");
      Files.createDirectories(store.getParent());
      Path keptStore = kept.resolve("foreign-" + kind + "-" + seed + "-" + number);
      List<String> changes;
      if (Files.exists(keptStore)) { // repeats a failed case
        Folder.copy(keptStore, store);
        changes = List.of("as it was kept");
      } else {
        changes = forge(store, tree, number);
      }
      long before = size(store);
      StoreUse use = new StoreUse(kind, store, new Random(seed + number));
      String wrong = wrong(use, tree, store, before);
      if (!wrong.isEmpty()) {
        failures.add(words(number, wrong, changes, null));
        if (Files.notExists(keptStore)) {
          Folder.deleteIfThere(store);
          Files.createDirectories(store.getParent());
          forge(store, tree, number);
          Files.createDirectories(kept);
          Folder.copy(store, keptStore);
        }
        guarded = null;
      }
      Folder.deleteIfThere(folder.resolve("clone"));
    }

    /** Creates the store of a case, always the same, and returns the changes. */
    private List<String> forge(Path store, GuardedTree tree, int number) throws IOException {
      Random random = new Random(seed * 1_000_003 + number);
      int sample = random.nextInt(20);
      int last = samples.size() - 1; // the last sample is large and therefore rarely used
      Path other = samples.get(random.nextInt(samples.size()));
      Folder.copy(samples.get(sample == 0 ? last : sample % last), store);
      return new Adversary(store, other, tree.folder(), random).change();
    }

    private String wrong(StoreUse use, GuardedTree tree, Path store, long before) throws Exception {
      CompletableFuture<Void> done = new CompletableFuture<>();
      Thread user =
          new Thread(
              () -> {
                try {
                  use.run();
                  done.complete(null);
                } catch (Throwable e) {
                  done.completeExceptionally(e);
                }
              },
              "user");
      user.setDaemon(true);
      user.start();
      try {
        String hung = await(done, user);
        if (hung != null) {
          return "hangs at " + use.last() + ", " + hung;
        }
      } catch (ExecutionException e) {
        return "internal error at " + use.last() + ": " + stack(e.getCause());
      }
      Throwable unseen = uncaught.poll();
      if (unseen != null) {
        return "in another thread: " + stack(unseen);
      }
      String changed = tree.changes();
      if (!changed.isEmpty()) {
        return "files outside changed:\n" + changed;
      }
      long most = before + MOST_WRITTEN + (kind.equals("chronicle") ? ROLL_FILE : 0);
      long after = size(store);
      return after > most ? "it grew from " + before + " to " + after + " bytes" : "";
    }

    /**
     * Waits for the end of a case. The limit is CPU time or a long idle time, so that a busy
     * machine does not matter.
     *
     * @return the stack of the hanging thread, or null if the case has ended
     */
    private @Nullable String await(CompletableFuture<Void> done, Thread user)
        throws InterruptedException, ExecutionException {
      long used = 0;
      int idle = 0;
      while (true) {
        try {
          done.get(1, TimeUnit.SECONDS);
          return null;
        } catch (TimeoutException e) {
          long now = ManagementFactory.getThreadMXBean().getThreadCpuTime(user.getId()) / MILLION;
          idle = now > used ? 0 : idle + 1;
          used = Math.max(used, now);
          if (used > MOST_CPU_MILLIS || idle > MOST_IDLE_SECONDS) {
            StringBuilder where = new StringBuilder("after " + used + " ms of work");
            for (StackTraceElement each : user.getStackTrace()) {
              where.append("\n  at ").append(each);
            }
            return where.toString();
          }
        }
      }
    }

    private String words(int number, String wrong, List<String> changes, @Nullable Throwable e) {
      return String.format(
          "case %d of a %s store (%s): %s%s%nagain: -Dchaos.seed=%d -Dchaos.case=%d",
          number,
          kind,
          String.join("; ", changes),
          wrong,
          e == null ? "" : ": " + stack(e),
          seed,
          number);
    }
  }

  private static String stack(Throwable e) {
    StringWriter text = new StringWriter();
    e.printStackTrace(new PrintWriter(text));
    String all = text.toString();
    return all.length() > 3_000 ? all.substring(0, 3_000) : all;
  }

  private static long size(Path folder) throws IOException {
    long size = 0;
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        size += Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS) ? Files.size(each) : 0;
      }
    }
    return size;
  }
}

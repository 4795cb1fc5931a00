package dev.ralph.examples;

import dev.ralph.Claim;
import dev.ralph.Ralph;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.TaskLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Several processes share a list of tasks; each task is claimed and completed by one process. */
public final class ClaimingProcesses {

  private static final int TASKS = 40;
  private static final int WORKERS = 3;

  private ClaimingProcesses() {}

  /**
   * Starts the worker processes, or runs as a worker.
   *
   * @param args empty to start the workers; the store's folder and the worker's name to be a worker
   */
  public static void main(String[] args) throws Exception {
    if (args.length == 2) {
      work(Path.of(args[0]), args[1]);
      return;
    }
    Path store = Files.createTempDirectory("ralph-example").resolve("store");
    try (Ralph ralph = Ralph.open(store)) {
      TaskLog tasks = ralph.session("swarm").tasks();
      for (int i = 1; i <= TASKS; i++) {
        tasks.add("Task " + i);
      }
      List<Process> workers = new ArrayList<>();
      for (int i = 1; i <= WORKERS; i++) {
        workers.add(startWorker(store, "worker-" + i));
      }
      for (Process worker : workers) {
        if (worker.waitFor() != 0) {
          throw new IllegalStateException("a worker failed");
        }
      }
      Map<String, Integer> done = new TreeMap<>();
      for (Task task : tasks.list()) {
        Claim claim = task.claim();
        if (claim == null || task.status() != Task.Status.COMPLETED) {
          throw new IllegalStateException(task + " was left");
        }
        done.merge(claim.owner(), 1, Integer::sum);
      }
      System.out.println(TASKS + " tasks done by " + done.size() + " processes: " + done);
    }
  }

  private static Process startWorker(Path store, String name) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            ClaimingProcesses.class.getName(),
            store.toString(),
            name)
        .inheritIO()
        .start();
  }

  private static void work(Path store, String name) {
    try (Ralph ralph = Ralph.openExisting(store)) {
      TaskLog tasks = ralph.session("swarm").tasks();
      Optional<Claim> claim;
      while ((claim = tasks.claimNext(name, Duration.ofMinutes(1))).isPresent()) {
        // The work goes here. If this process dies, the lease expires and another worker claims the
        // task. If this process is slow, its token is outdated and the change is rejected.
        tasks.status(
            claim.get().taskId(),
            StatusChange.to(Task.Status.COMPLETED).under(claim.get().token()));
      }
    }
  }
}

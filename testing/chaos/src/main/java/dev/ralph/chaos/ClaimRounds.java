package dev.ralph.chaos;

import dev.ralph.Ralph;
import dev.ralph.TaskLog;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs processes on several simulated hosts that claim the same tasks. Each task has exactly one
 * winner.
 */
final class ClaimRounds {

  private static final int CLAIMERS = 16;
  private static final int HOSTS = 4;
  private static final int TASKS = 1_000;

  private ClaimRounds() {}

  /**
   * Runs the processes until no task is left.
   *
   * @param store the address of the store
   * @param folder the folder for their output
   * @throws AssertionError if a task was claimed by no process or by several
   */
  static void run(String store, Path folder) throws IOException, InterruptedException {
    try (Ralph ralph = Ralph.open(store)) {
      TaskLog tasks = ralph.session(Claimer.SESSION).tasks();
      for (int i = 1; i <= TASKS; i++) {
        tasks.add("Task " + i);
      }
    }
    List<Process> claimers = new ArrayList<>();
    for (int i = 0; i < CLAIMERS; i++) {
      ProcessBuilder builder =
          Jvm.builder(SimulatedHost.of(i % HOSTS), Claimer.class, store, "claimer-" + i);
      Path output = folder.resolve("claimer-" + i);
      claimers.add(builder.redirectOutput(output.toFile()).redirectError(Redirect.INHERIT).start());
    }
    List<String> won = new ArrayList<>();
    for (int i = 0; i < CLAIMERS; i++) {
      if (!claimers.get(i).waitFor(5, TimeUnit.MINUTES) || claimers.get(i).exitValue() != 0) {
        throw new AssertionError("claimer " + i + " failed, or did not end");
      }
      String output = Files.readString(folder.resolve("claimer-" + i), StandardCharsets.UTF_8);
      output.lines().filter(line -> !line.isEmpty()).forEach(won::add);
    }
    if (won.size() != TASKS || new HashSet<>(won).size() != TASKS) {
      throw new AssertionError(
          TASKS
              + " tasks were won "
              + won.size()
              + " times, "
              + new HashSet<>(won).size()
              + " of them");
    }
  }
}

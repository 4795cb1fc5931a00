package dev.ralph.chaos;

import dev.ralph.Ralph;
import dev.ralph.TaskLog;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Runs processes that read and write the same registers while some are killed, and passes the
 * history of operations to an independent checker of linearizability.
 */
final class Histories {

  private static final int CONTENDERS = 6;
  private static final int FEWEST_KILLS = 4;
  private static final int LONGEST_PAUSE_MILLIS = 800;

  private Histories() {}

  /**
   * Creates and judges a history.
   *
   * @param store the address of the store
   * @param fault called repeatedly during the run
   * @param folder the folder for histories and output
   * @param operations the minimum number of operations
   * @param seed the seed of all random decisions
   * @throws AssertionError if the history is not linearizable
   */
  static void judged(String store, KillRounds.Fault fault, Path folder, int operations, long seed)
      throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    try (Ralph ralph = Ralph.open(store)) {
      TaskLog tasks = ralph.session(Contender.SESSION).tasks();
      for (int i = 1; i <= Contender.TASKS; i++) {
        tasks.add("Task " + i);
      }
    }
    List<Process> running = new ArrayList<>();
    int clients = 0;
    int kills = 0;
    try {
      while (kills < FEWEST_KILLS || lines(folder, clients).size() < operations) {
        running.removeIf(process -> !process.isAlive());
        List<Process> started = new ArrayList<>();
        while (running.size() + started.size() < CONTENDERS) {
          started.add(start(store, folder, ++clients, seed));
        }
        for (Process process : started) {
          process.getInputStream().read(); // wait until the process works or has failed
        }
        running.addAll(started);
        Thread.sleep(random.nextInt(LONGEST_PAUSE_MILLIS));
        fault.strike(random);
        WriterProcesses.kill(List.of(running.get(random.nextInt(running.size()))));
        kills++;
      }
    } finally {
      WriterProcesses.kill(running.stream().filter(Process::isAlive).toList());
    }
    Path history = folder.resolve("history.jsonl");
    Files.write(history, lines(folder, clients));
    System.out.println(judge(history) + ", " + kills + " kills, seed " + seed);
  }

  private static List<String> lines(Path folder, int clients) throws IOException {
    List<String> lines = new ArrayList<>();
    for (int client = 1; client <= clients; client++) {
      Path file = file(folder, client);
      if (Files.exists(file)) {
        lines.addAll(History.lines(file, client));
      }
    }
    return lines;
  }

  private static Path file(Path folder, int client) {
    return folder.resolve("history-" + client);
  }

  private static Process start(String store, Path folder, int client, long seed)
      throws IOException {
    return Jvm.builder(
            List.of(),
            Contender.class,
            store,
            file(folder, client).toString(),
            "" + client,
            "" + seed)
        .redirectError(Redirect.appendTo(folder.resolve("contenders.err").toFile()))
        .start();
  }

  /**
   * Builds and runs the checker.
   *
   * @return the checker's output
   * @throws AssertionError if the history is not linearizable
   */
  static String judge(Path history) throws IOException, InterruptedException {
    Path judge = history.resolveSibling("judge");
    Path source = Path.of("judge").toAbsolutePath();
    Process build =
        new ProcessBuilder("go", "build", "-o", judge.toString(), ".")
            .directory(source.toFile())
            .inheritIO()
            .start();
    if (!build.waitFor(5, TimeUnit.MINUTES) || build.exitValue() != 0) {
      throw new IllegalStateException("the judge in " + source + " could not be built");
    }
    Process judging =
        new ProcessBuilder(judge.toString(), history.toString()).redirectErrorStream(true).start();
    String output =
        new String(judging.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (judging.waitFor() != 0) {
      throw new AssertionError(history + ": " + output);
    }
    return output;
  }
}

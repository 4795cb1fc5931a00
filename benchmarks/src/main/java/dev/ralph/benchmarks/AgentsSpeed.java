package dev.ralph.benchmarks;

import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.Verdict;
import dev.ralph.core.BranchMerger;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures the speed-up of twelve tasks by four agents instead of one, and the cost of merges
 * besides their gates. Four of the tasks change the same file.
 */
final class AgentsSpeed {

  private static final int TASKS = 12;
  private static final int AGENTS = 4;
  private static final Duration GIT_TIME = Duration.ofMinutes(5);

  /** The number of tasks that change the same file. */
  private static final int ON_ONE_FILE = 4;

  private AgentsSpeed() {}

  /**
   * Prints the seconds with one agent and with several, their ratio, and the relative cost of
   * merges besides gates.
   *
   * @param arguments the milliseconds of work per task, and of the gates
   */
  public static void main(String[] arguments) throws Exception {
    long work = Long.parseLong(arguments[0]);
    long gates = Long.parseLong(arguments[1]);
    double one = seconds(1, work, gates);
    double several = seconds(AGENTS, work, gates);
    System.out.printf(
        "one agent %.1f s, %d agents %.1f s: %.2fx%n", one, AGENTS, several, several / one);
    System.out.printf("merge takes %.1f %% longer than its gates%n", 100 * overhead(gates));
  }

  private static double seconds(int agents, long work, long gates) throws Exception {
    Path directory = Logs.directory().resolve("agents-" + agents);
    Logs.delete(directory);
    Path repository = repository(directory);
    try (Ralph ralph = Ralph.open(directory.resolve("store"))) {
      Session session = ralph.session("speed");
      for (int i = 1; i <= TASKS; i++) {
        boolean isOnOne = i <= ON_ONE_FILE;
        session
            .tasks()
            .add(isOnOne ? NewTask.of("task " + i).touches("Main.java") : NewTask.of("task " + i));
      }
      long begin = System.nanoTime();
      session
          .loop(turn -> work(turn, work))
          .agents(agents)
          .directory(repository)
          .gate(Gate.of("sleep", Double.toString(gates / 1e3)))
          .doneWhen(now -> true)
          .run();
      return (System.nanoTime() - begin) / 1e9;
    }
  }

  private static AgentResult work(Turn turn, long millis) throws Exception {
    Session session = turn.session();
    String given = session.iterations().running(turn.agent()).map(Iteration::task).orElse(null);
    if (given != null) {
      return done(turn, session.tasks().get(given), millis);
    }
    List<Task> ready = session.tasks().ready();
    return ready.isEmpty() ? AgentResult.success() : done(turn, ready.get(0), millis);
  }

  private static AgentResult done(Turn turn, Task task, long millis) throws Exception {
    Thread.sleep(millis);
    boolean isOnOne = task.number() <= ON_ONE_FILE;
    Path file = turn.directory().resolve(isOnOne ? "Main.java" : "Task" + task.number() + ".java");
    String before = Files.exists(file) ? Files.readString(file) : "";
    Files.writeString(file, before + "class Task" + task.number() + " {}\n");
    turn.session().tasks().complete(task.id());
    return AgentResult.success();
  }

  /** Returns the cost of merges without gates relative to the gates, for sequential tasks. */
  private static double overhead(long gates) throws Exception {
    Path directory = Logs.directory().resolve("merge");
    Logs.delete(directory);
    Path repository = repository(directory);
    List<String> pieces = new ArrayList<>();
    for (int i = 1; i <= TASKS; i++) {
      git(repository, "switch", "--quiet", "-c", "piece-" + i, "main");
      Files.writeString(repository.resolve("Task" + i + ".java"), "class Task" + i + " {}\n");
      git(repository, "add", ".");
      git(repository, "commit", "--quiet", "-m", "piece");
      pieces.add("piece-" + i);
    }
    git(repository, "branch", "merged", "main");
    AtomicLong inGates = new AtomicLong();
    long begin = System.nanoTime();
    try (BranchMerger merger = BranchMerger.onto(repository, "merged")) {
      for (String piece : pieces) {
        merger.merge(
            piece,
            piece,
            folder -> {
              long gate = System.nanoTime();
              Thread.sleep(gates);
              inGates.addAndGet(System.nanoTime() - gate);
              return Verdict.passed();
            });
      }
    }
    long all = System.nanoTime() - begin;
    return (double) (all - inGates.get()) / inGates.get();
  }

  static Path repository(Path directory) throws IOException, InterruptedException {
    Path repository = Files.createDirectories(directory.resolve("repository"));
    git(repository, "init", "--quiet", "-b", "main");
    git(repository, "config", "user.name", "Benchmark");
    git(repository, "config", "user.email", "benchmark@example.org");
    Files.writeString(repository.resolve("Main.java"), "class Main {}\n");
    git(repository, "add", ".");
    git(repository, "commit", "--quiet", "-m", "begin");
    return repository;
  }

  private static void git(Path where, String... arguments)
      throws IOException, InterruptedException {
    CommandResult answer = new Git(where, GIT_TIME).run(arguments);
    if (!answer.isGood()) {
      throw new IOException("git " + String.join(" ", arguments) + " failed: " + answer.why());
    }
  }
}

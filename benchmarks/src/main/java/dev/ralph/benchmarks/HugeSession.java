package dev.ralph.benchmarks;

import dev.ralph.AgentResult;
import dev.ralph.Claim;
import dev.ralph.Loop;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.benchmarks.Report.Goal;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Measures operations on a session of many tasks, a fourth of which depend on another task. */
final class HugeSession {

  /** The measured operations, in order. */
  enum Figure {
    /** Reads all frames. */
    FOLDED("opened and counted, no snapshot", 1, 0),
    /** Reads the snapshot of an earlier reader. */
    READ("opened and counted from a snapshot", 5, 0),
    /** Lists the first hundred ready tasks. */
    PAGE("the first 100 ready tasks", 0, 5),
    /** Claims and completes the next task: two synced appends. */
    CLAIM("a task claimed and completed", 0, 0),
    /** Creates the prompt of an iteration. */
    PROMPT("a prompt", 0, 20),
    /** Runs an iteration whose agent does nothing. */
    STEP("the loop's step", 0, 20);

    final String text;

    /** The goal in milliseconds; 0 for none. */
    private final int most;

    /** The number of repetitions; 0 for the requested number. */
    private final int times;

    Figure(String text, int times, int most) {
      this.text = text;
      this.times = times;
      this.most = most;
    }

    Goal goal() {
      return most == 0 ? Goal.NONE : Goal.oursAtMost(most);
    }
  }

  private static final String NAME = "huge";
  private static final int BATCH = 500;
  private static final int PAGE = 100;
  private static final int WARMUP = 20;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private HugeSession() {}

  /**
   * Prints three lines per figure: the milliseconds of each repetition, the same as CPU time of the
   * thread, and the peak memory of the process so far in MB.
   */
  public static void main(String[] arguments) {
    Path directory = Logs.directory().resolve("huge");
    Logs.delete(directory);
    fill(directory, Integer.parseInt(arguments[0]));
    int times = Integer.parseInt(arguments[1]);
    Logs.delete(directory.resolve("derived/snapshots"));
    time(Figure.FOLDED, times, () -> open(directory));
    time(Figure.READ, times, () -> open(directory));
    try (Ralph ralph = Ralph.openExisting(directory)) {
      Session session = ralph.session(NAME);
      time(Figure.PAGE, times, () -> page(session));
      time(Figure.CLAIM, times, () -> claim(session));
      try (Loop loop = session.loop(turn -> AgentResult.success()).maxIdle(0).build()) {
        time(Figure.PROMPT, times, loop::preview);
      }
      try (Loop loop =
          session.loop(turn -> AgentResult.success()).maxIterations(0).maxIdle(0).build()) {
        time(Figure.STEP, times, loop::step);
      }
    }
  }

  private static void fill(Path directory, int tasks) {
    try (Ralph ralph = Ralph.open(directory)) {
      List<NewTask> batch = new ArrayList<>();
      for (int i = 1; i <= tasks; i++) {
        NewTask task = NewTask.of("Write the form for case " + i + ", with a test of each field");
        boolean waits = !batch.isEmpty() && i % 4 == 0;
        batch.add(waits ? task.dependsOn("#" + batch.size()) : task);
        if (batch.size() == BATCH || i == tasks) {
          ralph.session(NAME).tasks().addAll(batch);
          batch.clear();
        }
      }
    }
  }

  private static void open(Path directory) {
    try (Ralph ralph = Ralph.openExisting(directory)) {
      if (ralph.session(NAME).tasks().list().counts().getOrDefault(Task.Status.REMAINING, 0) == 0) {
        throw new IllegalStateException("no task is left");
      }
    }
  }

  private static void page(Session session) {
    int characters = 0;
    for (Task task : session.tasks().ready(Instant.now()).subList(0, PAGE)) {
      characters += task.content().length() + task.shortId().length();
    }
    if (characters < PAGE) {
      throw new IllegalStateException("the page is empty");
    }
  }

  private static void claim(Session session) {
    Claim claim = session.tasks().claimNext("worker", Duration.ofMinutes(1)).orElseThrow();
    session.tasks().complete(claim.taskId());
  }

  private static void time(Figure figure, int asked, Runnable work) {
    int warmup = figure.times == 0 ? WARMUP : 0;
    int times = figure.times == 0 ? asked : figure.times;
    StringBuilder millis = new StringBuilder();
    StringBuilder cpuMillis = new StringBuilder();
    for (int i = -warmup; i < times; i++) {
      long begin = System.nanoTime();
      long cpu = THREADS.getCurrentThreadCpuTime();
      work.run();
      long took = System.nanoTime() - begin;
      long tookCpu = THREADS.getCurrentThreadCpuTime() - cpu;
      if (i >= 0) {
        millis.append(took / 1e6).append(' ');
        cpuMillis.append(tookCpu / 1e6).append(' ');
      }
    }
    System.out.println(millis.toString().trim());
    System.out.println(cpuMillis.toString().trim());
    System.out.println(Usage.ofThis().peakMegabytes());
  }
}

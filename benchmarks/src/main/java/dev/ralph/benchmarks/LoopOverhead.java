package dev.ralph.benchmarks;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Measures the time of an iteration without its agent, in a large session. */
final class LoopOverhead {

  private static final int TASKS = 10_000;
  private static final int AT_ONCE = 1_000;
  private static final int MESSAGES = 1_000;
  private static final int WARMUP = 100;

  private LoopOverhead() {}

  /**
   * Prints the milliseconds of each step without its agent, the same as CPU time of the thread, and
   * the peak memory of the process in MB.
   */
  public static void main(String[] arguments) {
    Path directory = Logs.directory().resolve("loop");
    Logs.delete(directory);
    int steps = Integer.parseInt(arguments[0]);
    boolean unread = Boolean.parseBoolean(arguments[1]);
    boolean record = Boolean.parseBoolean(arguments[2]);
    try (Ralph ralph = Ralph.open(directory)) {
      Session session = ralph.session("long");
      fill(session, unread);
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      AtomicLong agentNanos = new AtomicLong();
      AtomicLong agentCpuNanos = new AtomicLong();
      Agent agent =
          turn -> {
            long begin = System.nanoTime();
            long cpu = threads.getCurrentThreadCpuTime();
            Task done = turn.session().tasks().ready().get(0);
            turn.session().tasks().complete(done.id());
            turn.session().tasks().add("Go on from " + done.content());
            agentNanos.set(System.nanoTime() - begin);
            agentCpuNanos.set(threads.getCurrentThreadCpuTime() - cpu);
            return AgentResult.success();
          };
      StringBuilder times = new StringBuilder();
      StringBuilder cpuTimes = new StringBuilder();
      try (Loop loop = session.loop(agent).record(record).maxIterations(0).build()) {
        for (int i = 0; i < WARMUP + steps; i++) {
          long begin = System.nanoTime();
          long cpu = threads.getCurrentThreadCpuTime();
          loop.step();
          long own = System.nanoTime() - begin - agentNanos.get();
          long ownCpu = threads.getCurrentThreadCpuTime() - cpu - agentCpuNanos.get();
          if (i >= WARMUP) {
            times.append(own / 1e6).append(' ');
            cpuTimes.append(ownCpu / 1e6).append(' ');
          }
        }
      }
      System.out.println(times.toString().trim());
      System.out.println(cpuTimes.toString().trim());
      System.out.println(Usage.ofThis().peakMegabytes());
    }
  }

  private static void fill(Session session, boolean unread) {
    for (int first = 0; first < TASKS; first += AT_ONCE) { // single appends would take a minute
      session
          .tasks()
          .addAll(
              IntStream.range(first, first + AT_ONCE)
                  .mapToObj(i -> "Write the form for case " + i + ", with a test of each field")
                  .map(NewTask::of)
                  .toList());
    }
    for (int i = 0; i < MESSAGES; i++) {
      String id = session.inbox().send("Do case " + i + " first, please").id();
      if (!unread && i >= 10) {
        session.inbox().markRead(id);
      }
    }
  }
}

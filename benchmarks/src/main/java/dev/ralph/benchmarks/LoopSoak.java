package dev.ralph.benchmarks;

import dev.ralph.AgentResult;
import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures many short loops in one program: each session runs its loops one after the other, all
 * sessions at the same time. The agent is a function, so no loop starts a process.
 */
final class LoopSoak {

  private static final int SESSIONS = 200;
  private static final int ITERATIONS = 3;

  private LoopSoak() {}

  /**
   * Prints the milliseconds per loop, the CPU milliseconds per loop, and the peak memory of the
   * process in MB.
   *
   * @param arguments the number of loops of each session
   */
  public static void main(String[] arguments) throws Exception {
    int loops = Integer.parseInt(arguments[0]);
    Path directory = Logs.directory().resolve("soak");
    Logs.delete(directory);
    ExecutorService threads = threads();
    try (Ralph ralph = Ralph.open(directory)) {
      run(ralph, threads, "warm-up-", 1);
      double cpu = Usage.ofThis().cpuMillis();
      long begin = System.nanoTime();
      run(ralph, threads, "session-", loops);
      double count = (double) SESSIONS * loops;
      System.out.println(
          (System.nanoTime() - begin) / 1e6 / count
              + " "
              + (Usage.ofThis().cpuMillis() - cpu) / count
              + " "
              + Usage.ofThis().peakMegabytes());
    } finally {
      threads.shutdown();
    }
  }

  private static void run(Ralph ralph, ExecutorService threads, String prefix, int loops)
      throws InterruptedException, ExecutionException {
    List<Future<?>> sessions = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      Session session = ralph.session(prefix + i);
      sessions.add(threads.submit(() -> loops(session, threads, loops)));
    }
    for (Future<?> session : sessions) {
      session.get();
    }
  }

  private static void loops(Session session, ExecutorService threads, int loops) {
    for (int i = 0; i < loops; i++) {
      try (Loop loop =
          session
              .loop(turn -> work(turn.session()))
              .executor(threads)
              .maxIterations(ITERATIONS)
              .maxIdle(0)
              .build()) {
        LoopResult result = loop.run();
        if (result.reason() != StopReason.MAX_ITERATIONS || result.iterations() != ITERATIONS) {
          throw new AssertionError("unexpected end of a loop: " + result);
        }
      }
    }
  }

  private static AgentResult work(Session session) {
    session.tasks().add("Write the next part");
    return AgentResult.success();
  }

  /** Returns virtual threads on JDK 21 and later. */
  private static ExecutorService threads() throws InvocationTargetException {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (NoSuchMethodException | IllegalAccessException before21) {
      return Executors.newCachedThreadPool();
    }
  }
}

package dev.ralph.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import dev.ralph.Ralph;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Scru128;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Measures the latency from an append to a follower, and the CPU time of a waiting follower. */
final class FollowLatency {

  private static final Topic TOPIC = Topic.of("ralph.follow.inbox");
  private static final int WARMUP = 200;

  /** The pause between appends, long enough that the follower waits again before each append. */
  private static final int PAUSE_MILLIS = 5;

  private FollowLatency() {}

  /**
   * Follows a store. Prints a line when ready, a line with all latencies in milliseconds, and a
   * line with the CPU shares of a core while the thread sleeps and while the follower waits.
   */
  public static void main(String[] arguments) throws InterruptedException {
    int messages = Integer.parseInt(arguments[2]);
    Duration idle = Duration.ofSeconds(Integer.parseInt(arguments[3]));
    try (Ralph ralph =
            Ralph.builder().store(arguments[0]).directory(Path.of(arguments[1])).existing().open();
        Follower follower = ralph.log().follow(Query.of(TopicFilter.of(TOPIC)))) {
      follower.poll(Duration.ofMillis(1));
      System.out.println(0);
      StringBuilder text = new StringBuilder();
      for (double latency : receive(follower, messages)) {
        text.append(latency).append(' ');
      }
      System.out.println(text.toString().trim());
      follower.poll(Duration.ofSeconds(1)); // lets compilers and garbage collectors finish
      double asleep = cpuShare(() -> Thread.sleep(idle.toMillis()));
      double waiting = cpuShare(() -> follower.poll(idle));
      System.out.println(asleep + " " + waiting);
    }
  }

  private static double[] receive(Follower follower, int messages) throws InterruptedException {
    double[] latencies = new double[messages];
    for (int i = 0; i < messages; ) {
      Frame frame = follower.poll(Duration.ofSeconds(10));
      if (frame != null) {
        latencies[i++] = (micros() - frame.meta().integer("sent").orElseThrow()) / 1e3;
      }
    }
    return latencies;
  }

  private interface Waiting {
    void run() throws InterruptedException;
  }

  private static double cpuShare(Waiting waiting) throws InterruptedException {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    long cpu = system.getProcessCpuTime();
    long begin = System.nanoTime();
    waiting.run();
    double used = system.getProcessCpuTime() - cpu;
    return used / (System.nanoTime() - begin);
  }

  /** Returns microseconds of a clock that all processes share. */
  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private static void send(FrameLog store, int messages) throws InterruptedException {
    Scru128 ids = new Scru128(Clock.systemUTC());
    for (int i = 0; i < messages; i++) {
      Thread.sleep(PAUSE_MILLIS);
      Draft draft = Draft.of(TOPIC, Meta.of("sent", micros()), "Do the API first, please");
      store.append(Batch.of(ids.next(), List.of(draft)));
    }
  }

  private static double[] warm(double[] latencies) {
    return Arrays.copyOfRange(latencies, WARMUP, latencies.length);
  }

  /** Appends to a file store that another process follows. */
  static void measure(Sizes sizes, Report report) throws IOException, InterruptedException {
    try (Between between = new Between("file", sizes, sizes.idleSeconds())) {
      report.add(
          "append to seen in another process, p50",
          "ms",
          Measured.ofCalls(between.latencies()),
          Report.Goal.oursAtMost(1));
      double[] shares = between.follower.figures();
      report.add(
          "the same follower while nothing comes, beyond a sleeping JVM",
          "% of a core",
          (shares[1] - shares[0]) * 100,
          Report.Goal.oursAtMost(0.1));
    }
  }

  /** Returns the latency of each append to another process, in milliseconds. */
  static double[] betweenProcesses(String kind, Sizes sizes)
      throws IOException, InterruptedException {
    try (Between between = new Between(kind, sizes, 0)) {
      return between.latencies();
    }
  }

  /** A store that another process follows. */
  private static final class Between implements AutoCloseable {
    private final Ralph ralph;
    private final int messages;
    private final ChildJvm follower;

    Between(String kind, Sizes sizes, int idleSeconds) throws IOException {
      Path directory = Logs.directory().resolve("follow");
      Logs.delete(directory);
      this.messages = WARMUP + sizes.messages();
      this.ralph = Ralph.builder().store(kind).directory(directory).open();
      this.follower =
          ChildJvm.start(
              FollowLatency.class,
              ChildJvm.argumentsFor(kind),
              kind,
              directory.toString(),
              Integer.toString(messages),
              Integer.toString(idleSeconds));
    }

    double[] latencies() throws IOException, InterruptedException {
      follower.figures();
      send(ralph.log(), messages);
      return warm(follower.figures());
    }

    @Override
    public void close() throws IOException {
      follower.close();
      ralph.close();
    }
  }

  /** Returns the latency of each append to another thread, in milliseconds. */
  static double[] withinProcess(String kind, Sizes sizes) throws InterruptedException {
    Path directory = Logs.directory().resolve("follow-within");
    Logs.delete(directory);
    int messages = WARMUP + sizes.messages();
    try (Ralph ralph = Logs.open(kind, directory);
        Follower follower = ralph.log().follow(Query.of(TopicFilter.of(TOPIC)))) {
      FutureTask<double[]> receiving = new FutureTask<>(() -> receive(follower, messages));
      new Thread(receiving, "follower").start();
      send(ralph.log(), messages);
      return warm(receiving.get());
    } catch (ExecutionException e) {
      throw new IllegalStateException("the follower failed", e);
    }
  }
}

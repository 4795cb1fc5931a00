package dev.ralph.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import dev.ralph.Draft;
import dev.ralph.Frame;
import dev.ralph.Meta;
import dev.ralph.Topic;
import dev.ralph.TopicFilter;
import dev.ralph.core.Ralph;
import dev.ralph.spi.Batch;
import dev.ralph.spi.Follower;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Query;
import dev.ralph.spi.Scru128;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** How soon a follower in another process sees what is appended, and what it costs in between. */
final class FollowLatency {

  private static final Topic TOPIC = Topic.of("ralph.follow.inbox");
  private static final int WARMUP = 200;

  /** Long enough that the follower is back to waiting each time. */
  private static final int PAUSE_MILLIS = 5;

  private FollowLatency() {}

  /**
   * Follows a store: prints a line when it is ready, one with each latency in milliseconds once all
   * have come, and one with the shares of a core that it took asleep, and while it waited for
   * nothing.
   */
  public static void main(String[] arguments) throws InterruptedException {
    int messages = Integer.parseInt(arguments[1]);
    Duration idle = Duration.ofSeconds(Integer.parseInt(arguments[2]));
    try (Ralph ralph = Ralph.openExisting(Path.of(arguments[0]));
        Follower follower = ralph.store().follow(Query.of(TopicFilter.of(TOPIC)))) {
      follower.poll(Duration.ofMillis(1));
      System.out.println(0);
      StringBuilder latencies = new StringBuilder();
      for (int i = 0; i < messages; ) {
        Frame frame = follower.poll(Duration.ofSeconds(10));
        if (frame != null) {
          long sent = frame.meta().integer("sent").orElseThrow();
          latencies.append((micros() - sent) / 1e3).append(' ');
          i++;
        }
      }
      System.out.println(latencies.toString().trim());
      follower.poll(Duration.ofSeconds(1)); // compilers and collectors come to rest
      double asleep = cpuShare(() -> Thread.sleep(idle.toMillis()));
      double waiting = cpuShare(() -> follower.poll(idle));
      System.out.println(asleep + " " + waiting);
    }
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

  /** Microseconds by a clock that all processes share. */
  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /** Appends to a store that another process follows. */
  static void measure(Sizes sizes, Report report) throws IOException, InterruptedException {
    Path directory = Logs.directory().resolve("follow");
    Logs.delete(directory);
    int messages = WARMUP + sizes.messages();
    try (Ralph ralph = Ralph.open(directory);
        ChildJvm follower =
            ChildJvm.start(
                FollowLatency.class,
                List.of(),
                directory.toString(),
                Integer.toString(messages),
                Integer.toString(sizes.idleSeconds()))) {
      follower.figures();
      FrameStore store = ralph.store();
      Scru128 ids = new Scru128(Clock.systemUTC());
      for (int i = 0; i < messages; i++) {
        Thread.sleep(PAUSE_MILLIS);
        Draft draft = Draft.of(TOPIC, Meta.of("sent", micros()), "Do the API first, please");
        store.append(Batch.of(ids.next(), List.of(draft)));
      }
      double[] all = follower.figures();
      double[] latencies = java.util.Arrays.copyOfRange(all, WARMUP, all.length);
      report.add(
          "append to seen in another process, p50",
          "ms",
          Report.median(latencies),
          Report.Goal.oursAtMost(1));
      double[] shares = follower.figures();
      report.add(
          "the same follower while nothing comes, beyond a sleeping JVM",
          "% of a core",
          (shares[1] - shares[0]) * 100,
          Report.Goal.oursAtMost(0.1));
    }
  }
}

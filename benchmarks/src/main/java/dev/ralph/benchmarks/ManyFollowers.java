package dev.ralph.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import dev.ralph.Ralph;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Scru128;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/**
 * Measures CPU time, memory and open files of a process with many followers, each in a waiting
 * thread.
 */
final class ManyFollowers {

  private static final int WARMUP = 500;
  private static final Path OPEN_FILES = Path.of("/proc/self/fd");
  private static final Path STATUS = Path.of("/proc/self/status");

  private final Ralph ralph;
  private final int followers;
  private final boolean eachItsOwn;
  private final Semaphore received = new Semaphore(0);
  private final Scru128 ids = new Scru128(Clock.systemUTC());

  private ManyFollowers(Ralph ralph, int followers, boolean eachItsOwn) {
    this.ralph = ralph;
    this.followers = followers;
    this.eachItsOwn = eachItsOwn;
  }

  /**
   * Follows a store. Prints CPU microseconds per append, megabytes and open files beyond those of a
   * process with as many idle threads, and the CPU share of a core while nothing is appended.
   */
  public static void main(String[] arguments) throws Exception {
    int appends = Integer.parseInt(arguments[4]);
    Duration idle = Duration.ofSeconds(Integer.parseInt(arguments[5]));
    try (Ralph ralph =
        Ralph.builder().store(arguments[0]).directory(Path.of(arguments[1])).open()) {
      int followers = Integer.parseInt(arguments[2]);
      boolean eachItsOwn = Boolean.parseBoolean(arguments[3]);
      new ManyFollowers(ralph, followers, eachItsOwn).run(appends, idle);
    }
  }

  private void run(int appends, Duration idle) throws Exception {
    for (int i = 0; i < WARMUP; i++) {
      append(i); // creates the store and compiles the code of appends
    }
    Position now = ralph.log().last(TopicFilter.all()).map(Frame::position).orElse(Position.START);
    CountDownLatch begin = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < followers; i++) {
      int number = i;
      Thread thread = new Thread(() -> follow(topic(number), now, begin), "follower-" + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    await(threads, Thread.State.WAITING);
    double memory = residentMegabytes();
    double files = openFiles();
    begin.countDown();
    await(threads, Thread.State.TIMED_WAITING);
    appendAndReceive(WARMUP);
    long before = cpuNanos();
    appendAndReceive(appends);
    double micros = (cpuNanos() - before) / 1e3 / appends;
    memory = residentMegabytes() - memory;
    files = openFiles() - files;
    Thread.sleep(1_000); // lets compilers and garbage collectors finish
    before = cpuNanos();
    Thread.sleep(idle.toMillis());
    double share = (double) (cpuNanos() - before) / idle.toNanos();
    System.out.println(micros + " " + memory + " " + files + " " + share);
  }

  private static void await(List<Thread> threads, Thread.State state) throws InterruptedException {
    for (Thread thread : threads) {
      while (thread.getState() != state) {
        Thread.sleep(1);
      }
    }
  }

  /** Follows frames after a position until the store is closed. */
  private void follow(Topic topic, Position after, CountDownLatch begin) {
    Query query = Query.of(TopicFilter.of(topic)).after(after);
    try {
      begin.await();
      try (Follower follower = ralph.log().follow(query)) {
        while (true) {
          if (follower.poll(Duration.ofMinutes(10)) != null) {
            received.release();
          }
        }
      }
    } catch (InterruptedException | RalphException closed) {
      return;
    }
  }

  private Topic topic(int number) {
    return Topic.of("ralph.s" + (eachItsOwn ? number % followers : 0) + ".inbox");
  }

  private void appendAndReceive(int appends) throws InterruptedException {
    for (int i = 0; i < appends; i++) {
      append(i);
      received.acquire(eachItsOwn ? 1 : followers);
    }
  }

  private void append(int number) {
    Draft draft = Draft.of(topic(number), Meta.of("sent", number), "Do the API first, please");
    ralph.log().append(Batch.of(ids.next(), List.of(draft)).synced(false));
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  /** Returns the number of open files; NaN if unknown. */
  private static double openFiles() {
    String[] open = OPEN_FILES.toFile().list();
    return open == null ? Double.NaN : open.length;
  }

  /** Returns the resident memory without garbage; NaN if unknown. */
  private static double residentMegabytes() throws IOException {
    if (!Files.exists(STATUS)) {
      return Double.NaN;
    }
    System.gc();
    try (Stream<String> lines = Files.lines(STATUS)) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")) / 1024)
          .findFirst()
          .orElse(Double.NaN);
    }
  }

  /** Returns the figures of one run, as {@link #main} prints them. */
  private static double[] once(String kind, int followers, boolean eachItsOwn, Sizes sizes)
      throws IOException {
    Path directory = Logs.directory().resolve("many-followers");
    Logs.delete(directory);
    try (ChildJvm child =
        ChildJvm.start(
            ManyFollowers.class,
            ChildJvm.argumentsFor(kind),
            kind,
            directory.toString(),
            Integer.toString(followers),
            Boolean.toString(eachItsOwn),
            Integer.toString(sizes.messages()),
            Integer.toString(Math.min(sizes.idleSeconds(), 10)))) {
      return child.figures();
    }
  }

  /** Compares many followers of file and Chronicle stores with one follower. */
  static void measure(Sizes sizes, Report report) throws IOException {
    List<Integer> counts = sizes.followers();
    for (String kind : List.of("file", "chronicle")) {
      double[][][] own = new double[counts.size()][sizes.rounds()][];
      double[][][] same = new double[counts.size()][sizes.rounds()][];
      for (int round = 0; round < sizes.rounds(); round++) {
        for (int i = 0; i < counts.size(); i++) {
          Benchmarks.progress(counts.get(i) + " followers, " + kind);
          own[i][round] = once(kind, counts.get(i), true, sizes);
          same[i][round] = once(kind, counts.get(i), false, sizes);
        }
      }
      for (int i = 0; i < counts.size(); i++) {
        report(kind, counts.get(i), own[0], own[i], same[i], report);
      }
    }
  }

  private static void report(
      String kind, int followers, double[][] one, double[][] own, double[][] same, Report report) {
    String who = ", " + followers + (followers == 1 ? " follower, " : " followers, ") + kind;
    report.add(
        "an append to one of as many topics as followers" + who,
        "CPU us",
        median(own, 0),
        median(one, 0),
        Report.Goal.atMost(3));
    report.add(
        "an append that all want" + who,
        "CPU us",
        median(same, 0),
        median(one, 0) * followers,
        Report.Goal.atMost(1.1));
    report.add("memory" + who, "MB", median(own, 1), Report.Goal.NONE);
    report.add(
        "open files" + who,
        "files",
        median(own, 2),
        median(one, 2),
        Report.Goal.overBaselineAtMost(0));
    report.add(
        "while nothing comes" + who,
        "% of a core",
        median(own, 3) * 100,
        median(one, 3) * 100,
        Report.Goal.overBaselineAtMost(0.1));
  }

  private static double median(double[][] rounds, int figure) {
    return Report.median(Stream.of(rounds).mapToDouble(round -> round[figure]).toArray());
  }
}

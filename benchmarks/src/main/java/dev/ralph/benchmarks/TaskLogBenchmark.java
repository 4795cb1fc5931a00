package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Listing the tasks of one long session by a program that has just opened the store. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class TaskLogBenchmark {

  /** How many frames the session's task topic has. */
  @Param("1000000")
  public int frames;

  @SuppressWarnings("NullAway.Init")
  private Path log;

  /** Makes the log. */
  @Setup
  public void make() {
    log = Logs.of(frames, 1);
  }

  /** Every frame is folded, and a snapshot kept. */
  @Benchmark
  public int folded(WithoutSnapshots without) {
    return list();
  }

  /** The snapshot of an earlier program is read. */
  @Benchmark
  public int fromSnapshot(WithSnapshot with) {
    return list();
  }

  /** Jackson reads every frame, and keeps a tally only. */
  @Benchmark
  public int parsed() {
    return JacksonReader.read(log, null).hash;
  }

  int list() {
    try (Ralph ralph = Ralph.openExisting(log)) {
      return ralph.session("session-0").tasks().list().size();
    }
  }

  /** Has each reader begin with the first frame. */
  @State(Scope.Benchmark)
  public static class WithoutSnapshots {
    /** Deletes the snapshots. */
    @Setup(Level.Invocation)
    public void delete(TaskLogBenchmark benchmark) {
      Logs.delete(benchmark.log.resolve("derived/snapshots"));
    }
  }

  /** Has each reader begin with a snapshot. */
  @State(Scope.Benchmark)
  public static class WithSnapshot {
    /** Makes a snapshot by reading all. */
    @Setup
    public void make(TaskLogBenchmark benchmark) {
      benchmark.list();
    }
  }
}

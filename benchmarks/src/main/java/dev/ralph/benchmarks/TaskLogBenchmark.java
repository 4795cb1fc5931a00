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

/** Lists the tasks of a long session right after the store is opened. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class TaskLogBenchmark {

  /** The number of frames in the session's task topic. */
  @Param("1000000")
  public int frames;

  @SuppressWarnings("NullAway.Init")
  private Path log;

  /** Creates the log. */
  @Setup
  public void make() {
    log = Logs.of(frames, 1);
  }

  /** Folds all frames and saves a snapshot. */
  @Benchmark
  public int folded(WithoutSnapshots without) {
    return list();
  }

  /** Reads the snapshot of an earlier program. */
  @Benchmark
  public int fromSnapshot(WithSnapshot with) {
    return list();
  }

  /** Parses all frames with Jackson and keeps only a tally. */
  @Benchmark
  public int parsed() {
    return JacksonReader.read(log, null).hash;
  }

  int list() {
    try (Ralph ralph = Ralph.openExisting(log)) {
      return ralph.session("session-0").tasks().list().size();
    }
  }

  /** Makes each reader start with the first frame. */
  @State(Scope.Benchmark)
  public static class WithoutSnapshots {
    /** Deletes the snapshots. */
    @Setup(Level.Invocation)
    public void delete(TaskLogBenchmark benchmark) {
      Logs.delete(benchmark.log.resolve("derived/snapshots"));
    }
  }

  /** Makes each reader start with a snapshot. */
  @State(Scope.Benchmark)
  public static class WithSnapshot {
    /** Creates a snapshot by reading all frames. */
    @Setup
    public void make(TaskLogBenchmark benchmark) {
      benchmark.list();
    }
  }
}

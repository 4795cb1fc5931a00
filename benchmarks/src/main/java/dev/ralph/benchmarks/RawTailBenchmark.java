package dev.ralph.benchmarks;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.queue.ExcerptAppender;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Reads all fields of all documents with Chronicle's tailer. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class RawTailBenchmark {

  private static final Path DIRECTORY = Logs.directory().resolve("raw-tail");

  /** The number of documents. */
  @Param("1000000")
  public int frames;

  @SuppressWarnings("NullAway.Init")
  private RawQueue queue;

  /** Creates the queue. */
  @Setup
  public void open() {
    Logs.delete(DIRECTORY);
    queue = new RawQueue(DIRECTORY);
    try (ExcerptAppender appender = queue.appender()) {
      for (int n = 1; n <= frames; n++) {
        RawQueue.append(appender, Logs.topic(n % ReadBenchmark.SESSIONS), n);
      }
    }
  }

  /** Deletes the queue. */
  @TearDown
  public void close() {
    queue.close();
    Logs.delete(DIRECTORY);
  }

  /** Reads all documents. */
  @Benchmark
  public int read() {
    TaskTally tally = queue.read();
    if (tally.frames != frames) {
      throw new IllegalStateException("only " + tally.frames + " documents were read");
    }
    return tally.hash;
  }
}

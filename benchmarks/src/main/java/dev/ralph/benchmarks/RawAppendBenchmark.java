package dev.ralph.benchmarks;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.queue.ExcerptAppender;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Appends the frames of {@link AppendBenchmark} to a plain Chronicle queue. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.SECONDS)
public class RawAppendBenchmark {

  private static final Path DIRECTORY = Logs.directory().resolve("raw");

  @SuppressWarnings("NullAway.Init")
  private RawQueue queue;

  @SuppressWarnings("NullAway.Init")
  private ExcerptAppender appender;

  @SuppressWarnings("NullAway.Init")
  private FileChannel lock;

  private int n;

  /** Creates a queue. */
  @Setup(Level.Iteration)
  public void open() throws IOException {
    Logs.delete(DIRECTORY);
    queue = new RawQueue(DIRECTORY);
    appender = queue.appender();
    lock =
        FileChannel.open(
            DIRECTORY.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  /** Deletes the queue. */
  @TearDown(Level.Iteration)
  public void close() throws IOException {
    lock.close();
    appender.close();
    queue.close();
    Logs.delete(DIRECTORY);
  }

  /** Appends a document without sync. */
  @Benchmark
  public void single() {
    RawQueue.append(appender, Logs.topic(0), ++n);
  }

  /** Appends a document without sync while holding the lock that a store uses. */
  @Benchmark
  public void lockedSingle() throws IOException {
    FileLock held = lock.lock();
    try {
      RawQueue.append(appender, Logs.topic(0), ++n);
    } finally {
      held.release();
    }
  }

  /** Appends a document with sync. */
  @Benchmark
  public void synced() {
    RawQueue.append(appender, Logs.topic(0), ++n);
    appender.sync();
  }
}

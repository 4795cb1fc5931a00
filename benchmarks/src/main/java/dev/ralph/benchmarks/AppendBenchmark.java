package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Topic;
import dev.ralph.spi.Scru128;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Appends to a store, and writes the lines of the file store to a plain channel. */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.SECONDS)
public class AppendBenchmark {

  static final int BATCH = 100;
  private static final Topic TOPIC = Logs.topic(0);

  /** Appends a frame without sync. */
  @Benchmark
  public Object single(Store store, Counter counter) {
    return store.append(List.of(draft(counter)), false);
  }

  /** Appends a batch without sync. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public Object batch(Store store, Counter counter) {
    List<Draft> drafts = new ArrayList<>(BATCH);
    for (int i = 0; i < BATCH; i++) {
      drafts.add(draft(counter));
    }
    return store.append(drafts, false);
  }

  /** Appends a frame with sync; threads share syncs. */
  @Benchmark
  public Object synced(Store store, Counter counter) {
    return store.append(List.of(draft(counter)), true);
  }

  private static Draft draft(Counter counter) {
    return Logs.Writer.add(TOPIC, counter.next());
  }

  /** Writes a line while holding the lock. */
  @Benchmark
  public void bareSingle(Bare bare, Counter counter) throws IOException {
    bare.single(counter).writeLocked();
  }

  /** Writes a hundred lines with one lock and one write. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void bareBatch(Bare bare, Counter counter) throws IOException {
    bare.batch(counter).writeLocked();
  }

  /** Writes and syncs a line without a lock. */
  @Benchmark
  public void bareSynced(Bare bare, Counter counter) throws IOException {
    bare.single(counter).writeForced();
  }

  /** Writes a line encoded by hand. */
  @Benchmark
  public void handSingle(Hand hand, Counter counter) throws IOException {
    hand.single(counter).writeLocked();
  }

  /** Writes a hundred lines encoded by hand. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void handBatch(Hand hand, Counter counter) throws IOException {
    hand.batch(counter).writeLocked();
  }

  /** The number of tasks of a thread. */
  @State(Scope.Thread)
  public static class Counter {
    private int n;

    int next() {
      return ++n;
    }
  }

  /** A new store for each iteration. */
  @State(Scope.Benchmark)
  public static class Store {
    private static final Path DIRECTORY = Logs.directory().resolve("append");

    /** The kind of store. */
    @Param("file")
    public String store = "file";

    private final Scru128 batchIds = new Scru128(Clock.systemUTC());

    @SuppressWarnings("NullAway.Init")
    private Ralph ralph;

    /** Creates the store. */
    @Setup(Level.Iteration)
    public void open() {
      Logs.delete(DIRECTORY);
      ralph = Logs.open(store, DIRECTORY);
    }

    /** Deletes the store. */
    @TearDown(Level.Iteration)
    public void close() {
      ralph.close();
      Logs.delete(DIRECTORY);
    }

    Object append(List<Draft> drafts, boolean synced) {
      return ralph.log().append(Batch.of(batchIds.next(), drafts).synced(synced));
    }
  }

  /** A new file for each iteration, with lines encoded by Jackson. */
  @State(Scope.Benchmark)
  public static class Bare {
    private static final Path DIRECTORY = Logs.directory().resolve("bare");

    @SuppressWarnings("NullAway.Init")
    private BareWriter writer;

    /** Creates the file. */
    @Setup(Level.Iteration)
    public void open() throws IOException {
      Logs.delete(DIRECTORY);
      writer = new BareWriter(DIRECTORY, lines());
    }

    BareLines lines() {
      return BareLines.byJackson(TOPIC.name());
    }

    BareWriter single(Counter counter) throws IOException {
      writer.begin();
      writer.line(counter.next());
      return writer;
    }

    BareWriter batch(Counter counter) throws IOException {
      writer.begin();
      for (int part = 1; part <= BATCH; part++) {
        writer.line(counter.next(), part, BATCH);
      }
      return writer;
    }

    /** Deletes the file. */
    @TearDown(Level.Iteration)
    public void close() throws IOException {
      writer.close();
      Logs.delete(DIRECTORY);
    }
  }

  /** A new file for each iteration, with lines encoded by hand. */
  @State(Scope.Benchmark)
  public static class Hand extends Bare {
    @Override
    BareLines lines() {
      return BareLines.byHand(TOPIC.name());
    }
  }
}

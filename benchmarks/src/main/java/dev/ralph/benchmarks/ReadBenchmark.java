package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Folds a log of five sessions, and parses the file store's files into the same fields. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class ReadBenchmark {

  static final int SESSIONS = 5;
  private static final int WANTED = 2;

  /** The number of frames. */
  @Param("1000000")
  public int frames;

  /** The kind of store. */
  @Param("file")
  public String store = "file";

  @SuppressWarnings("NullAway.Init")
  private Path log;

  @SuppressWarnings("NullAway.Init")
  private Ralph ralph;

  /** Creates the log and checks that both readers return the same. */
  @Setup
  public void open() {
    if (store.equals("memory")) {
      ralph = Ralph.inMemory();
      new Logs.Writer(ralph.log(), "session-", SESSIONS).write(frames, 1);
      return;
    }
    log = Logs.of(store, frames, SESSIONS, 1);
    ralph = Ralph.builder().store(store).directory(log).existing().open();
    if (!store.equals("file")) {
      return;
    }
    if (!fold(TopicFilter.all()).isSameAs(JacksonReader.read(log, null))
        || !fold(TopicFilter.of(Logs.topic(WANTED)))
            .isSameAs(JacksonReader.read(log, Logs.topic(WANTED).name()))) {
      throw new IllegalStateException("the readers do not see the same in " + log);
    }
  }

  /** Closes the store. */
  @TearDown
  public void close() {
    ralph.close();
  }

  /** Folds all frames from the store. */
  @Benchmark
  public int allFolded() {
    return fold(TopicFilter.all()).hash;
  }

  /** Folds all frames with a view. */
  @Benchmark
  public long reduced() {
    return ralph.view(TopicFilter.parse("ralph.*"), TaskTally.fold()).current().frames;
  }

  /** Parses all frames with Jackson. */
  @Benchmark
  public int allParsed() {
    return JacksonReader.read(log, null).hash;
  }

  /** Folds one of five topics from the store. */
  @Benchmark
  public int oneInFiveFolded() {
    return fold(TopicFilter.of(Logs.topic(WANTED))).hash;
  }

  /** Parses all frames with Jackson and keeps one of five topics. */
  @Benchmark
  public int oneInFiveParsed() {
    return JacksonReader.read(log, Logs.topic(WANTED).name()).hash;
  }

  private TaskTally fold(TopicFilter filter) {
    TaskTally tally = new TaskTally();
    try (FrameCursor cursor = ralph.log().read(Query.of(filter))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        tally.take(frame);
      }
    }
    return tally;
  }
}

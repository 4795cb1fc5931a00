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

/** Folding a log of five sessions, and parsing the file store's into the same fields. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class ReadBenchmark {

  static final int SESSIONS = 5;
  private static final int WANTED = 2;

  /** How many frames the log has. */
  @Param("1000000")
  public int frames;

  /** The kind of store. */
  @Param("file")
  public String store = "file";

  @SuppressWarnings("NullAway.Init")
  private Path log;

  @SuppressWarnings("NullAway.Init")
  private Ralph ralph;

  /** Makes the log, and checks that both readers see the same in it. */
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

  /** Every frame, through the store. */
  @Benchmark
  public int allFolded() {
    return fold(TopicFilter.all()).hash;
  }

  /** Every frame, through a view. */
  @Benchmark
  public long reduced() {
    return ralph.view(TopicFilter.parse("ralph.*"), TaskTally.fold()).current().frames;
  }

  /** Every frame, by Jackson. */
  @Benchmark
  public int allParsed() {
    return JacksonReader.read(log, null).hash;
  }

  /** The frames of one topic of the five, through the store. */
  @Benchmark
  public int oneInFiveFolded() {
    return fold(TopicFilter.of(Logs.topic(WANTED))).hash;
  }

  /** The frames of one topic of the five, by Jackson, which reads all. */
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

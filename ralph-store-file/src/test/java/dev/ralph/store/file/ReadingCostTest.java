package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The number of bytes read for a query, as counted by the operating system. */
class ReadingCostTest {

  private static final Path COUNTERS = Path.of("/proc/self/io");
  private static final int LOG_BYTES = 20 * 1024 * 1024;

  /** Longer than all bytes that the operations of a test read outside the hole. */
  private static final long HOLE_BYTES = 1L << 30;

  private static final TopicFilter RARE = TopicFilter.of(TestLog.OTHER);

  @TempDir Path directory;

  @BeforeEach
  void writeLog() {
    assumeTrue(Files.isReadable(COUNTERS), "what is read can't be counted here");
    String foreign = "x".repeat(4_000);
    int frames = LOG_BYTES / 4_000;
    try (FrameStore store = TestLog.open(directory)) {
      for (int i = 0; i < frames; i++) {
        TestLog.append(store, TestLog.TOPIC, foreign);
        if (i % 1_000 == 500) {
          TestLog.append(store, TestLog.OTHER, "rare " + i);
        }
      }
    }
  }

  @Test
  void rareTopic_readsLittleWithIndex() throws IOException {
    try (FrameStore store = TestLog.open(directory)) {
      long before = bytesRead();
      assertThat(TestLog.contents(store, Query.of(RARE))).hasSize(5);
      long forward = bytesRead();
      assertThat(TestLog.contents(store, Query.of(RARE).backward())).hasSize(5);
      long backward = bytesRead();
      assertThat(store.last(RARE)).isPresent();
      long last = bytesRead();

      assertThat(forward - before).as("bytes read forward").isLessThan(LOG_BYTES / 10);
      assertThat(backward - forward).as("bytes read backward").isLessThan(LOG_BYTES / 10);
      assertThat(last - backward).as("bytes read for the last frame").isLessThan(LOG_BYTES / 10);
    }
  }

  @Test
  void missingIndex_isBuiltByFirstReader() throws IOException {
    TestLog.delete(directory.resolve("derived"));
    try (FrameStore first = TestLog.open(directory)) {
      assertThat(TestLog.contents(first, Query.of(RARE))).hasSize(5);
    }
    try (FrameStore second = TestLog.open(directory)) {
      long before = bytesRead();
      assertThat(TestLog.contents(second, Query.of(RARE))).hasSize(5);
      assertThat(bytesRead() - before).isLessThan(LOG_BYTES / 10);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void longHole_isReadOncePerStore(boolean followed) throws IOException {
    try (RandomAccessFile file =
        new RandomAccessFile(TestLog.segment(directory, 1).toFile(), "rw")) {
      if (followed) {
        file.seek(file.length() + HOLE_BYTES);
        file.write('\n');
      } else {
        file.setLength(file.length() + HOLE_BYTES);
      }
    }
    long before = bytesRead();
    try (FrameStore store = TestLog.open(directory)) {
      for (int i = 0; i < 3; i++) {
        assertThat(TestLog.contents(store, Query.of(RARE))).hasSize(5);
        assertThat(TestLog.contents(store, Query.of(RARE).backward())).hasSize(5);
        assertThat(store.last(RARE)).isPresent();
        assertThat(store.topics(TopicFilter.all())).hasSize(2);
        assertThat(store.verify()).singleElement().extracting("bytes").isEqualTo(hole(followed));
      }
    }
    assertThat(bytesRead() - before).as("bytes read by 15 readers").isLessThan(HOLE_BYTES * 4);

    before = bytesRead();
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.OTHER, "after");
      assertThat(TestLog.contents(store, Query.of(RARE))).hasSize(6);
    }
    assertThat(bytesRead() - before).as("bytes read by an appender").isLessThan(HOLE_BYTES * 2);
  }

  private static long hole(boolean followed) {
    return followed ? HOLE_BYTES + 1 : HOLE_BYTES;
  }

  private static long bytesRead() throws IOException {
    for (String line : Files.readAllLines(COUNTERS)) {
      if (line.startsWith("rchar: ")) {
        return Long.parseLong(line.substring("rchar: ".length()));
      }
    }
    throw new AssertionError("no rchar in " + COUNTERS);
  }
}

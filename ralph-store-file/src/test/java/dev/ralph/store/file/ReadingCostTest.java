package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The number of bytes read for a query, as counted by the operating system. */
class ReadingCostTest {

  private static final Path COUNTERS = Path.of("/proc/self/io");
  private static final int LOG_BYTES = 20 * 1024 * 1024;
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

      assertThat(forward - before).as("read forward").isLessThan(LOG_BYTES / 10);
      assertThat(backward - forward).as("read backward").isLessThan(LOG_BYTES / 10);
      assertThat(last - backward).as("read for the last").isLessThan(LOG_BYTES / 10);
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

  private static long bytesRead() throws IOException {
    for (String line : Files.readAllLines(COUNTERS)) {
      if (line.startsWith("rchar: ")) {
        return Long.parseLong(line.substring("rchar: ".length()));
      }
    }
    throw new AssertionError("no rchar in " + COUNTERS);
  }
}

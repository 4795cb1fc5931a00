package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Frame;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterruptTest {

  /** Too large for a line, so that the store writes a content file. */
  private static final String LARGE = "x".repeat(100_000);

  @TempDir Path directory;

  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  @Test
  void interruptedThread_createsAppendsAndReads() {
    Thread.currentThread().interrupt();
    try (FrameStore store = TestLog.open(directory.resolve("new/store"))) {
      assertStillInterrupted();
      Frame frame = store.append(TestLog.batch(TestLog.TOPIC, LARGE)).frames().get(0);
      assertStillInterrupted();
      assertThat(frame.content()).isEqualTo(LARGE);
      assertThat(TestLog.contents(store)).isEqualTo(List.of(LARGE));
      assertStillInterrupted();
      assertThat(TestLog.contents(store, Query.of(TopicFilter.all()).backward()))
          .isEqualTo(List.of(LARGE));
      assertThat(store.verify()).isEmpty();
    }
    assertStillInterrupted();
    try (FrameStore again = TestLog.open(directory.resolve("new/store"))) {
      assertThat(TestLog.contents(again)).isEqualTo(List.of(LARGE));
    }
  }

  @Test
  void interruptedThread_repairsTailAndIndex() throws Exception {
    try (FrameStore store = TestLog.open(directory)) {
      for (int i = 0; i < 80; i++) {
        TestLog.append(store, TestLog.TOPIC, "y".repeat(20_000));
      }
    }
    TestLog.delete(directory.resolve("derived"));
    Files.writeString(TestLog.segment(directory), "{\"id\":", StandardOpenOption.APPEND);
    Thread.currentThread().interrupt();
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.OTHER, "rare");
      assertThat(TestLog.contents(store, Query.of(TopicFilter.of(TestLog.OTHER))))
          .containsExactly("rare");
      assertStillInterrupted();
    }
    Thread.interrupted();
    assertThat(directory.resolve("damaged")).isNotEmptyDirectory();
    assertThat(directory.resolve("derived/index/00000001.index")).exists();
  }

  private static void assertStillInterrupted() {
    assertThat(Thread.currentThread().isInterrupted()).as("still interrupted").isTrue();
  }
}

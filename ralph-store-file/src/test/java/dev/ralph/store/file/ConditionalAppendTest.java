package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConditionalAppendTest {

  private static final TopicFilter OTHERS = TopicFilter.of(TestLog.OTHER);

  @TempDir Path directory;

  @Test
  void conditionWithoutIndex_keepsLockIntact() throws Exception {
    Position decided = writeMoreThanGoesWithoutAnIndex();
    TestLog.delete(directory.resolve("derived"));

    try (FrameStore store = TestLog.open(directory)) {
      assertThat(store.append(onlyIf(decided, "on condition")).isConflict()).isFalse();

      Thread second = new Thread(() -> TestLog.append(store, TestLog.OTHER, "by another thread"));
      second.start();
      second.join();
      ChildJvm.run(Appending.class, directory, "by another process");
      TestLog.append(store, TestLog.OTHER, "by the first thread");

      assertThat(TestLog.contents(store, Query.of(OTHERS)))
          .containsExactly(
              "on condition", "by another thread", "by another process", "by the first thread");
      assertThat(store.append(onlyIf(decided, "too late")).isConflict()).isTrue();
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void positionAfterEnd_isConflict() {
    try (FrameStore store = TestLog.open(directory)) {
      Position last = TestLog.append(store, TestLog.TOPIC, "one").get(0).position();
      Position behind = Position.of(last.value() + 1);
      assertThat(store.append(onlyIf(behind, "decided on what is gone")).isConflict()).isTrue();
      assertThat(store.append(onlyIf(last, "decided on what is there")).isConflict()).isFalse();
    }
  }

  private Position writeMoreThanGoesWithoutAnIndex() {
    try (FrameStore store = TestLog.open(directory)) {
      Position first = TestLog.append(store, TestLog.TOPIC, "first").get(0).position();
      for (int i = 0; i < 80; i++) {
        TestLog.append(store, TestLog.TOPIC, "x".repeat(20_000));
      }
      return first;
    }
  }

  private static Batch onlyIf(Position since, String content) {
    return TestLog.batch(TestLog.OTHER, content).onlyIf(new Batch.Condition(OTHERS, since));
  }

  /** Appends one frame. */
  static final class Appending {

    private Appending() {}

    public static void main(String[] args) {
      try (FrameStore store = TestLog.open(Path.of(args[0]))) {
        store.append(TestLog.batch(TestLog.OTHER, args[1]));
      }
    }
  }
}

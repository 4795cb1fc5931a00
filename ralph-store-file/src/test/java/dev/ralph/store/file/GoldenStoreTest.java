package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Frame;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that an older version wrote. It is never written again: it is what users have. */
class GoldenStoreTest {

  private static final List<String> FRAMES =
      List.of(
          "03h9yb73er4nzujpfcrr6lpbw ralph.golden.task 2026-11-21T08:30:00.123Z"
              + " {\"action\":\"add\",\"status\":\"remaining\",\"n\":1} 'Write the login form'",
          "03h9yb73er4nzujpfctdu5pcd ralph.golden.note 2026-11-21T08:30:00.123Z"
              + " {\"action\":\"add\",\"type\":\"learning\"}"
              + " 'tabs\tand \"quotes\" and \\ and NUL \0 and é 漢 💡'",
          "03h9yb73er4nzujpfcvodc0bk ralph.golden.task 2026-11-21T08:30:00.123Z"
              + " {\"n\":2,\"big\":12345678901234567890.10,\"list\":[1,2,[]],\"o\":{\"x\":null}} ''",
          "03h9yb73er4nzujpfcy8d1jaw ralph.golden.inbox 2026-11-21T08:30:00.123Z {}"
              + " 'two\nlines'",
          "03aaaaaaaaaaaaaaaaaaaaaaa ralph.golden.inbox 2025-01-01T00:00:00.001Z"
              + " {\"status\":\"unread\"} 'from elsewhere'",
          "03h9yb73er4nzujpfd0wssavt ralph.golden.note 2026-11-21T08:30:00.123Z"
              + " {\"action\":\"add\"} '"
              + "0123456789abcdef".repeat(5_000)
              + "'",
          "03h9yb73er4nzujpfd2fo9qor ralph.golden.task 2026-11-21T08:30:00.123Z"
              + " {\"action\":\"status\",\"id\":\"x\"} ' '");

  @TempDir Path temp;
  private Path directory;

  @BeforeEach
  void copy() throws Exception {
    Path golden = Path.of(GoldenStoreTest.class.getResource("/golden/format-1").toURI());
    directory = temp.resolve("store");
    TestLog.copy(golden, directory);
  }

  @Test
  void aStoreOfFormatOneIsReadAsItWasWritten() {
    try (FrameStore store = openExisting()) {
      assertThat(store.info().storeId()).isEqualTo("03h9yb73eqdknwz0gtg1cl6on");
      assertThat(frames(store, TopicFilter.all())).isEqualTo(FRAMES);
      assertThat(frames(store, TopicFilter.parse("ralph.golden.inbox")))
          .isEqualTo(FRAMES.subList(3, 5));
      assertThat(TestLog.describe(store.get("03aaaaaaaaaaaaaaaaaaaaaaa").orElseThrow()))
          .isEqualTo(FRAMES.get(4));
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void aStoreOfFormatOneGoesOn() throws IOException {
    Path segment = directory.resolve("log/00000001.jsonl");
    String before = Files.readString(segment);
    try (FrameStore store = openExisting()) {
      Frame added = TestLog.append(store, Topic.of("ralph.golden.task"), "more").get(0);
      assertThat(added.id()).isGreaterThan("03h9yb73er4nzujpfd2fo9qor");
      assertThat(frames(store, TopicFilter.all())).startsWith(FRAMES.toArray(String[]::new));
      assertThat(store.last(TopicFilter.all()).orElseThrow().content()).isEqualTo("more");
      assertThat(store.verify()).isEmpty();
    }
    assertThat(Files.readString(segment)).startsWith(before).contains("\"more\"");
  }

  private FrameStore openExisting() {
    return new FileStoreProvider().open(StoreConfig.in(directory).existing());
  }

  private static List<String> frames(FrameStore store, TopicFilter filter) {
    return TestLog.frames(store, filter).stream().map(TestLog::describe).toList();
  }
}

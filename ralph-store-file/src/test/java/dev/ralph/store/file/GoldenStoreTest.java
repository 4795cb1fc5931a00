package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Frame;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.support.StoreFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores written by older versions. The files are never rewritten. */
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

  /** Two frames are erased; one of them has a content file. */
  private static final List<String> ERASED_FRAMES =
      List.of(
          "03halwy755eztcofg1mby9ka4 ralph.golden.task 2026-11-24T09:00:00.123Z"
              + " {\"action\":\"add\",\"n\":1} 'Write the login form'",
          "03halwy755eztcofg1mw35ry2 ralph.golden.task 2026-11-24T09:00:00.123Z"
              + " {\"action\":\"add\",\"n\":2} 'one of three'",
          "03halwy755eztcofg1p1yecfr ralph.golden.note 2026-11-24T09:00:00.123Z {} ''",
          "03halwy755eztcofg1sqyjjko ralph.golden.task 2026-11-24T09:00:00.123Z"
              + " {\"action\":\"add\",\"n\":3} 'three of three'",
          "03halwy755eztcofg1taipi7q ralph.golden.note 2026-11-24T09:00:00.123Z"
              + " {\"action\":\"add\"} '"
              + "0123456789abcdef".repeat(5_000)
              + "'",
          "03halwy755eztcofg1vr62kde ralph.golden.note 2026-11-24T09:00:00.123Z {} ''",
          "03halwy755eztcofg204r77ri ralph.golden.note 2026-11-24T09:00:00.123Z"
              + " {\"action\":\"erased\",\"ids\":[\"03halwy755eztcofg1p1yecfr\","
              + "\"03halwy755eztcofg1vr62kde\"]} ''",
          "03halwy755eztcofg21tobovc ralph.golden.task 2026-11-24T09:00:00.123Z"
              + " {\"action\":\"status\",\"id\":\"x\"} ' '");

  @TempDir Path temp;
  private Path directory;

  @BeforeEach
  void copyFormatOne() throws Exception {
    copy("format-1");
  }

  private void copy(String format) throws Exception {
    Path golden = Path.of(GoldenStoreTest.class.getResource("/golden/" + format).toURI());
    directory = temp.resolve(format);
    TestLog.copy(golden, directory);
  }

  @Test
  void formatOne_isRead() {
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
  void formatOne_acceptsAppends() throws IOException {
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

  @Test
  void formatTwo_isReadAndAppendable() throws Exception {
    copy("format-2");
    try (FrameStore store = openExisting()) {
      assertThat(store.info().storeId()).isEqualTo("03halwy755oqt04qbzx89nkw4");
      assertThat(frames(store, TopicFilter.all())).isEqualTo(ERASED_FRAMES);
      assertThat(store.get("03halwy755eztcofg1vr62kde").orElseThrow().isErased()).isTrue();
      TestLog.append(store, Topic.of("ralph.golden.task"), "more");
      assertThat(store.last(TopicFilter.all()).orElseThrow().content()).isEqualTo("more");
      assertThat(store.verify()).isEmpty();
    }
    assertThat(newestFormat()).isEqualTo(2);
  }

  /** Each version checks the header of the newest segment when it opens a store. */
  @Test
  void firstErasure_startsFormatTwo() throws Exception {
    try (FrameStore store = openExisting()) {
      Frame added = TestLog.append(store, Topic.of("ralph.golden.task"), "more").get(0);
      assertThat(newestFormat()).isEqualTo(1);
      store.erase(List.of(added.id()));
      assertThat(newestFormat()).isEqualTo(2);
      Frame second = TestLog.append(store, Topic.of("ralph.golden.task"), "again").get(0);
      store.erase(List.of(second.id(), added.id()));
      assertThat(store.verify()).isEmpty();
    }
    try (Stream<Path> segments = Files.list(directory.resolve("log"))) {
      assertThat(segments).as("only the first erasure starts a segment").hasSize(2);
    }
    assertThat(Files.readString(directory.resolve("log/00000001.jsonl"))).contains("\"format\":1,");
  }

  @Test
  void segmentsAfterErasure_keepFormatTwo() throws Exception {
    copy("format-2");
    Path second = directory.resolve("log/00000002.jsonl");
    Files.writeString(second, Files.readString(second).replace("\"segment\":2", "\"segment\":3"));
    try (FrameStore store = openExisting()) {
      TestLog.append(store, Topic.of("ralph.golden.task"), "more"); // the header is damaged
    }
    assertThat(directory.resolve("log/00000003.jsonl")).exists();
    assertThat(newestFormat()).isEqualTo(2);
  }

  private int newestFormat() {
    Segments segments = new Segments(new StoreFiles(directory));
    return segments.newestHeader(segments.last()).format();
  }

  private FrameStore openExisting() {
    return new FileStoreProvider().open(StoreConfig.in(directory).existing());
  }

  private static List<String> frames(FrameStore store, TopicFilter filter) {
    return TestLog.frames(store, filter).stream().map(TestLog::describe).toList();
  }
}

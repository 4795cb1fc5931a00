package dev.ralph.store.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Frame;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a store that an older version wrote, without the files that are recreated. Never rewrite
 * the store, because users have such stores. Its large files are compressed, without the zeros at
 * the end of Chronicle's files.
 */
class GoldenStoreTest {

  private static final List<String> FRAMES =
      List.of(
          "22845652601995711 03h9yb73eqwegl4nzqsh8npsz ralph.golden.task 2026-11-21T08:30:00.123Z"
              + " {\"action\":\"add\",\"status\":\"remaining\",\"n\":1} 'Write the login form'",
          "22845652601995907 03h9yb73eqwegl4nzqvd9dz0h ralph.golden.note 2026-11-21T08:30:00.123Z"
              + " {\"action\":\"add\",\"type\":\"learning\"}"
              + " 'tabs\tand \"quotes\" and \\ and NUL \0 and é 漢 💡'",
          "22845652601996039 03h9yb73eqwegl4nzqwddbonh ralph.golden.task 2026-11-21T08:30:00.123Z"
              + " {\"n\":2,\"big\":12345678901234567890.10,\"list\":[1,2,[]],\"o\":{\"x\":null}} ''",
          "22845652601996115 03h9yb73eqwegl4nzqxrsxd75 ralph.golden.inbox 2026-11-21T08:30:00.123Z"
              + " {} 'two\nlines'",
          "22845652601996287 03aaaaaaaaaaaaaaaaaaaaaaa ralph.golden.inbox 2025-01-01T00:00:00.001Z"
              + " {\"status\":\"unread\"} 'from elsewhere'",
          "22846752113623536 03hab65ygpx6ugvkppann1ks7 ralph.golden.note 2026-11-22T23:59:59.999Z"
              + " {\"action\":\"add\"} '"
              + "0123456789abcdef".repeat(5_000)
              + "'",
          "22846752113623619 03bbbbbbbbbbbbbbbbbbbbbbb ralph.golden.task 0000-01-01T00:00:00Z"
              + " {} 'the oldest of all'",
          "22846752113623761 03hab65ygpx6ugvkppcgp79kr ralph.golden.task 2026-11-22T23:59:59.999Z"
              + " {\"action\":\"status\",\"id\":\"x\"} ' '");

  private static final String LAST_MINTED = "03hab65ygpx6ugvkppcgp79kr";
  private static final Instant LAST_DAY = Instant.parse("2026-11-22T12:00:00Z");
  private static final String PACKED = ".gz";
  private static final int ROLL_FILE_BYTES = 80 << 20;
  private static final int METADATA_BYTES = 128 << 10;

  @TempDir Path temp;
  private Path directory;

  @BeforeEach
  void unpack() throws Exception {
    Path golden = Path.of(GoldenStoreTest.class.getResource("/golden/format-1").toURI());
    directory = temp.resolve("store");
    try (Stream<Path> files = Files.walk(golden).filter(Files::isRegularFile)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        unpack(file, directory.resolve(golden.relativize(file).toString()));
      }
    }
  }

  private static void unpack(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    String name = to.getFileName().toString();
    if (!name.endsWith(PACKED)) {
      Files.copy(from, to);
      return;
    }
    Path unpacked = to.resolveSibling(name.substring(0, name.length() - PACKED.length()));
    try (InputStream in = new GZIPInputStream(Files.newInputStream(from))) {
      Files.copy(in, unpacked);
    }
    if (unpacked.toString().endsWith(".cq4")) {
      lengthen(unpacked, ROLL_FILE_BYTES);
    } else if (unpacked.toString().endsWith(".cq4t")) {
      lengthen(unpacked, METADATA_BYTES);
    }
  }

  private static void lengthen(Path file, long length) throws IOException {
    try (RandomAccessFile whole = new RandomAccessFile(file.toFile(), "rw")) {
      whole.setLength(length);
    }
  }

  @Test
  void formatOne_isReadUnchanged() {
    try (FrameStore store = openAt(LAST_DAY)) {
      assertThat(store.info().storeId()).isEqualTo("03h9yb73eq8g9rshidg6dbowf");
      assertThat(frames(store, TopicFilter.all())).isEqualTo(FRAMES);
      assertThat(frames(store, TopicFilter.parse("ralph.golden.inbox")))
          .isEqualTo(FRAMES.subList(3, 5));
      assertThat(store.topics(TopicFilter.all()))
          .extracting(Topic::name)
          .containsExactly("ralph.golden.inbox", "ralph.golden.note", "ralph.golden.task");
      assertThat(show(store.get("03aaaaaaaaaaaaaaaaaaaaaaa").orElseThrow()))
          .isEqualTo(FRAMES.get(4));
      assertThat(show(store.last(TopicFilter.parse("ralph.golden.note")).orElseThrow()))
          .isEqualTo(FRAMES.get(5));
      assertThat(store.verify()).isEmpty();
    }
  }

  /** Appends to the newest roll file, and to a roll file of a later day. */
  @Test
  void formatOne_acceptsAppends() {
    List<String> expected = new ArrayList<>(FRAMES);
    String before = LAST_MINTED;
    for (Instant time : List.of(LAST_DAY, LAST_DAY.plusSeconds(86_400 * 2))) {
      try (FrameStore store = openAt(time)) {
        for (Frame added : TestQueue.append(store, "more", "and more")) {
          assertThat(added.id()).isGreaterThan(before);
          before = added.id();
          expected.add(show(added));
        }
      }
      try (FrameStore store = openAt(time)) {
        assertThat(frames(store, TopicFilter.all())).isEqualTo(expected);
        assertThat(store.verify()).isEmpty();
      }
    }
    assertThat(directory.resolve("queue/20261123F.cq4")).doesNotExist();
    assertThat(directory.resolve("queue/20261124F.cq4")).exists();
  }

  private FrameStore openAt(Instant time) {
    Clock clock = Clock.fixed(time, ZoneOffset.UTC);
    return new ChronicleStoreProvider().open(StoreConfig.in(directory).clock(clock).existing());
  }

  private static List<String> frames(FrameStore store, TopicFilter filter) {
    return TestQueue.frames(store, filter).stream().map(GoldenStoreTest::show).toList();
  }

  private static String show(Frame frame) {
    return frame.position().value() + " " + TestQueue.describe(frame);
  }
}

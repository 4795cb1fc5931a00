package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two appenders of one log, which share only the files. */
class TakingTurnsTest {

  private static final int LONGER_THAN_A_LOOK_AT_THE_END = 5_000;

  @TempDir Path directory;

  private final Random random = new Random(7);

  @Test
  void alternatingAppenders_keepIdsAscending() {
    List<String> expected = new ArrayList<>();
    String imported = "";
    try (FrameStore one = TestLog.open(directory);
        FrameStore two = TestLog.open(directory)) {
      for (int i = 0; i < 400; i++) {
        FrameStore store = random.nextBoolean() ? one : two;
        String text = i + "x".repeat(random.nextInt(3) * LONGER_THAN_A_LOOK_AT_THE_END);
        switch (random.nextInt(4)) {
          case 0 -> {
            TestLog.append(store, TestLog.TOPIC, text, "", "last of " + i);
            expected.addAll(List.of(text, "", "last of " + i));
          }
          case 1 -> {
            imported = String.format("00%023d", i); // smaller than any generated id
            Draft old = Draft.imported(imported, Instant.EPOCH, TestLog.TOPIC, Meta.empty(), text);
            store.append(Batch.of("import-" + i, List.of(old)).synced(false));
            expected.add(text);
          }
          default -> {
            TestLog.append(store, TestLog.TOPIC, text);
            expected.add(text);
          }
        }
      }
      assertThat(TestLog.contents(one)).isEqualTo(expected);
      assertThat(one.verify()).isEmpty();
      assertThat(two.verify()).isEmpty();
      assertThat(mintedIds(two)).isSorted().doesNotHaveDuplicates().hasSizeGreaterThan(300);
      assertThat(one.get(imported)).isPresent();
    }
  }

  private static List<String> mintedIds(FrameStore store) {
    List<String> ids = new ArrayList<>();
    try (FrameCursor cursor = store.read(Query.of(TopicFilter.all()))) {
      Frame frame;
      while ((frame = cursor.next()) != null) {
        if (!frame.id().startsWith("00")) {
          ids.add(frame.id());
        }
      }
    }
    return ids;
  }

  @Test
  void condition_seesOldFramesOfOtherStore() {
    Topic untouched = Topic.of("ralph.test.untouched");
    try (FrameStore one = TestLog.open(directory);
        FrameStore two = TestLog.open(directory)) {
      Position decided = TestLog.append(one, TestLog.TOPIC, "decided on").get(0).position();
      for (int i = 0; i < 5; i++) {
        TestLog.append(two, i == 0 ? TestLog.OTHER : TestLog.TOPIC, "by the other");
        TestLog.append(one, TestLog.TOPIC, "passes over it");
      }
      assertThat(one.append(onlyIf(TestLog.OTHER, decided)).isConflict()).isTrue();
      assertThat(two.append(onlyIf(TestLog.TOPIC, decided)).isConflict()).isTrue();
      assertThat(one.append(onlyIf(untouched, decided)).isConflict()).isFalse();
    }
  }

  private static Batch onlyIf(Topic topic, Position since) {
    return TestLog.batch(TestLog.TOPIC, "on condition")
        .onlyIf(new Batch.Condition(TopicFilter.of(topic), since));
  }

  @Test
  void tornTailAfterOtherFrames_isMovedAside() throws Exception {
    try (FrameStore one = TestLog.open(directory);
        FrameStore two = TestLog.open(directory)) {
      TestLog.append(one, TestLog.TOPIC, "first");
      TestLog.append(two, TestLog.TOPIC, "second");
      Path log = TestLog.segment(directory);
      Files.writeString(log, "{\"id\":\"03", StandardOpenOption.APPEND);
      TestLog.append(one, TestLog.TOPIC, "third");
      assertThat(TestLog.contents(two)).containsExactly("first", "second", "third");
      assertThat(two.verify()).isEmpty();
      assertThat(directory.resolve("damaged")).isNotEmptyDirectory();
    }
  }

  @Test
  void damagedLastLineOfOtherStore_isDetected() throws Exception {
    try (FrameStore one = TestLog.open(directory);
        FrameStore two = TestLog.open(directory)) {
      String first = TestLog.append(one, TestLog.TOPIC, "first").get(0).id();
      String id = TestLog.append(two, TestLog.TOPIC, "second").get(0).id();
      Path log = TestLog.segment(directory);
      Files.writeString(log, Files.readString(log).replace(id, "z" + id.substring(1)));

      assertThat(TestLog.append(one, TestLog.TOPIC, "third").get(0).id())
          .as("follows the store's own last id, not the damaged id")
          .isGreaterThan(first)
          .isLessThan("z");
      assertThat(TestLog.contents(one)).containsExactly("first", "third");
      assertThat(one.verify()).hasSize(1);
    }
  }

  @Test
  void index_growsByBlocksOfBothStores() throws Exception {
    Path index = directory.resolve("derived/index/00000001.index");
    try (FrameStore one = TestLog.open(directory);
        FrameStore two = TestLog.open(directory)) {
      Object made = null;
      long length = 0;
      for (int i = 0; i < 2_000; i++) {
        Topic topic = Topic.of("ralph.test.t" + i / 100);
        TestLog.append(i % 3 == 0 ? one : two, topic, i + " " + "x".repeat(500));
        if (Files.exists(index)) {
          BasicFileAttributes now = Files.readAttributes(index, BasicFileAttributes.class);
          made = made == null ? now.fileKey() : made;
          assertThat(now.fileKey()).as("file of append %d", i).isEqualTo(made);
          assertThat(now.size()).isGreaterThanOrEqualTo(length);
          length = now.size();
        }
      }
      assertThat(made).isNotNull();
      for (int i = 0; i < 2_000; i += 100) {
        Query query = Query.of(TopicFilter.of(Topic.of("ralph.test.t" + i / 100)));
        assertThat(TestLog.contents(one, query))
            .hasSize(100)
            .first()
            .asString()
            .startsWith(i + " ");
      }
    }
  }
}

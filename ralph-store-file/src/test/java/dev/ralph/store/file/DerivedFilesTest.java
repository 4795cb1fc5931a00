package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The index only accelerates reading: no change of its files changes a result. */
class DerivedFilesTest {

  @TempDir Path directory;

  private final Random random = new Random(42);
  private final List<String> wanted = new ArrayList<>();
  private int count;

  @Test
  void index_findsSameFrames() {
    try (FrameStore store = TestLog.open(directory)) {
      fill(store, 4_000);
      assertThat(index()).exists();
      assertSameAnswers(store);
    }
    try (FrameStore reopened = TestLog.open(directory)) {
      assertSameAnswers(reopened);
      fill(reopened, 4_000);
      assertSameAnswers(reopened);
    }
  }

  @Test
  void deletedOrDamagedIndex_changesNoAnswer() throws IOException {
    try (FrameStore store = TestLog.open(directory);
        FrameStore other = TestLog.open(directory)) {
      for (int round = 0; round < 12; round++) {
        fill(round % 2 == 0 ? store : other, 800);
        switch (random.nextInt(4)) {
          case 0 -> Files.deleteIfExists(index());
          case 1 -> Files.write(index(), new byte[] {1, 2, 3});
          case 2 -> spoil();
          default -> assertThat(directory).exists();
        }
        assertSameAnswers(store);
        assertSameAnswers(other);
        try (FrameStore cold = TestLog.open(directory)) {
          assertSameAnswers(cold);
        }
      }
    }
  }

  @Test
  void indexLongerThanLog_isIgnored() throws IOException {
    try (FrameStore store = TestLog.open(directory)) {
      fill(store, 3_000);
    }
    Path log = TestLog.segment(directory);
    byte[] bytes = Files.readAllBytes(log);
    int half = bytes.length / 2;
    while (bytes[half - 1] != '\n') {
      half++;
    }
    Files.write(log, Arrays.copyOf(bytes, half));
    wanted.clear();
    try (FrameStore store = TestLog.open(directory)) {
      wanted.addAll(
          TestLog.contents(store).stream().filter(text -> text.startsWith("rare")).toList());
      fill(store, 3_000);
      assertSameAnswers(store);
    }
    try (FrameStore cold = TestLog.open(directory)) {
      assertSameAnswers(cold);
    }
  }

  private void spoil() throws IOException {
    if (Files.exists(index())) {
      byte[] bytes = Files.readAllBytes(index());
      bytes[random.nextInt(bytes.length)] ^= 4;
      Files.write(index(), bytes);
    }
  }

  private Path index() {
    return directory.resolve("derived/index/00000001.index");
  }

  /** Appends mostly frames of other topics, and a few selected frames. */
  private void fill(FrameStore store, int frames) {
    for (int i = 0; i < frames; i++) {
      boolean rare = random.nextInt(500) == 0;
      Topic topic = rare ? TestLog.OTHER : Topic.of("ralph.s" + random.nextInt(9) + ".output");
      String text = (rare ? "rare " : "foreign ") + count++ + " " + "x".repeat(random.nextInt(200));
      store.append(
          Batch.of(
                  "b" + count + "-" + System.nanoTime(),
                  List.of(Draft.of(topic, Meta.empty(), text)))
              .synced(false));
      if (rare) {
        wanted.add(text);
      }
    }
  }

  private void assertSameAnswers(FrameStore store) {
    TopicFilter filter = TopicFilter.of(TestLog.OTHER);
    assertThat(TestLog.contents(store, Query.of(filter))).isEqualTo(wanted);
    List<String> reversed = new ArrayList<>(wanted);
    Collections.reverse(reversed);
    assertThat(TestLog.contents(store, Query.of(filter).backward())).isEqualTo(reversed);
    assertThat(store.last(filter).map(Frame::content))
        .isEqualTo(
            wanted.isEmpty() ? java.util.Optional.empty() : java.util.Optional.of(reversed.get(0)));
    try (FrameCursor all = store.read(Query.of(filter))) {
      Frame frame;
      while ((frame = all.next()) != null) {
        assertThat(store.get(frame.id()).map(Frame::content)).contains(frame.content());
      }
    }
    assertThat(store.topics(TopicFilter.parse("ralph.test.*"))).hasSize(wanted.isEmpty() ? 0 : 1);
  }
}

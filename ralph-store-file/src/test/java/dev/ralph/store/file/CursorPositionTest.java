package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading on from a cursor's position returns the remaining frames exactly once. */
class CursorPositionTest {

  private static final TopicFilter WANTED = TopicFilter.of(TestLog.TOPIC);

  @TempDir Path directory;
  private FrameStore store;

  @BeforeEach
  void open() {
    store = TestLog.open(directory);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void untilPosition_isCursorPosition() {
    Position first = append(TestLog.TOPIC);
    Position until = append(TestLog.OTHER);
    append(TestLog.TOPIC);
    try (FrameCursor cursor = store.read(Query.of(WANTED).after(first).until(until))) {
      assertThat(cursor.position()).isEqualTo(first);
      assertThat(cursor.next()).isNull();
      assertThat(cursor.position()).isEqualTo(until);
    }
  }

  @Test
  void zeroLimit_keepsStartPosition() {
    Position first = append(TestLog.TOPIC);
    append(TestLog.TOPIC);
    try (FrameCursor cursor = store.read(Query.of(WANTED).after(first).limit(0))) {
      assertThat(cursor.next()).isNull();
      assertThat(cursor.position()).isEqualTo(first);
    }
  }

  @Test
  void limit_isPositionOfLastFrame() {
    append(TestLog.TOPIC);
    Position second = append(TestLog.TOPIC);
    append(TestLog.TOPIC);
    try (FrameCursor cursor = store.read(Query.of(WANTED).limit(2))) {
      assertThat(cursor.next()).isNotNull();
      assertThat(cursor.next()).isNotNull();
      assertThat(cursor.next()).isNull();
      assertThat(cursor.position()).isEqualTo(second);
    }
  }

  @Test
  void untilBeforeStart_keepsStartPosition() {
    Position first = append(TestLog.TOPIC);
    Position second = append(TestLog.TOPIC);
    append(TestLog.TOPIC);
    try (FrameCursor cursor = store.read(Query.of(WANTED).after(second).until(first))) {
      assertThat(cursor.next()).isNull();
      assertThat(cursor.position()).isEqualTo(second);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void anyPosition_continuesWithRest(long seed) {
    Random random = new Random(seed);
    List<Frame> wanted = new ArrayList<>();
    List<Position> places = new ArrayList<>(List.of(Position.START));
    for (int i = 0; i < 30; i++) {
      Topic topic = random.nextBoolean() ? TestLog.TOPIC : TestLog.OTHER;
      String[] contents = new String[1 + random.nextInt(3)];
      Arrays.fill(contents, "in batch " + i);
      for (Frame frame : TestLog.append(store, topic, contents)) {
        places.add(frame.position());
        if (topic.equals(TestLog.TOPIC)) {
          wanted.add(frame);
        }
      }
    }
    for (int round = 0; round < 200; round++) {
      Position after = places.get(random.nextInt(places.size()));
      Query query = Query.of(WANTED).after(after);
      if (random.nextInt(3) > 0) {
        query = query.until(places.get(random.nextInt(places.size())));
      }
      if (random.nextInt(3) > 0) {
        query = query.limit(random.nextInt(10));
      }
      List<String> expected =
          wanted.stream()
              .filter(frame -> frame.position().compareTo(after) > 0)
              .map(Frame::id)
              .toList();
      int steps = random.nextInt(12);
      List<String> read = new ArrayList<>();
      Position position;
      try (FrameCursor cursor = store.read(query)) {
        for (int step = 0; step < steps; step++) {
          Frame frame = cursor.next();
          if (frame != null) {
            read.add(frame.id());
          }
        }
        position = cursor.position();
      }
      try (FrameCursor rest = store.read(Query.of(WANTED).after(position))) {
        Frame frame;
        while ((frame = rest.next()) != null) {
          read.add(frame.id());
        }
      }
      assertThat(read)
          .as("after %s until %s limit %s", after, query.until(), query.limit())
          .isEqualTo(expected);
    }
  }

  private Position append(Topic topic) {
    return TestLog.append(store, topic, "frame").get(0).position();
  }
}

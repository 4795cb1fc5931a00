package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static dev.ralph.tck.internal.Reading.rest;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.tck.internal.FrameValues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests that a query returns exactly the selected frames, forward and backward. */
public abstract class ReadConformance extends StoreConformance {

  @Test
  void exactFilter_selectsOneTopic() {
    FrameStore store = withTopics("a.b", "a.b.c", "a.bc", "a.B", "a.b.c.d");
    assertThat(topicsRead(store, TopicFilter.of(Topic.of("a.b")))).containsExactly("a.b");
    assertThat(topicsRead(store, TopicFilter.of(Topic.of("a")))).isEmpty();
  }

  @Test
  void prefixFilter_selectsTopicsBelow() {
    FrameStore store = withTopics("a.b", "a.b.c", "a.bc", "a.b.c.d", "a.b-c", "x.a.b.c", "a.b.c2");
    assertThat(topicsRead(store, TopicFilter.parse("a.b.*")))
        .containsExactly("a.b.c", "a.b.c.d", "a.b.c2");
    assertThat(topicsRead(store, TopicFilter.parse("a.b.c.*"))).containsExactly("a.b.c.d");
  }

  @Test
  void severalPatterns_selectEachFrameOnce() {
    FrameStore store = withTopics("a.b", "a.b.c", "a.bc", "x.y", "a.b.c", "x.y.z");
    TopicFilter filter =
        TopicFilter.parse("a.b.*").or(TopicFilter.parse("a.b.c")).or(TopicFilter.parse("x.y"));
    assertThat(topicsRead(store, filter)).containsExactly("a.b.c", "x.y", "a.b.c");
    assertThat(topicsRead(store, TopicFilter.all())).hasSize(6);
  }

  private FrameStore withTopics(String... names) {
    FrameStore store = open();
    for (String name : names) {
      append(store, Topic.of(name), "");
    }
    return store;
  }

  private static List<String> topicsRead(FrameStore store, TopicFilter filter) {
    return read(store, Query.of(filter)).stream()
        .map(frame -> frame.topic().name())
        .collect(Collectors.toList());
  }

  @Test
  @Order(PLAINEST)
  void anyRange_isReadInBothDirections() {
    FrameStore store = open();
    List<Frame> log = mixed(store, 12);
    List<Position> places = new ArrayList<>(List.of(Position.START));
    log.forEach(frame -> places.add(frame.position()));
    for (int from = 0; from < places.size(); from++) {
      for (int to = from; to < places.size(); to++) {
        Query query = everything().after(places.get(from)).until(places.get(to));
        List<Frame> stretch = new ArrayList<>(log.subList(from, to));
        assertSameFrames(read(store, query), stretch);
        Collections.reverse(stretch);
        assertSameFrames(read(store, query.backward()), stretch);
      }
    }
  }

  @Test
  void reversedRange_selectsNothing() {
    FrameStore store = open();
    List<Frame> log = mixed(store, 5);
    Query query = everything().after(log.get(3).position()).until(log.get(1).position());
    assertThat(read(store, query)).isEmpty();
    assertThat(read(store, query.backward())).isEmpty();
  }

  /** The loss of a log's end, for example in a power failure, leaves such positions. */
  @Test
  void positionBeyondEnd_selectsNothing() throws InterruptedException {
    FrameStore store = open();
    mixed(store, 5);
    long end = store.last(TopicFilter.all()).orElseThrow().position().value();
    for (long value : new long[] {end + 1, end + 1_000, end + (1L << 41), Long.MAX_VALUE}) {
      Query query = everything().after(Position.of(value));
      assertThat(read(store, query)).as("frames after %s", query.after()).isEmpty();
      assertThat(read(store, query.backward())).as("frames after %s", query.after()).isEmpty();
      try (Follower follower = store.follow(query)) {
        assertThat(follower.poll(Duration.ZERO)).isNull();
        assertThat(follower.damage()).isEmpty();
      }
    }
  }

  @Test
  void filteredRange_hasOnlyItsTopics() {
    FrameStore store = open();
    List<Frame> log = mixed(store, 30);
    Query query =
        Query.of(TopicFilter.of(OTHER)).after(log.get(4).position()).until(log.get(24).position());
    List<Frame> expected =
        log.subList(5, 25).stream()
            .filter(frame -> frame.topic().equals(OTHER))
            .collect(Collectors.toList());
    assertSameFrames(read(store, query), expected);
    assertSameFrames(read(store, query.limit(2)), expected.subList(0, 2));
    Collections.reverse(expected);
    assertSameFrames(read(store, query.backward()), expected);
    assertSameFrames(read(store, query.backward().limit(2)), expected.subList(0, 2));
  }

  @Test
  @Order(PLAINEST)
  void limit_countsReturnedFrames() {
    FrameStore store = open();
    List<Frame> log = mixed(store, 10);
    assertThat(read(store, everything().limit(0))).isEmpty();
    assertSameFrames(read(store, everything().limit(4)), log.subList(0, 4));
    assertSameFrames(read(store, everything().limit(10)), log);
    assertSameFrames(read(store, everything().limit(11)), log);
    assertSameFrames(read(store, everything().backward().limit(1)), log.subList(9, 10));
  }

  @Test
  void limit_holdsForFurtherCalls() {
    FrameStore store = open();
    mixed(store, 5);
    try (FrameCursor cursor = store.read(everything().limit(3))) {
      assertThat(rest(cursor)).hasSize(3);
      append(store, TOPIC, "more");
      assertThat(cursor.next()).isNull();
    }
  }

  @Test
  void forwardCursor_continuesWithNewFrames() {
    FrameStore store = open();
    try (FrameCursor cursor = store.read(Query.of(TopicFilter.of(TOPIC)))) {
      assertThat(cursor.next()).isNull();
      for (int round = 0; round < 5; round++) {
        appendEach(store, OTHER, 0, 2);
        assertThat(cursor.next()).isNull();
        List<Frame> added = appendEach(store, TOPIC, 0, 3);
        assertSameFrames(rest(cursor), added);
        assertThat(cursor.next()).isNull();
      }
    }
  }

  @Test
  void cursorPosition_continuesTheRead() {
    FrameStore store = open();
    mixed(store, 30);
    Query query = Query.of(TopicFilter.of(OTHER));
    List<Frame> wanted = read(store, query);
    for (int taken = 0; taken <= wanted.size(); taken++) {
      try (FrameCursor cursor = store.read(query)) {
        for (int i = 0; i < taken; i++) {
          cursor.next();
        }
        assertSameFrames(
            read(store, query.after(cursor.position())), wanted.subList(taken, wanted.size()));
      }
    }
  }

  @Test
  void cursorAtEnd_hasTheLastPosition() {
    FrameStore store = open();
    Query query = Query.of(TopicFilter.of(TOPIC));
    try (FrameCursor cursor = store.read(query)) {
      assertThat(cursor.next()).isNull();
      append(store, TOPIC, "wanted");
      Frame last = append(store, OTHER, "not wanted");
      rest(cursor);
      assertThat(cursor.position())
          .as("position after a frame that the filter rejects")
          .isGreaterThanOrEqualTo(last.position());
      Frame next = append(store, TOPIC, "wanted later");
      assertThat(cursor.position()).as("position before the next read").isLessThan(next.position());
      assertSameFrames(read(store, query.after(cursor.position())), List.of(next));
    }
  }

  @Test
  void limitedCursor_hasPositionOfLastFrame() {
    FrameStore store = open();
    List<Frame> log = mixed(store, 10);
    List<Frame> paged = new ArrayList<>();
    Position from = Position.START;
    while (paged.size() < log.size()) {
      try (FrameCursor page = store.read(everything().after(from).limit(3))) {
        List<Frame> frames = rest(page);
        assertThat(frames).as("the page after %s", from).isNotEmpty();
        paged.addAll(frames);
        from = page.position();
      }
    }
    assertSameFrames(paged, log);
  }

  @Test
  void cursors_areIndependent() {
    FrameStore store = open();
    List<Frame> log = mixed(store, 6);
    try (FrameCursor one = store.read(everything());
        FrameCursor two = store.read(everything().backward())) {
      for (int i = 0; i < 6; i++) {
        assertThat(FrameValues.of(requireNonNull(one.next())))
            .isEqualTo(FrameValues.of(log.get(i)));
        assertThat(FrameValues.of(requireNonNull(two.next())))
            .isEqualTo(FrameValues.of(log.get(5 - i)));
      }
    }
  }

  /** Appends single frames and batches of two on both topics. */
  private static List<Frame> mixed(FrameStore store, int frames) {
    List<Frame> log = new ArrayList<>();
    while (log.size() < frames) {
      Topic topic = log.size() % 4 < 2 ? TOPIC : OTHER;
      int size = log.size() % 5 == 0 && frames - log.size() > 1 ? 2 : 1;
      Batch batch = NumberedBatch.of(newBatchId(), topic, size, 20).synced(false);
      log.addAll(store.append(batch).frames());
    }
    return log;
  }
}

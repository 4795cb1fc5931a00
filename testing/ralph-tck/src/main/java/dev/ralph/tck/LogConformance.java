package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.tck.internal.FrameValues;
import dev.ralph.tck.internal.SteppedClock;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Tests that frames are kept unchanged in the order of their appends, and found by id and topic.
 */
public abstract class LogConformance extends StoreConformance {

  private static final String ABSENT = "03d2qfc7b0000000000000000";

  @Test
  void emptyLog_hasNoFrames() {
    FrameStore store = open();
    assertThat(readAll(store)).isEmpty();
    assertThat(store.last(TopicFilter.all())).isEmpty();
    assertThat(store.topics(TopicFilter.all())).isEmpty();
    assertThat(store.get(ABSENT)).isEmpty();
    assertThat(store.findBatch("never", Position.START)).isEmpty();
  }

  @Test
  void frame_isReadUnchanged() {
    Instant now = Instant.parse("2026-02-03T04:05:06.789Z");
    FrameStore store = open(config().clock(new SteppedClock(now.toString())));
    Meta meta = Meta.of("action", "add").with("n", 1);
    Appended appended =
        store.append(Batch.of(newBatchId(), List.of(Draft.of(TOPIC, meta, "Write the form"))));

    assertNoConflict(appended);
    Frame frame = readAll(store).get(0);
    assertThat(frame.topic()).isEqualTo(TOPIC);
    assertThat(frame.meta()).isEqualTo(meta);
    assertThat(frame.content()).isEqualTo("Write the form");
    assertThat(frame.time()).isEqualTo(now);
    assertThat(frame.id()).matches("[0-9a-z]{25}");
    assertThat(frame.position()).isGreaterThan(Position.START).isEqualTo(appended.position());
    assertSameFrames(appended.frames(), List.of(frame));
  }

  @Test
  void time_isKeptToTheMillisecond() {
    Instant precise = Instant.parse("2026-02-03T04:05:06.789123456Z");
    FrameStore store = open(config().clock(Clock.fixed(precise, ZoneOffset.UTC)));
    Instant kept = Instant.parse("2026-02-03T04:05:06.789Z");
    assertThat(append(store, TOPIC, "").time()).isEqualTo(kept);
    assertThat(readAll(store).get(0).time()).isEqualTo(kept);
  }

  @Test
  void frames_keepTheOrderOfAppends() {
    FrameStore store = open();
    List<Frame> appended = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      appended.add(append(store, i % 3 == 0 ? OTHER : TOPIC, "frame " + i));
    }
    List<Frame> log = readAll(store);
    assertSameFrames(log, appended);
    assertInOrder(log);
    assertIdsIncrease(log);
  }

  @Test
  void frame_isFoundById() {
    FrameStore store = open();
    List<Frame> frames = appendEach(store, TOPIC, 0, 50);
    for (Frame frame : frames) {
      assertThat(store.get(frame.id()).map(FrameValues::of)).contains(FrameValues.of(frame));
    }
  }

  @Test
  void unknownId_findsNoFrame() {
    FrameStore store = open();
    Frame frame = appendEach(store, TOPIC, 0, 50).get(25);
    String beginning = frame.id().substring(0, 24);
    char last = frame.id().charAt(24);
    List<String> absent =
        List.of(
            ABSENT,
            "0".repeat(25),
            "z".repeat(25),
            beginning + (last == 'a' ? 'b' : 'a'),
            beginning,
            frame.id() + "0",
            frame.id().toUpperCase(Locale.ROOT),
            frame.topic().name(),
            "");
    for (String id : absent) {
      assertThat(store.get(id).map(FrameValues::of)).as("frame of id '%s'", id).isEmpty();
    }
  }

  @Test
  @Order(PLAINEST)
  void last_returnsNewestSelectedFrame() {
    FrameStore store = open();
    Frame event = appendEach(store, TOPIC, 0, 3).get(2);
    Frame other = appendEach(store, OTHER, 0, 3).get(2);

    assertThat(store.last(TopicFilter.of(TOPIC)).map(FrameValues::of))
        .contains(FrameValues.of(event));
    assertThat(store.last(TopicFilter.of(TOPIC, OTHER)).map(FrameValues::of))
        .contains(FrameValues.of(other));
    assertThat(store.last(TopicFilter.all()).map(FrameValues::of)).contains(FrameValues.of(other));
    assertThat(store.last(TopicFilter.parse("tck.elsewhere.*"))).isEmpty();

    Frame newer = append(store, TOPIC, "newer");
    assertThat(store.last(TopicFilter.of(TOPIC)).map(FrameValues::of))
        .contains(FrameValues.of(newer));
  }

  @Test
  void topics_areThoseWithFrames() {
    FrameStore store = open();
    Topic upper = Topic.of("tck.main.Events");
    Topic below = Topic.of("tck.main.events.below");
    Topic apart = Topic.of("mail.project.to");
    for (Topic topic : List.of(below, TOPIC, upper, TOPIC, apart)) {
      append(store, topic, "");
    }
    assertThat(store.topics(TopicFilter.all())).containsExactly(apart, upper, TOPIC, below);
    assertThat(store.topics(TopicFilter.parse("tck.main.events.*"))).containsExactly(below);
    assertThat(store.topics(TopicFilter.of(TOPIC, OTHER))).containsExactly(TOPIC);
    assertThat(store.topics(TopicFilter.of(OTHER))).isEmpty();
  }

  @Test
  void topicsOfEqualHash_areDistinct() {
    FrameStore store = open();
    Topic one = Topic.of("tck.main.Aa");
    Topic two = Topic.of("tck.main.BB");
    assertThat(one).hasSameHashCodeAs(two);
    append(store, one, "one");
    assertThat(store.last(TopicFilter.of(two))).isEmpty();
    append(store, two, "two");
    assertThat(store.topics(TopicFilter.all())).containsExactly(one, two);
    for (Topic topic : List.of(one, two)) {
      TopicFilter filter = TopicFilter.of(topic);
      String content = topic.equals(one) ? "one" : "two";
      assertThat(store.last(filter).orElseThrow().content()).isEqualTo(content);
      assertThat(contents(read(store, Query.of(filter)))).containsExactly(content);
    }
  }

  @Test
  void longestAndShortestTopics_areFound() {
    FrameStore store = open();
    Topic longest = Topic.of("s.t." + "x".repeat(Topic.MAX_LENGTH - 4));
    Topic shortest = Topic.of("-");
    append(store, longest, "long");
    append(store, shortest, "short");
    assertThat(store.topics(TopicFilter.all())).containsExactly(shortest, longest);
    assertThat(contents(read(store, Query.of(TopicFilter.of(longest))))).containsExactly("long");
  }
}

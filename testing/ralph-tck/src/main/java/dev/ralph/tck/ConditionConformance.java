package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static dev.ralph.tck.internal.Reading.rest;
import static dev.ralph.tck.internal.TimeLimit.patience;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests that a conditional append succeeds only if no selected frame was appended since. */
public abstract class ConditionConformance extends StoreConformance {

  private static final TopicFilter EVENTS = TopicFilter.of(TOPIC);

  @Test
  void emptyLog_conditionHolds() {
    FrameStore store = open();
    Appended appended = appendIf(store, TOPIC, EVENTS, Position.START, "first");
    assertNoConflict(appended);
    assertThat(contents(readAll(store))).containsExactly("first");
  }

  @Test
  @Order(PLAINEST)
  void newerFrame_isAConflict() {
    FrameStore store = open();
    Position decided = append(store, TOPIC, "decided on").position();
    append(store, TOPIC, "came since");
    Batch batch =
        batchOf(TOPIC, "too late", "too late as well").onlyIf(new Batch.Condition(EVENTS, decided));
    Appended appended = store.append(batch);

    assertConflict(appended);
    assertThat(appended.frames()).isEmpty();
    assertThat(contents(readAll(store))).containsExactly("decided on", "came since");
    assertThat(store.findBatch(batch.id(), Position.START)).isEmpty();
  }

  @Test
  void topicOfRejectedBatch_isNotListed() {
    FrameStore store = open();
    append(store, TOPIC, "held");
    assertConflict(appendIf(store, OTHER, EVENTS, Position.START, "refused"));
    assertThat(store.topics(TopicFilter.all())).containsExactly(TOPIC);
    assertThat(store.last(TopicFilter.of(OTHER))).isEmpty();
    assertThat(read(store, Query.of(TopicFilter.of(OTHER)))).isEmpty();
  }

  @Test
  void frameAtThePosition_isNoConflict() {
    FrameStore store = open();
    appendEach(store, TOPIC, 0, 3);
    Position decided = append(store, TOPIC, "decided on").position();
    assertNoConflict(appendIf(store, TOPIC, EVENTS, decided, "in time"));
    assertConflict(appendIf(store, TOPIC, EVENTS, decided, "again"));
  }

  @Test
  void otherTopics_areNoConflict() {
    FrameStore store = open();
    Position decided = append(store, TOPIC, "decided on").position();
    append(store, OTHER, "another topic");
    append(store, Topic.of("tck.main.events.below"), "a topic below");
    append(store, Topic.of("tck.main.events2"), "a longer name");
    append(store, Topic.of("tck.elsewhere.events"), "another scope");
    assertNoConflict(appendIf(store, TOPIC, EVENTS, decided, "in time"));
  }

  @Test
  void anyTopicOfTheCondition_isAConflict() {
    Topic third = Topic.of("tck.main.third.part");
    TopicFilter several = TopicFilter.of(TOPIC, OTHER).or(TopicFilter.parse("tck.main.third.*"));
    FrameStore store = open();
    for (Topic changed : List.of(TOPIC, OTHER, third)) {
      Position decided = append(store, Topic.of("tck.main.fourth"), "decided on").position();
      append(store, changed, "came since");
      assertThat(appendIf(store, TOPIC, several, decided, "too late").isConflict())
          .as("conflict with a frame of %s", changed)
          .isTrue();
    }
    Position now = store.last(TopicFilter.all()).orElseThrow().position();
    append(store, Topic.of("tck.main.fourth"), "of no matter");
    assertNoConflict(appendIf(store, TOPIC, several, now, "in time"));
  }

  @Test
  void condition_mayBeOnOtherTopics() {
    FrameStore store = open();
    append(store, OTHER, "came before");
    TopicFilter others = TopicFilter.of(OTHER);
    assertConflict(appendIf(store, TOPIC, others, Position.START, "x"));
    Position now = store.last(TopicFilter.all()).orElseThrow().position();
    assertNoConflict(appendIf(store, TOPIC, others, now, "one"));
    assertNoConflict(appendIf(store, TOPIC, others, now, "two"));
  }

  @Test
  void conditionOutsideScope_isRejected() {
    FrameStore store = open();
    Topic topic = Topic.of("tck.main.events.below");
    for (String beyond : List.of("*", "tck.*", "tck.elsewhere.*", "tck.elsewhere.events", "tck")) {
      TopicFilter filter = TopicFilter.parse(beyond);
      for (TopicFilter refused : List.of(filter, EVENTS.or(filter))) {
        assertThatThrownBy(() -> appendIf(store, topic, refused, Position.START, "refused"))
            .as("condition %s", refused)
            .isInstanceOfSatisfying(
                RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
            .hasMessageContaining(refused.toString())
            .hasMessageContaining("tck.main.*");
      }
    }
    assertThat(readAll(store)).isEmpty();
    for (String within : List.of("tck.main", "tck.main.*", "tck.main.events.*", "tck.main.a.b")) {
      Position now = store.last(TopicFilter.all()).map(Frame::position).orElse(Position.START);
      assertThat(appendIf(store, topic, TopicFilter.parse(within), now, "held").isConflict())
          .as("conflict for filter %s", within)
          .isFalse();
    }
  }

  @Test
  void cursorPosition_isValidForConditions() {
    FrameStore store = open();
    appendEach(store, TOPIC, 0, 3);
    appendEach(store, OTHER, 0, 3);
    try (FrameCursor cursor = store.read(Query.of(EVENTS))) {
      rest(cursor);
      Position decided = cursor.position();
      append(store, OTHER, "of no matter");
      assertNoConflict(appendIf(store, TOPIC, EVENTS, decided, "in time"));
      assertConflict(appendIf(store, TOPIC, EVENTS, decided, "too late"));
    }
  }

  @Test
  void racingThreads_haveOneWinnerPerRound() throws Exception {
    FrameStore store = open();
    int threads = 4;
    int rounds = 200;
    AtomicIntegerArray winners = new AtomicIntegerArray(rounds);
    CyclicBarrier start = new CyclicBarrier(threads);
    try (TestThreads testThreads = new TestThreads()) {
      for (int t = 0; t < threads; t++) {
        int name = t;
        testThreads.start(
            "racer-" + t,
            () -> {
              for (int round = 0; round < rounds; round++) {
                Position decided = store.last(EVENTS).map(Frame::position).orElse(Position.START);
                start.await(patience().toSeconds(), TimeUnit.SECONDS);
                Appended appended = appendIf(store, TOPIC, EVENTS, decided, round + "/" + name);
                if (!appended.isConflict()) {
                  winners.incrementAndGet(round);
                }
                start.await(patience().toSeconds(), TimeUnit.SECONDS);
              }
              return null;
            });
      }
      testThreads.join();
    }
    for (int round = 0; round < rounds; round++) {
      assertThat(winners.get(round)).as("winners of round %s", round).isEqualTo(1);
    }
    assertThat(readAll(store)).hasSize(rounds);
  }

  @Test
  void conditionalCounter_losesNoStep() throws Exception {
    FrameStore store = open();
    int threads = 4;
    int steps = 50;
    try (TestThreads testThreads = new TestThreads()) {
      for (int t = 0; t < threads; t++) {
        testThreads.start(
            "counter-" + t,
            () -> {
              for (int i = 0; i < steps; ) {
                Frame last = store.last(EVENTS).orElse(null);
                int count = last == null ? 0 : Integer.parseInt(last.content());
                Position decided = last == null ? Position.START : last.position();
                if (!appendIf(store, TOPIC, EVENTS, decided, "" + (count + 1)).isConflict()) {
                  i++;
                }
              }
              return null;
            });
      }
      testThreads.join();
    }
    assertThat(store.last(EVENTS).orElseThrow().content()).isEqualTo("" + threads * steps);
  }

  private static Appended appendIf(
      FrameStore store, Topic topic, TopicFilter filter, Position since, String content) {
    return store.append(
        batchOf(topic, content).synced(false).onlyIf(new Batch.Condition(filter, since)));
  }
}

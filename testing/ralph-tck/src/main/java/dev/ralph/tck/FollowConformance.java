package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static dev.ralph.tck.internal.Reading.take;
import static dev.ralph.tck.internal.TimeLimit.patience;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.tck.internal.FrameValues;
import dev.ralph.tck.internal.TimeLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Tests followers: each gets every frame once and in order, however slow it is, and can be woken
 * and closed.
 */
public abstract class FollowConformance extends StoreConformance {

  private static final int FOLLOWERS = 1_000;
  private static final int LEAVING = 200;
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration MUCH_LONGER = Duration.ofSeconds(8);

  /** The maximum number of repetitions of a measurement on a busy machine. */
  private static final int ROUNDS = 20;

  @Test
  @Order(PLAINEST)
  void follower_getsHistoryThenNewFrames() throws Exception {
    FrameStore store = open();
    List<Frame> expected = new ArrayList<>(appendEach(store, TOPIC, 0, 20));
    try (Follower follower = store.follow(everything())) {
      assertSameFrames(take(follower, 20), expected);
      List<Frame> live = appendEach(store, OTHER, 0, 20);
      assertSameFrames(take(follower, 20), live);
      assertThat(follower.poll(Duration.ZERO)).isNull();
      assertThat(follower.damage()).isEmpty();
    }
  }

  @Test
  void follower_mayStartAnywhere() throws Exception {
    FrameStore store = open();
    List<Frame> log = new ArrayList<>(appendEach(store, TOPIC, 0, 10));
    try (Follower middle = store.follow(everything().after(log.get(6).position()));
        Follower end = store.follow(everything().after(log.get(9).position()))) {
      log.addAll(appendEach(store, TOPIC, 10, 15));
      assertSameFrames(take(middle, 8), log.subList(7, 15));
      assertSameFrames(take(end, 5), log.subList(10, 15));
    }
  }

  @Test
  void follower_usesOnlyFilterAndPosition() throws Exception {
    FrameStore store = open();
    List<Frame> log = appendEach(store, TOPIC, 0, 5);
    Query query = everything().backward().limit(2).until(log.get(3).position());
    try (Follower follower = store.follow(query)) {
      assertSameFrames(take(follower, 5), log);
    }
  }

  @Test
  void filteredFollower_getsItsTopicsOnly() throws Exception {
    FrameStore store = open();
    try (Follower follower = store.follow(Query.of(TopicFilter.of(OTHER)))) {
      List<Frame> wanted = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        appendEach(store, TOPIC, 0, 3);
        wanted.add(append(store, OTHER, "wanted " + i));
      }
      assertSameFrames(take(follower, 10), wanted);
      append(store, TOPIC, "not wanted");
      assertThat(follower.poll(Duration.ofMillis(20))).isNull();
    }
  }

  @Test
  void newFollower_continuesFromPosition() throws Exception {
    FrameStore store = open();
    Query query = Query.of(TopicFilter.of(OTHER));
    for (int i = 0; i < 8; i++) {
      append(store, TOPIC, "not wanted");
      append(store, OTHER, "wanted " + i);
    }
    List<Frame> got = new ArrayList<>();
    Position from = Position.START;
    while (got.size() < 8) {
      try (Follower follower = store.follow(query.after(from))) {
        assertThat(follower.position()).isGreaterThanOrEqualTo(from);
        got.addAll(take(follower, 1));
        from = follower.position();
      }
    }
    assertSameFrames(got, read(store, query));
    append(store, TOPIC, "not wanted");
    try (Follower follower = store.follow(query.after(from))) {
      assertThat(follower.poll(Duration.ofMillis(20))).isNull();
      Frame next = append(store, OTHER, "wanted later");
      try (Follower another = store.follow(query.after(follower.position()))) {
        assertSameFrames(take(another, 1), List.of(next));
      }
    }
  }

  @Test
  void slowFollower_losesNothing() throws Exception {
    FrameStore store = open();
    try (Follower slow = store.follow(everything())) {
      List<Frame> expected = new ArrayList<>(appendEach(store, TOPIC, 0, 3));
      assertSameFrames(take(slow, 1), expected.subList(0, 1));
      for (int i = 0; i < 60; i++) {
        int frames = Math.min(100, store.info().maxBatchFrames());
        expected.addAll(store.append(NumberedBatch.of(newBatchId(), OTHER, frames, 100)).frames());
      }
      List<Frame> rest = take(slow, expected.size() - 1);
      assertSameFrames(rest, expected.subList(1, expected.size()));
    }
  }

  @Test
  void followers_eachGetEveryFrame() throws Exception {
    FrameStore store = open();
    List<Frame> log = new ArrayList<>(appendEach(store, TOPIC, 0, 20));
    List<FutureTask<List<Frame>>> followers = new ArrayList<>();
    try (TestThreads testThreads = new TestThreads()) {
      for (int f = 0; f < 16; f++) {
        Follower follower = closeAfterwards(store.follow(everything()));
        followers.add(testThreads.call("follower-" + f, () -> take(follower, 120)));
      }
      log.addAll(appendEach(store, TOPIC, 20, 120));
      testThreads.join();
    }
    for (FutureTask<List<Frame>> follower : followers) {
      assertSameFrames(follower.get(), log);
    }
  }

  @Test
  void thousandFollowers_shareOpenFiles() throws Exception {
    FrameStore store = open();
    int before = OpenFiles.count();
    CountDownLatch halfway = new CountDownLatch(FOLLOWERS);
    List<FutureTask<List<Frame>>> taken = new ArrayList<>();
    List<Frame> log = new ArrayList<>();
    try (TestThreads testThreads = new TestThreads()) {
      for (int f = 0; f < FOLLOWERS; f++) {
        Follower follower = closeAfterwards(store.follow(wantedBy(f)));
        int half = wantsAll(f) ? FOLLOWERS : 1;
        taken.add(
            testThreads.call(
                "follower-" + f,
                () -> {
                  List<Frame> frames = new ArrayList<>(take(follower, half));
                  halfway.countDown();
                  frames.addAll(take(follower, half));
                  return frames;
                }));
      }
      appendToEach(store, log);
      TimeLimit.await("a follower hangs", () -> halfway.getCount() == 0);
      TimeLimit.await(
          FOLLOWERS + " followers that have come to the end keep open files of their own",
          () -> OpenFiles.count() < before + FOLLOWERS / 10);
      appendToEach(store, log);
      testThreads.join();
    }
    for (int f = 0; f < FOLLOWERS; f++) {
      List<Frame> expected = wantsAll(f) ? log : List.of(log.get(f), log.get(FOLLOWERS + f));
      assertThat(ids(taken.get(f).get())).as("frames of follower %d", f).isEqualTo(ids(expected));
    }
  }

  private static boolean wantsAll(int follower) {
    return follower % 20 == 0;
  }

  private static Query wantedBy(int follower) {
    return wantsAll(follower) ? everything() : Query.of(TopicFilter.of(topicOf(follower)));
  }

  private static Topic topicOf(int follower) {
    return Topic.of("tck.main.follower" + follower);
  }

  private static void appendToEach(FrameStore store, List<Frame> log) {
    for (int f = 0; f < FOLLOWERS; f++) {
      log.add(append(store, topicOf(f), "for " + f));
    }
  }

  @Test
  void waitingFollower_isWokenByAppend() throws Exception {
    FrameStore store = open();
    try (TestThreads testThreads = new TestThreads();
        Follower follower = store.follow(everything())) {
      for (int i = 0; i < 20; i++) {
        FutureTask<Frame> waiting = testThreads.startWaiting(() -> follower.poll(LONG));
        Frame appended = append(store, TOPIC, "frame " + i);
        assertThat(FrameValues.of(TestThreads.await(waiting, patience())))
            .isEqualTo(FrameValues.of(appended));
      }
    }
  }

  @Test
  void waitingFollower_isWokenByAnyBatch() throws Exception {
    FrameStore store = open();
    Batch.Condition holds = new Batch.Condition(TopicFilter.of(OTHER), Position.START);
    Draft imported =
        Draft.imported("03d2qfc7b0000000000000000", Instant.EPOCH, TOPIC, Meta.empty(), "imported");
    Map<String, Batch> kinds =
        Map.of(
            "three frames",
            batchOf(TOPIC, "one", "two", "three"),
            "three frames that need not be synced",
            batchOf(TOPIC, "one", "two", "three").synced(false),
            "a batch on condition",
            batchOf(TOPIC, "one").onlyIf(holds),
            "an import",
            Batch.of(newBatchId(), List.of(imported)));
    try (TestThreads testThreads = new TestThreads();
        Follower follower = store.follow(everything())) {
      for (Map.Entry<String, Batch> kind : kinds.entrySet()) {
        FutureTask<Frame> waiting = testThreads.startWaiting(() -> follower.poll(LONG));
        List<Frame> appended = store.append(kind.getValue()).frames();
        TimeLimit.await("a follower that waits is not woken by " + kind.getKey(), waiting::isDone);
        assertThat(FrameValues.of(waiting.get())).isEqualTo(FrameValues.of(appended.get(0)));
        assertSameFrames(take(follower, appended.size() - 1), appended.subList(1, appended.size()));
      }
    }
  }

  @Test
  void timeout_returnsNull() throws Exception {
    try (Follower follower = open().follow(everything())) {
      long start = System.nanoTime();
      assertThat(follower.poll(Duration.ofMillis(60))).isNull();
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isBetween(Duration.ofMillis(59), patience());
      assertThat(follower.poll(Duration.ZERO)).isNull();
      assertThat(follower.poll(Duration.ofSeconds(-1))).isNull();
    }
  }

  @Test
  void longestTimeout_isAccepted() throws Exception {
    FrameStore store = open();
    try (TestThreads testThreads = new TestThreads();
        Follower follower = store.follow(everything())) {
      FutureTask<Frame> waiting =
          testThreads.startWaiting(() -> follower.poll(Duration.ofSeconds(Long.MAX_VALUE)));
      append(store, TOPIC, "at last");
      assertThat(TestThreads.await(waiting, patience()).content()).isEqualTo("at last");
    }
  }

  @Test
  void rejectedFrames_doNotAffectTheTimeout() throws Exception {
    FrameStore store = open();
    try (TestThreads testThreads = new TestThreads();
        Follower follower = store.follow(Query.of(TopicFilter.of(OTHER)))) {
      for (int i = 0; i < 5; i++) {
        FutureTask<Frame> waiting = testThreads.startWaiting(() -> follower.poll(LONG));
        appendEach(store, TOPIC, 0, 3);
        Frame wanted = append(store, OTHER, "wanted " + i);
        Frame got = TestThreads.await(waiting, patience());
        assertThat(got).as("frame that ends the poll after three rejected frames").isNotNull();
        assertThat(FrameValues.of(got)).isEqualTo(FrameValues.of(wanted));
      }
      int left = ROUNDS;
      while (!isMeasuredWhileUnwantedFramesCome(store, follower, testThreads) && left > 0) {
        left--;
      }
      testThreads.join();
    }
  }

  /**
   * Polls while frames arrive that the filter rejects.
   *
   * @return whether the frames arrived fast enough to prolong a poll with a restarting timeout
   */
  private static boolean isMeasuredWhileUnwantedFramesCome(
      FrameStore store, Follower follower, TestThreads testThreads) throws Exception {
    AtomicBoolean waiting = new AtomicBoolean(true);
    TimeLimit end = TimeLimit.in(MUCH_LONGER);
    long begun = System.nanoTime();
    FutureTask<Duration> longestGap =
        testThreads.call(
            "appender",
            () -> {
              long longest = 0;
              long last = begun;
              while (waiting.get() && !end.left().isZero()) {
                append(store, TOPIC, "not wanted");
                Thread.sleep(1); // leaves CPU time to the follower
                long now = System.nanoTime();
                longest = Math.max(longest, now - last);
                last = now;
              }
              return Duration.ofNanos(longest);
            });
    long start = System.nanoTime();
    assertThat(follower.poll(SHORT)).isNull();
    Duration waited = Duration.ofNanos(System.nanoTime() - start);
    waiting.set(false);
    assertThat(waited)
        .as("duration of a poll of %s while rejected frames arrived", SHORT)
        .isBetween(SHORT.minusMillis(1), MUCH_LONGER);
    return TestThreads.await(longestGap, patience()).compareTo(SHORT.dividedBy(2)) < 0;
  }

  @Test
  void wakeup_affectsNoOtherFollower() throws Exception {
    FrameStore store = open();
    try (TestThreads testThreads = new TestThreads();
        Follower one = store.follow(everything());
        Follower two = store.follow(everything())) {
      for (int i = 0; i < 10; i++) {
        boolean beforeTheWait = i % 2 == 0;
        if (beforeTheWait) {
          one.wakeup();
        }
        FutureTask<Frame> woken = testThreads.call("woken", () -> one.poll(LONG));
        FutureTask<Frame> waiting = testThreads.startWaiting(() -> two.poll(LONG));
        if (!beforeTheWait) {
          one.wakeup();
        }
        assertThat(TestThreads.await(woken, patience())).isNull();
        Frame appended = append(store, TOPIC, "frame " + i);
        Frame got = TestThreads.await(waiting, patience());
        assertThat(got).as("frame that ends the poll of a follower that was not woken").isNotNull();
        assertThat(FrameValues.of(got)).isEqualTo(FrameValues.of(appended));
        assertSameFrames(take(one, 1), List.of(appended));
      }
    }
  }

  @Test
  void wakeup_endsThePollWithoutLoss() throws Exception {
    FrameStore store = open();
    try (TestThreads testThreads = new TestThreads();
        Follower follower = store.follow(everything())) {
      for (int i = 0; i < 20; i++) {
        FutureTask<Frame> waiting = testThreads.startWaiting(() -> follower.poll(LONG));
        follower.wakeup();
        assertThat(TestThreads.await(waiting, patience())).isNull();
        Frame appended = append(store, TOPIC, "frame " + i);
        assertSameFrames(take(follower, 1), List.of(appended));
      }
    }
  }

  @Test
  void earlyWakeup_endsTheNextPoll() throws Exception {
    FrameStore store = open();
    try (TestThreads testThreads = new TestThreads();
        Follower follower = store.follow(everything())) {
      follower.wakeup();
      FutureTask<Frame> waiting = testThreads.call("waiting", () -> follower.poll(LONG));
      assertThat(TestThreads.await(waiting, patience())).isNull();
      FutureTask<Frame> again = testThreads.startWaiting(() -> follower.poll(LONG));
      Frame appended = append(store, TOPIC, "still follows");
      assertThat(FrameValues.of(TestThreads.await(again, patience())))
          .isEqualTo(FrameValues.of(appended));

      follower.wakeup();
      assertThat(follower.poll(Duration.ZERO)).isNull();
      Frame ready = append(store, TOPIC, "goes before the wake-up");
      FutureTask<Frame> first = testThreads.call("waiting", () -> follower.poll(LONG));
      assertThat(FrameValues.of(TestThreads.await(first, patience())))
          .isEqualTo(FrameValues.of(ready));
      FutureTask<Frame> second = testThreads.call("waiting", () -> follower.poll(LONG));
      assertThat(TestThreads.await(second, patience())).isNull();
    }
  }

  @Test
  void closeByAnotherThread_endsThePoll() throws Exception {
    FrameStore store = open();
    try (TestThreads testThreads = new TestThreads()) {
      for (int i = 0; i < 10; i++) {
        Follower follower = store.follow(everything());
        FutureTask<Frame> waiting =
            testThreads.startWaiting(
                () -> {
                  assertFails(Code.CLOSED, () -> follower.poll(LONG));
                  return null;
                });
        follower.close();
        TestThreads.await(waiting, patience());
        assertFails(Code.CLOSED, () -> follower.poll(Duration.ZERO));
        follower.close();
      }
    }
    append(store, TOPIC, "the store is still open");
  }

  @Test
  void interrupt_endsThePollWithoutLoss() throws Exception {
    FrameStore store = open();
    try (TestThreads testThreads = new TestThreads();
        Follower follower = store.follow(everything())) {
      List<Frame> got = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        FutureTask<Void> waiting =
            testThreads.startWaiting(
                () -> {
                  assertThatThrownBy(() -> follower.poll(LONG))
                      .isInstanceOf(InterruptedException.class);
                  return null;
                });
        testThreads.threads().get(i).interrupt();
        TestThreads.await(waiting, patience());
        append(store, TOPIC, "frame " + i);
        got.addAll(take(follower, 1));
      }
      assertSameFrames(got, readAll(store));
    }
  }

  /** If the follower that reads on behalf of all is closed, a second follower must take over. */
  @Test
  void closingFollower_passesFramesToOthers() throws Exception {
    FrameStore store = open();
    try (TestThreads testThreads = new TestThreads();
        Follower stays = store.follow(everything())) {
      for (int i = 0; i < LEAVING; i++) {
        Follower leaves = closeAfterwards(store.follow(everything().after(stays.position())));
        FutureTask<Object> left = testThreads.startWaiting(() -> pollUnlessItLeaves(leaves));
        Thread leaving = testThreads.threads().get(testThreads.threads().size() - 1);
        FutureTask<Frame> staying = testThreads.startWaiting(() -> stays.poll(LONG));
        if (i % 2 == 0) {
          leaving.interrupt();
        }
        Frame appended = append(store, TOPIC, "frame " + i);
        leaves.close();
        assertThat(FrameValues.of(TestThreads.await(staying, patience())))
            .isEqualTo(FrameValues.of(appended));
        assertThat(TestThreads.await(left, patience()))
            .as("reason why the other follower ended")
            .isNotNull();
      }
    }
  }

  private static Object pollUnlessItLeaves(Follower follower) {
    try {
      return Objects.requireNonNull(follower.poll(LONG));
    } catch (InterruptedException | RalphException left) {
      return left;
    }
  }

  /** Frames may arrive between the history and the new frames. */
  @Test
  void joiningFollower_missesNoFrame() throws Exception {
    FrameStore store = open();
    AtomicInteger toAppend = new AtomicInteger();
    AtomicBoolean joining = new AtomicBoolean(true);
    Map<Position, List<String>> joined = new LinkedHashMap<>();
    try (TestThreads testThreads = new TestThreads()) {
      testThreads.start("appender", () -> appendWhile(joining, store, toAppend));
      try {
        for (int f = 0; f < 150; f++) {
          List<Frame> history = f % 25 == 0 ? readAll(store) : List.of();
          Frame last = f % 25 == 0 ? null : store.last(TopicFilter.all()).orElse(null);
          Position from = last == null ? Position.START : last.position();
          toAppend.addAndGet(20);
          try (Follower follower = store.follow(everything().after(from))) {
            joined.put(from, ids(take(follower, history.size() + 10)));
          }
        }
      } finally {
        joining.set(false);
      }
      testThreads.join();
    }
    List<Frame> log = readAll(store);
    List<String> ids = ids(log);
    List<Position> places = new ArrayList<>(List.of(Position.START));
    log.forEach(frame -> places.add(frame.position()));
    joined.forEach(
        (from, got) -> {
          int at = places.indexOf(from);
          assertThat(got)
              .as("frames followed after %s", from)
              .isEqualTo(ids.subList(at, at + got.size()));
        });
  }

  /** Appends without pause while frames are requested. */
  private static Void appendWhile(AtomicBoolean going, FrameStore store, AtomicInteger toAppend) {
    while (going.get()) {
      if (toAppend.get() > 0) {
        append(store, TOPIC, "");
        toAppend.decrementAndGet();
      } else {
        Thread.onSpinWait();
      }
    }
    return null;
  }
}

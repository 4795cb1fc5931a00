package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.rest;
import static dev.ralph.tck.internal.Reading.take;
import static dev.ralph.tck.internal.TimeLimit.patience;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.ClosedException;
import dev.ralph.log.Follower;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.tck.internal.TimeLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Tests that all calls on a closed store fail at once, and that nothing continues in the
 * background.
 */
public abstract class CloseConformance extends StoreConformance {

  @Test
  void closedStore_rejectsEveryCall() {
    FrameStore store = open();
    append(store, TOPIC, "before");
    store.close();

    TopicFilter all = TopicFilter.all();
    assertFails(Code.CLOSED, "info", store::info);
    assertFails(Code.CLOSED, "append", () -> store.append(batchOf(TOPIC, "too late")));
    assertFails(Code.CLOSED, "read", () -> store.read(everything()));
    assertFails(Code.CLOSED, "read", () -> store.read(everything().backward()));
    assertFails(Code.CLOSED, "follow", () -> store.follow(everything()));
    assertFails(Code.CLOSED, "get", () -> store.get("03d2qfc7b0000000000000000"));
    assertFails(Code.CLOSED, "last", () -> store.last(all));
    assertFails(Code.CLOSED, "topics", () -> store.topics(all));
    assertFails(Code.CLOSED, "findBatch", () -> store.findBatch("batch", Position.START));
    assertFails(Code.CLOSED, "verify", store::verify);
    assertFails(Code.CLOSED, "leftovers", store::leftovers);
    assertFails(Code.CLOSED, "removeLeftovers", store::removeLeftovers);
    assertFails(Code.CLOSED, "erase", () -> store.erase(List.of()));
    assertFails(Code.CLOSED, "erase", () -> store.erase(all));
    assertFails(Code.CLOSED, "compact", store::compact);
    assertFails(Code.CLOSED, "snapshots", store::snapshots);
  }

  @Test
  void repeatedClose_doesNothing() {
    FrameStore store = open();
    store.close();
    store.close();
  }

  @Test
  void closedStore_closesItsReaders() {
    FrameStore store = open();
    appendEach(store, TOPIC, 0, 5);
    FrameCursor forward = closeAfterwards(store.read(everything()));
    FrameCursor backward = closeAfterwards(store.read(everything().backward()));
    Follower follower = closeAfterwards(store.follow(everything()));
    assertThat(forward.next()).isNotNull();
    assertThat(backward.next()).isNotNull();
    store.close();
    assertFails(Code.CLOSED, forward::next);
    assertFails(Code.CLOSED, backward::next);
    assertFails(Code.CLOSED, () -> follower.poll(Duration.ZERO));
    assertFails(Code.CLOSED, () -> follower.poll(Duration.ofSeconds(1)));
  }

  @Test
  void closedStore_endsPollsOfFollowers() throws Exception {
    FrameStore store = open();
    append(store, TOPIC, "taken");
    try (TestThreads testThreads = new TestThreads()) {
      List<FutureTask<Void>> waiting = new ArrayList<>();
      for (int f = 0; f < 3; f++) {
        Follower follower = closeAfterwards(store.follow(everything()));
        take(follower, 1);
        waiting.add(
            testThreads.startWaiting(
                () -> {
                  assertFails(Code.CLOSED, () -> follower.poll(Duration.ofMinutes(5)));
                  return null;
                }));
      }
      store.close();
      for (FutureTask<Void> follower : waiting) {
        TestThreads.await(follower, patience());
      }
    }
  }

  @Test
  void closedCursor_leavesTheStoreOpen() {
    FrameStore store = open();
    appendEach(store, TOPIC, 0, 5);
    for (boolean backward : new boolean[] {false, true}) {
      FrameCursor cursor = store.read(backward ? everything().backward() : everything());
      FrameCursor other = closeAfterwards(store.read(everything()));
      assertThat(cursor.next()).isNotNull();
      cursor.close();
      assertFails(Code.CLOSED, cursor::next);
      cursor.close();
      assertThat(rest(other)).hasSize(5);
    }
    assertThat(readAll(store)).hasSize(5);
  }

  @Test
  void closeDuringUse_losesNothing() throws Exception {
    for (int round = 0; round < 3; round++) {
      FrameStore store = open();
      Set<String> acknowledged = ConcurrentHashMap.newKeySet();
      Set<String> refused = ConcurrentHashMap.newKeySet();
      AtomicInteger working = new AtomicInteger();
      try (TestThreads testThreads = new TestThreads()) {
        for (int t = 0; t < 2; t++) {
          testThreads.start(
              "sync-" + t, untilClosed(working, () -> add(store, true, acknowledged, refused)));
          testThreads.start(
              "os-" + t, untilClosed(working, () -> add(store, false, acknowledged, refused)));
          testThreads.start("reader-" + t, untilClosed(working, () -> readAll(store)));
          testThreads.start("last-" + t, untilClosed(working, () -> store.last(TopicFilter.all())));
        }
        for (int t = 0; t < 3; t++) {
          Follower follower = closeAfterwards(store.follow(everything()));
          testThreads.start(
              "follower-" + t, untilClosed(working, () -> follower.poll(Duration.ofMinutes(5))));
        }
        TimeLimit.await("not all threads work", () -> working.get() == 11);
        TimeLimit.await("nothing is appended", () -> acknowledged.size() >= 20);
        store.close();
        testThreads.join();
      }
      if (fixture().capabilities().contains(Capability.PERSISTENT)) {
        FrameStore again = open();
        Set<String> held =
            readAll(again).stream().map(NumberedBatch::batchOf).collect(Collectors.toSet());
        Set<String> lost = new HashSet<>(acknowledged);
        lost.removeAll(held);
        assertThat(lost).as("batches acknowledged before the store was closed").isEmpty();
        assertThat(held).as("batches rejected with CLOSED").doesNotContainAnyElementsOf(refused);
        NumberedBatch.assertWhole(readAll(again));
        again.close();
      }
    }
  }

  /** Appends a batch; CLOSED must mean that the batch was not written. */
  private static Void add(
      FrameStore store, boolean synced, Set<String> acknowledged, Set<String> refused) {
    Batch batch = NumberedBatch.of(newBatchId(), TOPIC, 3, 100).synced(synced);
    try {
      store.append(batch);
      acknowledged.add(batch.id());
    } catch (IndeterminateException unknown) {
      assertThat(unknown.batchId()).isEqualTo(batch.id());
    } catch (RalphException closed) {
      refused.add(batch.id());
      throw closed;
    }
    return null;
  }

  /** Repeats work until CLOSED; other exceptions fail the test. */
  private static Callable<Void> untilClosed(AtomicInteger working, Callable<?> work) {
    return () -> {
      working.incrementAndGet();
      try {
        while (true) {
          work.call();
        }
      } catch (ClosedException e) {
        return null;
      }
    };
  }

  @Test
  void close_leavesNoThread() throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    FrameStore store = open();
    Follower follower = store.follow(everything());
    append(store, TOPIC, "content");
    store.append(batchOf(TOPIC, "synced"));
    assertThat(take(follower, 2)).hasSize(2);
    store.close();
    TimeLimit.await("threads are left", () -> startedSince(before).isEmpty());
  }

  private static Set<String> startedSince(Set<Thread> before) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !before.contains(thread) && thread.isAlive())
        .filter(thread -> thread.getThreadGroup() != null)
        .filter(thread -> !"InnocuousThreadGroup".equals(thread.getThreadGroup().getName()))
        .filter(thread -> !"system".equals(thread.getThreadGroup().getName()))
        .map(Thread::getName)
        .collect(Collectors.toSet());
  }
}

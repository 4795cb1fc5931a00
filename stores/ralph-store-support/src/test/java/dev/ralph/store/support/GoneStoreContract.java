package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.ralph.log.Batch;
import dev.ralph.log.Follower;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A store that is deleted, moved or recreated while it is open. */
public abstract class GoneStoreContract extends StoreContract {

  @Test
  void deletedStore_failsAllCalls() throws Exception {
    try (FrameStore store = open();
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      TestFrames.append(store, "one");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      TestFrames.delete(directory);
      assertIsGone(store, follower);
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void recreatedStore_isAnotherStore() throws Exception {
    try (FrameStore store = open();
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      TestFrames.append(store, "one");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      TestFrames.delete(directory);
      try (FrameStore second = open()) {
        TestFrames.append(second, "first");
        assertIsGone(store, follower);
        TestFrames.append(second, "more");
        assertThat(TestFrames.contents(second)).containsExactly("first", "more");
        assertThat(second.verify()).isEmpty();
      }
    }
  }

  @Test
  void recreatedStore_failsReads() throws Exception {
    try (FrameStore writer = open()) {
      TestFrames.append(writer, "one");
    }
    try (FrameStore store = open();
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      TestFrames.delete(directory);
      try (FrameStore second = open()) {
        TestFrames.append(second, "first");
      }
      assertIsGone(store, follower);
    }
  }

  @Test
  void movedStore_opensAtNewPath() throws Exception {
    try (FrameStore store = open();
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      TestFrames.append(store, "one");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      Path moved = Files.move(directory, temp.resolve("moved"));
      try (FrameStore there = open(moved)) {
        assertIsGone(store, follower);
        TestFrames.append(there, "two");
        assertThat(TestFrames.contents(there)).containsExactly("one", "two");
        assertThat(there.verify()).isEmpty();
      }
    }
  }

  @Test
  void movedStore_failsNextRead() throws Exception {
    Path moved = temp.resolve("moved");
    for (int i = 0; i < 20; i++) {
      try (FrameStore store = open()) {
        TestFrames.append(store, "one");
        assertThat(TestFrames.contents(store)).hasSize(i + 1);
        Files.move(directory, moved);
        assertGone(() -> TestFrames.contents(store));
      }
      Files.move(moved, directory);
    }
  }

  @Test
  void replacedWitness_failsReads() throws Exception {
    try (FrameStore store = open()) {
      TestFrames.append(store, "one");
      Path witness = directory.resolve(".git/witness");
      Files.move(witness, temp.resolve("earlier"));
      Files.write(witness, Files.readAllBytes(temp.resolve("earlier")));
      assertTimeoutPreemptively(
          Duration.ofMinutes(1),
          () ->
              assertGone(
                  () -> {
                    while (true) {
                      TestFrames.contents(store);
                    }
                  }));
      assertGone(() -> TestFrames.append(store, "lost"));
    }
  }

  @Test
  void missingWitness_leavesAppendIndeterminate() throws Exception {
    try (FrameStore store = open()) {
      TestFrames.append(store, "one");
      Files.delete(directory.resolve(".git/witness"));
      Batch batch = TestFrames.batch("two");
      assertIndeterminate(store, batch);
      try (FrameStore again = open()) {
        assertThat(again.findBatch(batch.id(), Position.START)).isPresent();
        assertThat(TestFrames.contents(again)).containsExactly("one", "two");
      }
      assertGone(() -> TestFrames.append(store, "three"));
    }
  }

  @Test
  void movedLog_leavesAppendIndeterminate() throws Exception {
    try (FrameStore store = open()) {
      TestFrames.append(store, "one");
      Path log = log();
      Path moved = temp.resolve("moved");
      Files.move(log, moved);
      Batch batch = TestFrames.batch("two").synced(false);
      assertIndeterminate(store, batch);
      Files.move(moved, log);
      try (FrameStore again = open()) {
        assertThat(again.findBatch(batch.id(), Position.START)).isPresent();
      }
    }
  }

  private static void assertIndeterminate(FrameStore store, Batch batch) {
    assertThatThrownBy(() -> store.append(batch))
        .isInstanceOfSatisfying(
            IndeterminateException.class,
            e -> {
              assertThat(e.batchId()).isEqualTo(batch.id());
              assertThat(e.isWritten()).as("outcome is unknown").isFalse();
            })
        .hasMessageContaining(batch.id());
  }

  /** Returns the only segment or roll file of the log. */
  private Path log() throws Exception {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.toString().matches(".*/(log/0*1\\.jsonl|queue/\\d+F\\.cq4)"))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void replacedLock_failsAppends_writesNothingTwice() throws Exception {
    try (FrameStore store = open()) {
      TestFrames.append(store, "one");
      Files.delete(directory.resolve("lock"));
      try (FrameStore other = open()) {
        TestFrames.append(other, "two");
        assertGone(() -> TestFrames.append(store, "under another lock"));
        TestFrames.append(other, "three");
        assertThat(TestFrames.contents(other)).containsExactly("one", "two", "three");
      }
    }
  }

  @Test
  void copiedStore_isIndependent() {
    Path copy = temp.resolve("copy");
    try (FrameStore store = open()) {
      TestFrames.append(store, "one");
      TestFrames.copy(directory, copy);
      TestFrames.append(store, "two");
    }
    try (FrameStore store = open(copy)) {
      TestFrames.append(store, "other");
      assertThat(TestFrames.contents(store)).containsExactly("one", "other");
      assertThat(store.verify()).isEmpty();
    }
  }

  private static void assertIsGone(FrameStore store, Follower follower) {
    for (boolean synced : List.of(false, true)) {
      assertGone(() -> store.append(TestFrames.batch("lost").synced(synced)));
    }
    assertGone(() -> TestFrames.contents(store));
    assertGone(() -> store.last(TopicFilter.all()));
    assertGone(() -> follower.poll(Duration.ofMinutes(1)));
  }

  private static void assertGone(ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOfSatisfying(
            RalphException.class,
            e -> assertThat(e.code()).isEqualTo(RalphException.Code.NOT_FOUND))
        .hasMessageContaining("was deleted, moved or replaced while in use");
  }
}

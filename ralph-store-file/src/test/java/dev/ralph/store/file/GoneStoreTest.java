package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.ralph.RalphException;
import dev.ralph.log.Durability;
import dev.ralph.log.Follower;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that is deleted, moved or made anew while it is open. */
class GoneStoreTest {

  @TempDir Path temp;

  @Test
  void aDeletedStoreTakesNothingMoreAndSaysSo() throws Exception {
    Path directory = temp.resolve("store");
    try (FrameStore store = TestLog.open(directory);
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      TestLog.append(store, TestLog.TOPIC, "one");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      TestLog.delete(directory);
      assertIsGone(store, follower);
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void aStoreMadeAnewIsAnotherOne() throws Exception {
    Path directory = temp.resolve("store");
    try (FrameStore store = TestLog.open(directory);
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      TestLog.append(store, TestLog.TOPIC, "one");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      TestLog.delete(directory);
      try (FrameStore anew = TestLog.open(directory)) {
        TestLog.append(anew, TestLog.TOPIC, "anew");
        assertIsGone(store, follower);
        TestLog.append(anew, TestLog.TOPIC, "more");
        assertThat(TestLog.contents(anew)).containsExactly("anew", "more");
        assertThat(anew.verify()).isEmpty();
      }
    }
  }

  @Test
  void aStoreThatOnlyReadsNoticesAsWell() throws Exception {
    Path directory = temp.resolve("store");
    try (FrameStore writer = TestLog.open(directory)) {
      TestLog.append(writer, TestLog.TOPIC, "one");
    }
    try (FrameStore store = TestLog.open(directory);
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      TestLog.delete(directory);
      try (FrameStore anew = TestLog.open(directory)) {
        TestLog.append(anew, TestLog.TOPIC, "anew");
      }
      assertIsGone(store, follower);
    }
  }

  @Test
  void aMovedStoreGoesOnWhereItIs() throws Exception {
    Path directory = temp.resolve("store");
    try (FrameStore store = TestLog.open(directory);
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      TestLog.append(store, TestLog.TOPIC, "one");
      assertThat(follower.poll(Duration.ZERO)).isNotNull();
      Path moved = Files.move(directory, temp.resolve("moved"));
      try (FrameStore there = TestLog.open(moved)) {
        assertIsGone(store, follower);
        TestLog.append(there, TestLog.TOPIC, "two");
        assertThat(TestLog.contents(there)).containsExactly("one", "two");
        assertThat(there.verify()).isEmpty();
      }
    }
  }

  @Test
  void aReadRightBehindAnotherNoticesToo() throws Exception {
    Path directory = temp.resolve("store");
    Path moved = temp.resolve("moved");
    for (int i = 0; i < 20; i++) {
      try (FrameStore store = TestLog.open(directory)) {
        TestLog.append(store, TestLog.TOPIC, "one");
        assertThat(TestLog.contents(store)).hasSize(i + 1);
        Files.move(directory, moved);
        assertGone(() -> TestLog.contents(store));
      }
      Files.move(moved, directory);
    }
  }

  @Test
  void aReaderNoticesSoonThatOnlyTheWitnessWasReplaced() throws Exception {
    Path directory = temp.resolve("store");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "one");
      Path witness = directory.resolve(".git/witness");
      Files.move(witness, temp.resolve("earlier"));
      Files.write(witness, Files.readAllBytes(temp.resolve("earlier")));
      assertTimeoutPreemptively(
          Duration.ofMinutes(1),
          () ->
              assertGone(
                  () -> {
                    while (true) {
                      TestLog.contents(store);
                    }
                  }));
      assertGone(() -> TestLog.append(store, TestLog.TOPIC, "lost"));
    }
  }

  @Test
  void aLockThatWasReplacedEndsTheUseOfItAndNothingIsWrittenTwice() throws Exception {
    Path directory = temp.resolve("store");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "one");
      Files.delete(directory.resolve("lock"));
      try (FrameStore other = TestLog.open(directory)) {
        TestLog.append(other, TestLog.TOPIC, "two");
        assertGone(() -> TestLog.append(store, TestLog.TOPIC, "under another lock"));
        TestLog.append(other, TestLog.TOPIC, "three");
        assertThat(TestLog.contents(other)).containsExactly("one", "two", "three");
      }
    }
  }

  @Test
  void aCopyOfAStoreIsAStoreOfItsOwn() {
    Path directory = temp.resolve("store");
    Path copy = temp.resolve("copy");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "one");
      TestLog.copy(directory, copy);
      TestLog.append(store, TestLog.TOPIC, "two");
    }
    try (FrameStore store = TestLog.open(copy)) {
      TestLog.append(store, TestLog.TOPIC, "other");
      assertThat(TestLog.contents(store)).containsExactly("one", "other");
      assertThat(store.verify()).isEmpty();
    }
  }

  private static void assertIsGone(FrameStore store, Follower follower) {
    for (Durability durability : List.of(Durability.OS, Durability.SYNC)) {
      assertGone(() -> store.append(TestLog.batch(TestLog.TOPIC, "lost").durability(durability)));
    }
    assertGone(() -> TestLog.contents(store));
    assertGone(() -> store.last(TopicFilter.all()));
    assertGone(() -> follower.poll(Duration.ofMinutes(1)));
  }

  private static void assertGone(ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOfSatisfying(
            RalphException.class,
            e -> assertThat(e.code()).isEqualTo(RalphException.Code.NOT_FOUND))
        .hasMessageContaining("was deleted, moved or replaced while it was in use");
  }
}

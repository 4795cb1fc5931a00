package dev.ralph.tck;

import static dev.ralph.tck.internal.Reading.read;
import static dev.ralph.tck.internal.Reading.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Snapshot;
import dev.ralph.tck.internal.FrameValues;
import dev.ralph.tck.internal.SteppedClock;
import dev.ralph.tck.internal.TimeLimit;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests that a persistent store has the same content after a reopen. */
@Requires(Capability.PERSISTENT)
public abstract class ReopenConformance extends StoreConformance {

  private static final int OPENINGS = 50;
  private static final long DAY = 86_400_000;
  private static final Snapshot.Key KEY = new Snapshot.Key("tasks", 1, TopicFilter.all());

  @Test
  @Order(PLAINEST)
  void reopenedStore_hasSameFramesAndPositions() {
    FrameStore store = open();
    appendEach(store, TOPIC, 0, 20);
    Batch batch = NumberedBatch.of(newBatchId(), OTHER, 5, 1_000);
    store.append(batch);
    List<Frame> log = readAll(store);
    List<FrameValues> before = FrameValues.all(log);
    String storeId = store.info().storeId();
    store.close();

    FrameStore again = open(config().existing());
    assertThat(FrameValues.all(readAll(again))).containsExactlyElementsOf(before);
    assertThat(again.info().storeId()).isEqualTo(storeId);
    assertThat(again.topics(TopicFilter.all())).containsExactly(TOPIC, OTHER);
    assertThat(FrameValues.all(again.findBatch(batch.id(), Position.START).orElseThrow()))
        .containsExactlyElementsOf(before.subList(20, 25));
    for (FrameValues seen : before) {
      assertThat(again.get(seen.id()).map(FrameValues::of)).contains(seen);
      assertThat(FrameValues.all(read(again, everything().after(Position.of(seen.position())))))
          .containsExactlyElementsOf(before.subList(before.indexOf(seen) + 1, before.size()));
    }
    assertThat(again.verify()).isEmpty();
  }

  @Test
  void reopenedStore_continuesAppending() throws Exception {
    List<Frame> expected = new ArrayList<>();
    Position from = Position.START;
    for (int round = 0; round < 10; round++) {
      FrameStore store = open();
      try (Follower follower = store.follow(everything().after(from))) {
        List<Frame> added = appendEach(store, round % 2 == 0 ? TOPIC : OTHER, 0, 3);
        expected.addAll(added);
        assertSameFrames(take(follower, 3), added);
        from = follower.position();
      }
      List<Frame> log = readAll(store);
      assertThat(ids(log)).containsExactlyElementsOf(ids(expected));
      assertInOrder(log);
      assertIdsIncrease(log);
      store.close();
    }
  }

  @Test
  void longestAndShortestTopics_areKept() {
    FrameStore store = open();
    Topic longest = Topic.of("s.t." + "x".repeat(Topic.MAX_LENGTH - 4));
    Topic shortest = Topic.of("-");
    append(store, longest, "long");
    append(store, shortest, "short");
    store.close();
    FrameStore again = open();
    assertThat(again.topics(TopicFilter.all())).containsExactly(shortest, longest);
    assertThat(contents(read(again, Query.of(TopicFilter.of(longest))))).containsExactly("long");
  }

  @Test
  void earlierClock_idsIncreaseAfterReopening() {
    SteppedClock clock = new SteppedClock("2026-03-04T05:06:07Z");
    for (int i = 0; i < 4; i++) {
      FrameStore store = open(config().clock(clock));
      appendEach(store, TOPIC, 0, 5);
      store.close();
      clock.step(i % 2 == 0 ? -DAY : DAY / 2);
    }
    List<Frame> log = readAll(open());
    assertThat(log).hasSize(20);
    assertInOrder(log);
    assertIdsIncrease(log);
  }

  @Test
  void follower_continuesAfterReopeningOverDays() throws Exception {
    SteppedClock clock = new SteppedClock("2026-12-30T23:59:00Z");
    List<Frame> expected = new ArrayList<>();
    List<Frame> followed = new ArrayList<>();
    Position from = Position.START;
    for (int round = 0; round < 5; round++) {
      FrameStore store = open(config().clock(clock));
      try (Follower live = store.follow(everything().after(from));
          Follower all = store.follow(everything())) {
        for (int day = 0; day < 4; day++) {
          expected.addAll(appendEach(store, day % 2 == 0 ? TOPIC : OTHER, 0, 3));
          clock.step(day == 2 ? -DAY : DAY);
          expected.addAll(store.append(NumberedBatch.of(newBatchId(), TOPIC, 4, 50)).frames());
        }
        followed.addAll(take(live, expected.size() - followed.size()));
        assertThat(ids(followed)).isEqualTo(ids(expected));
        assertThat(ids(take(all, expected.size()))).isEqualTo(ids(expected));
        assertThat(live.poll(Duration.ZERO)).isNull();
        from = live.position();
      }
      List<Frame> log = readAll(store);
      assertInOrder(log);
      assertIdsIncrease(log);
      store.close();
    }
  }

  @Test
  void condition_holdsAfterReopening() {
    FrameStore store = open();
    Position decided = append(store, TOPIC, "decided on").position();
    append(store, OTHER, "of no matter");
    store.close();
    store = open();
    Batch.Condition condition = new Batch.Condition(TopicFilter.of(TOPIC), decided);
    Appended first = store.append(batchOf(TOPIC, "in time").onlyIf(condition));
    assertNoConflict(first);
    store.close();
    assertConflict(open().append(batchOf(TOPIC, "too late").onlyIf(condition)));
  }

  @Test
  @Requires(Capability.MULTI_PROCESS)
  void twoOpenings_shareOneLog() throws Exception {
    FrameStore one = open();
    FrameStore two = open();
    try (Follower follower = two.follow(everything())) {
      appendEach(one, TOPIC, 0, 10);
      assertSameFrames(take(follower, 10), readAll(one));
      appendEach(two, OTHER, 0, 10);
      assertSameFrames(readAll(one), readAll(two));
      one.close();
      appendEach(two, TOPIC, 10, 15);
      take(follower, 15);
    }
    List<Frame> log = readAll(two);
    assertThat(log).hasSize(25);
    assertInOrder(log);
    assertIdsIncrease(log);
  }

  @Test
  void close_leavesNoFileOpen() throws Exception {
    if (!OpenFiles.isKnown()) {
      abortTest("this system does not list the open files of a process");
    }
    for (int i = 0; i < 5; i++) {
      useAndClose();
    }
    int before = OpenFiles.count();
    for (int i = 0; i < OPENINGS; i++) {
      useAndClose();
    }
    TimeLimit.await(
        "files are left open by " + OPENINGS + " openings",
        () -> OpenFiles.count() < before + OPENINGS / 2);
  }

  private void useAndClose() throws InterruptedException {
    FrameStore store = fixture().provider().open(config());
    append(store, TOPIC, "content");
    assertThat(store.read(everything()).next()).isNotNull();
    assertThat(store.read(everything().backward()).next()).isNotNull();
    assertThat(take(store.follow(everything()), 1)).hasSize(1);
    store.close();
  }

  @Test
  void derivedFiles_mayBeDeletedAtAnyTime() throws Exception {
    FrameStore store = open();
    List<Frame> expected = new ArrayList<>();
    Random random = new Random(11);
    AtomicBoolean running = new AtomicBoolean(true);
    int deleted = 0;
    try (TestThreads testThreads = new TestThreads();
        Follower follower = store.follow(everything())) {
      testThreads.start(
          "reader",
          () -> {
            while (running.get()) {
              NumberedBatch.assertWhole(read(store, Query.of(TopicFilter.of(OTHER))));
            }
            return null;
          });
      try {
        for (int i = 0; i < 40; i++) {
          Topic topic = i % 2 == 0 ? TOPIC : OTHER;
          Batch batch = NumberedBatch.of(newBatchId(), topic, 3, 200).synced(false);
          expected.addAll(store.append(batch).frames());
          Frame newest = expected.get(expected.size() - 1);
          store.snapshots().save(KEY, new Snapshot(newest.id(), newest.position(), new byte[9]));
          List<Path> derived = derivedFiles();
          if (!derived.isEmpty()
              && Files.deleteIfExists(derived.get(random.nextInt(derived.size())))) {
            deleted++;
          }
          assertThat(store.topics(TopicFilter.all())).hasSize(Math.min(i + 1, 2));
          assertThat(store.last(TopicFilter.of(topic)).orElseThrow().id())
              .isEqualTo(expected.get(expected.size() - 1).id());
        }
      } finally {
        running.set(false);
      }
      testThreads.join();
      assertSameFrames(take(follower, expected.size()), expected);
    }
    report(deleted + " derived files deleted while the store was in use");
    Path directory = config().directory();
    assertThat(deleted > 0)
        .as("derived files were deleted, if the fixture has any")
        .isEqualTo(directory != null && !fixture().derivedFiles(directory).isEmpty());
    // Read the content before closing, because a store may read it lazily.
    List<FrameValues> seen = FrameValues.all(expected);
    assertThat(FrameValues.all(readAll(store))).containsExactlyElementsOf(seen);
    store.close();
    for (Path derived : derivedFiles()) {
      Files.deleteIfExists(derived);
    }
    FrameStore again = open();
    assertThat(FrameValues.all(readAll(again))).containsExactlyElementsOf(seen);
    assertThat(again.topics(TopicFilter.all())).containsExactly(TOPIC, OTHER);
    assertThat(again.verify()).isEmpty();
  }

  /** Returns the existing derived files; the store may delete some of them meanwhile. */
  private List<Path> derivedFiles() throws IOException {
    Path directory = config().directory();
    List<Path> files = new ArrayList<>();
    List<Path> derived = directory == null ? List.of() : fixture().derivedFiles(directory);
    for (Path path : derived) {
      Files.walkFileTree(path, new Lister(files));
    }
    return files;
  }

  private static final class Lister extends SimpleFileVisitor<Path> {

    private final List<Path> files;

    private Lister(List<Path> files) {
      this.files = files;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      files.add(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException vanished) {
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException vanished) {
      return FileVisitResult.CONTINUE;
    }
  }
}

package dev.ralph.store.chronicle;

import static dev.ralph.store.chronicle.TestQueue.TOPIC;
import static dev.ralph.store.chronicle.TestQueue.append;
import static dev.ralph.store.chronicle.TestQueue.batch;
import static dev.ralph.store.chronicle.TestQueue.open;
import static dev.ralph.store.chronicle.TestQueue.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Scru128;
import dev.ralph.store.support.StoreLock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests appenders that are killed after writing an excerpt and before updating the end of the log.
 * The next appender adopts the excerpt before it decides.
 */
class KilledAppenderTest {

  @TempDir Path temp;

  @Test
  void adoptedExcerpt_breaksCondition() throws IOException {
    Path directory = temp.resolve("store");
    try (FrameStore killed = open(directory);
        FrameStore next = open(directory)) {
      Position decided = append(next, "one").get(0).position();
      Batch.Condition nothingNew = new Batch.Condition(TopicFilter.of(TOPIC), decided);
      byte[] end = Files.readAllBytes(directory.resolve("end"));
      assertThat(killed.append(batch("claim of the killed").onlyIf(nothingNew)).isConflict())
          .isFalse();
      writeBack(directory, end);

      assertThat(next.append(batch("claim of the next").onlyIf(nothingNew)).isConflict()).isTrue();
      assertThat(read(next).contents()).containsExactly("one", "claim of the killed");
      append(next, "two");
      assertThat(read(next).contents()).containsExactly("one", "claim of the killed", "two");
      assertThat(next.verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1}) // in the same roll file, and in the next one
  void openedStore_showsAdoptedExcerptAtOnce(int days) throws IOException {
    Path directory = temp.resolve("store");
    TestQueue.appendOnDay(directory, 0, "one");
    byte[] end = Files.readAllBytes(directory.resolve("end"));
    TestQueue.appendOnDay(directory, days, "two, unrecorded");
    writeBack(directory, end);
    leaveMark(directory);

    try (FrameStore store = open(directory, 1)) {
      assertThat(read(store).contents()).containsExactly("one", "two, unrecorded");
      assertThat(store.verify()).isEmpty();
      append(store, "three");
      assertThat(read(store).contents()).containsExactly("one", "two, unrecorded", "three");
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void interruptedAppend_opensWhileLockIsHeld() throws Exception {
    Path directory = temp.resolve("store");
    TestQueue.appendOnDay(directory, 0, "one");
    leaveMark(directory);
    try (StoreLock lock = StoreLock.open(directory.resolve("lock"))) {
      lock.acquire();
      try (FrameStore store = openElsewhere(directory)) {
        assertThat(read(store).contents()).containsExactly("one");
      } finally {
        lock.release();
      }
    }
  }

  /** Opens a store on another thread, because this thread holds the lock. */
  private static FrameStore openElsewhere(Path directory) throws Exception {
    FutureTask<FrameStore> opening = new FutureTask<>(() -> open(directory));
    new Thread(opening, "opens").start();
    return opening.get();
  }

  /** Sets the mark of a writer that is killed before it updates the end of the log. */
  private static void leaveMark(Path directory) {
    try (StoreLock lock = StoreLock.open(directory.resolve("lock"))) {
      lock.acquire();
      lock.mark(1);
      lock.release();
    }
  }

  @Test
  void adoptedImport_isNotImportedAgain() throws IOException {
    Path directory = temp.resolve("store");
    Scru128 ids = new Scru128(Clock.fixed(TestQueue.DAY, ZoneOffset.UTC));
    Draft first = imported(ids, "first");
    Draft second = imported(ids, "second");
    Draft third = imported(ids, "third");
    try (FrameStore killed = open(directory);
        FrameStore next = open(directory)) {
      append(next, "one");
      byte[] end = Files.readAllBytes(directory.resolve("end"));
      killed.append(Batch.of("by-the-killed", List.of(first, second)));
      writeBack(directory, end);

      Appended part = next.append(Batch.of("partly-new", List.of(first, third, second)));
      assertThat(part.frames()).extracting(Frame::content).containsExactly("third");
      assertThat(read(next).contents()).containsExactly("one", "first", "second", "third");

      end = Files.readAllBytes(directory.resolve("end"));
      Draft fourth = imported(ids, "fourth");
      killed.append(Batch.of("by-the-killed-again", List.of(fourth)));
      writeBack(directory, end);
      Appended none = next.append(Batch.of("nothing-new", List.of(fourth)));
      assertThat(none.isConflict()).isFalse();
      assertThat(none.frames()).isEmpty();
      assertThat(read(next).contents())
          .containsExactly("one", "first", "second", "third", "fourth");
      assertThat(none.position()).isEqualTo(next.last(TopicFilter.all()).orElseThrow().position());
      assertThat(next.verify()).isEmpty();
    }
  }

  @Test
  void unconditionalAppend_followsAdoptedExcerpt() throws IOException {
    Path directory = temp.resolve("store");
    try (FrameStore killed = open(directory);
        FrameStore next = open(directory)) {
      append(next, "one");
      byte[] end = Files.readAllBytes(directory.resolve("end"));
      Frame last = append(killed, "two", "three").get(1);
      writeBack(directory, end);

      Frame behind = append(next, "four").get(0);
      assertThat(behind.id()).isGreaterThan(last.id());
      assertThat(behind.position()).isGreaterThan(last.position());
      assertThat(read(next).contents()).containsExactly("one", "two", "three", "four");
      assertThat(next.verify()).isEmpty();
    }
  }

  @Test
  void laterRollFile_isAdoptedToo() throws IOException {
    Path directory = temp.resolve("store");
    try (FrameStore killed = open(directory, 1);
        FrameStore next = open(directory, 0)) {
      Position decided = append(next, "one").get(0).position();
      Batch.Condition nothingNew = new Batch.Condition(TopicFilter.of(TOPIC), decided);
      byte[] end = Files.readAllBytes(directory.resolve("end"));
      append(killed, "tomorrow");
      writeBack(directory, end);
      try (FrameStore late = open(directory, 1)) {
        assertThat(late.append(batch("claim").onlyIf(nothingNew)).isConflict()).isTrue();
      }
      append(next, "two");
      assertThat(read(next).contents()).containsExactly("one", "tomorrow", "two");
      assertThat(next.verify()).isEmpty();
    }
  }

  private static Draft imported(Scru128 ids, String content) {
    return Draft.imported(ids.next(), TestQueue.DAY, TOPIC, Meta.empty(), content);
  }

  /** Overwrites the {@code end} file in place, because processes have mapped it. */
  private static void writeBack(Path directory, byte[] end) throws IOException {
    try (RandomAccessFile page = new RandomAccessFile(directory.resolve("end").toFile(), "rw")) {
      page.write(end);
    }
  }
}

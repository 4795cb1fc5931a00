package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.IndeterminateException;
import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.StoreLock;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fails to sync a segment. */
class FailedSyncTest {

  private static final String FIRST = Segments.name(1);

  @TempDir Path temp;
  private Path directory;
  private WatchedDisk disk;

  @BeforeEach
  void createLogOfOneSegment() {
    directory = temp.resolve("store");
    TestLog.writeSegments(directory, 1);
    disk = new WatchedDisk(directory);
  }

  @Test
  void failedSyncBeforeNewSegment_failsAppend() throws IOException {
    try (FrameStore store = disk.open()) {
      TestLog.append(store, TestLog.TOPIC, "not synced");
      begin(2, store.info().storeId());
      disk.refuse(FIRST);
      assertRefused(store, RalphException.Code.IO);
      TestLog.append(store, TestLog.TOPIC, "again");
    }
    assertGoesOnInTheSecondSegment("in 1", "not synced", "again");
  }

  @Test
  void failedSync_startsNewSegment() throws IOException {
    try (FrameStore store = disk.open()) {
      disk.refuse(FIRST);
      assertThatThrownBy(() -> store.append(TestLog.batch(TestLog.TOPIC, "refused")))
          .isInstanceOf(IndeterminateException.class);
      assertThat(TestLog.segment(directory, 2)).as("the next segment exists at once").exists();
      store.append(TestLog.batch(TestLog.TOPIC, "again"));
    }
    assertGoesOnInTheSecondSegment("in 1", "refused", "again");
  }

  @Test
  void newSegment_followsSyncOfPrevious() {
    try (FrameStore store = disk.open()) {
      String id = TestLog.append(store, TestLog.TOPIC, "not synced").get(0).id();
      disk.refuse(FIRST);
      // the first erasure in a store starts a segment that earlier versions reject
      assertThatThrownBy(() -> store.erase(List.of(id))).hasMessageContaining("Input/output error");
    }
    assertThat(TestLog.segment(directory, 2)).doesNotExist();
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "again");
      assertThat(TestLog.contents(store)).containsExactly("in 1", "not synced", "again");
    }
  }

  @Test
  void failedSyncOfNotice_failsErase() {
    try (FrameStore store = disk.open()) {
      String id = TestLog.append(store, TestLog.TOPIC, "x".repeat(100)).get(0).id();
      disk.refuse(Segments.name(2)); // the new segment, which receives the notice
      assertThatThrownBy(() -> store.erase(List.of(id)))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining("Input/output error");
      assertThat(directory.resolve("erasing")).exists();
    }
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "does the rest");
      assertThat(directory.resolve("erasing")).doesNotExist();
    }
  }

  @Test
  void erasure_isAnnouncedBeforeOverwrite() {
    try (FrameStore store = disk.open()) {
      String id = TestLog.append(store, TestLog.TOPIC, "x".repeat(100)).get(0).id();
      TestLog.append(store, TestLog.OTHER, "in the first segment");
      disk.refuse("none");
      store.erase(List.of(id)); // creates the second segment
      String second = TestLog.append(store, TestLog.TOPIC, "y".repeat(100)).get(0).id();
      TestLog.delete(directory.resolve("erased"));
      disk.refuse(Segments.name(2));
      assertThatThrownBy(() -> store.erase(List.of(second))).isInstanceOf(RalphException.class);
      assertThat(directory.resolve("erased")).exists();
    }
  }

  @Test
  void failedSyncOfCutLogWithoutWitness_newSegment() throws IOException {
    Files.delete(directory.resolve(".git/witness"));
    Files.createDirectory(directory.resolve(".git/witness")); // prevents a witness
    Path segment = TestLog.segment(directory);
    long length = Files.size(segment);
    try (FrameStore store = disk.open()) {
      TestLog.append(store, TestLog.TOPIC, "cut off");
      try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
        file.truncate(length);
      }
      disk.refuse(FIRST);
      assertRefused(store, RalphException.Code.IO);
      TestLog.append(store, TestLog.TOPIC, "again");
    }
    assertGoesOnInTheSecondSegment("in 1", "again");
  }

  private static void assertRefused(FrameStore store, RalphException.Code code) {
    assertThatThrownBy(() -> TestLog.append(store, TestLog.TOPIC, "refused"))
        .isInstanceOfSatisfying(RalphException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private void assertGoesOnInTheSecondSegment(String... contents) throws IOException {
    assertThat(Files.readString(TestLog.segment(directory, 2))).contains("again");
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store)).containsExactly(contents);
    }
  }

  /** Starts a segment as another process does. */
  private void begin(int segment, String storeId) {
    try (StoreLock lock = StoreLock.open(directory.resolve(FileStoreProvider.LOCK))) {
      lock.acquire();
      lock.mark(segment);
      new Segments(disk).create(segment, SegmentHeader.PLAIN, storeId, 0, LogLine.NO_CHECKSUM);
      lock.release();
    }
  }
}

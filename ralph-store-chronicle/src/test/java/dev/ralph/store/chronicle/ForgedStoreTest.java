package dev.ralph.store.chronicle;

import static dev.ralph.store.chronicle.TestQueue.append;
import static dev.ralph.store.chronicle.TestQueue.appendOnDay;
import static dev.ralph.store.chronicle.TestQueue.open;
import static dev.ralph.store.chronicle.TestQueue.rollFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.DamagedException;
import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.TestFrames;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests forged stores, whose checksums are valid but whose content is not. */
class ForgedStoreTest {

  private static final int MUTATIONS = 400;
  private static final int BOOT_AT = 24;

  @TempDir Path temp;
  private Path directory;

  @BeforeEach
  void writeLog() {
    directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    appendOnDay(directory, 0, "two");
  }

  /** Writes an {@code end} file of another start of the system, as a copied store has. */
  private void forgeEnd(long position, int abandoned) throws IOException {
    LogEnd.open(directory.resolve("end")).reset(position, 2, abandoned);
    try (RandomAccessFile file = new RandomAccessFile(directory.resolve("end").toFile(), "rw")) {
      file.seek(BOOT_AT);
      file.writeLong(12345);
    }
  }

  private void assertReadableAndAppendable() throws IOException {
    Path roll = rollFile(directory, 0);
    long size = Files.size(roll);
    try (FrameStore store = open(directory)) {
      assertThat(TestFrames.contents(store)).containsExactly("one", "two");
      store.verify();
      append(store, "three");
      assertThat(TestFrames.contents(store)).containsExactly("one", "two", "three");
    }
    assertThat(Files.size(roll)).isLessThanOrEqualTo(size + (1 << 20));
  }

  @ParameterizedTest
  @ValueSource(longs = {1L << 39, 1L << 36, (1L << 40) - 1, 1L << 31})
  void endAfterRollFile_isIgnored(long offset) throws IOException {
    long end;
    try (FrameStore store = open(directory)) {
      end = store.last(TopicFilter.all()).orElseThrow().position().value();
    }
    forgeEnd(SegmentPosition.of(SegmentPosition.segment(end), offset), 0);
    assertReadableAndAppendable();
  }

  @ParameterizedTest
  @ValueSource(longs = {2_932_897, 5_000_000, 8_388_607})
  void endOnImpossibleDay_isIgnored(long cycle) throws IOException {
    forgeEnd(SegmentPosition.of((int) cycle, 4096), 0);
    assertReadableAndAppendable();
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MAX_VALUE, 2_932_896, 1_000_000})
  void missingAbandonedRollFile_isIgnored(int cycle) throws IOException {
    forgeEnd(0, cycle);
    assertReadableAndAppendable();
  }

  @Test
  void hugeHeader_isRejected() throws IOException {
    for (String name : new String[] {"store.json", "store.json.copy"}) {
      try (RandomAccessFile file = new RandomAccessFile(directory.resolve(name).toFile(), "rw")) {
        file.setLength(3L << 30);
      }
    }
    assertThatThrownBy(() -> open(directory)).isInstanceOf(DamagedException.class);
  }

  @Test
  void forgedExcerpt_causesNoInternalError() throws IOException {
    Path roll = rollFile(directory, 0);
    byte[] whole = TestQueue.beginning(roll);
    String storeId;
    try (FrameStore store = open(directory)) {
      storeId = store.info().storeId();
    }
    int from = indexOf(whole, BatchExcerpt.MAGIC);
    int length = Integer.reverseBytes(BatchExcerpt.intAt(whole, from - 4));
    BatchExcerpt.Format format = new BatchExcerpt.Format(storeId);
    assertThat(format.isIntact(whole, from, from + length, new CRC32C())).isTrue();
    Random random = new Random(7);
    for (int i = 0; i < MUTATIONS; i++) {
      byte[] forged = java.util.Arrays.copyOfRange(whole, from, from + length);
      for (int change = random.nextInt(3); change >= 0; change--) {
        int at = BatchExcerpt.PREVIOUS_AT + random.nextInt(length - BatchExcerpt.PREVIOUS_AT);
        forged[at] = (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(3) * 127);
      }
      int checksum = format.checksum(forged, 0, length, new CRC32C());
      ByteBuffer.wrap(forged).putInt(4, checksum);
      try (RandomAccessFile file = new RandomAccessFile(roll.toFile(), "rw")) {
        file.seek(from);
        file.write(forged);
      }
      read(i);
    }
  }

  private void read(int number) {
    try (FrameStore store = open(directory)) {
      for (Frame frame : TestFrames.frames(store, TopicFilter.all())) {
        assertThat(frame.id()).hasSize(BatchExcerpt.ID_LENGTH);
        frame.time();
        frame.meta().json();
        try {
          frame.content();
        } catch (RalphException e) {
          assertThat(e.code()).isEqualTo(RalphException.Code.DAMAGED);
        }
      }
      store.verify();
      store.topics(TopicFilter.all());
    } catch (RalphException e) {
      assertThat(e.code()).as("%s", number).isEqualTo(RalphException.Code.DAMAGED);
    } catch (RuntimeException | Error e) {
      throw new AssertionError("case " + number, e);
    }
  }

  private static int indexOf(byte[] bytes, int magic) {
    int at = 4;
    while (BatchExcerpt.intAt(bytes, at) != magic) {
      at += 4;
    }
    return at;
  }
}

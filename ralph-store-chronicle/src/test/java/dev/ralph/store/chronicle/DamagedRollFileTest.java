package dev.ralph.store.chronicle;

import static dev.ralph.store.chronicle.TestQueue.append;
import static dev.ralph.store.chronicle.TestQueue.appendOnDay;
import static dev.ralph.store.chronicle.TestQueue.open;
import static dev.ralph.store.chronicle.TestQueue.read;
import static dev.ralph.store.chronicle.TestQueue.rollFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.chronicle.TestQueue.Reading;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that damaged frames are reported and not returned, and that all others are readable. */
class DamagedRollFileTest {

  private static final int HEADER = 4;

  @TempDir Path temp;

  @Test
  void flippedBit_losesAtMostTwoFrames() throws IOException {
    Path directory = temp.resolve("store");
    List<String> whole = List.of("one", "two", "three", "four a", "four b", "five");
    long from;
    long to;
    try (FrameStore store = open(directory)) {
      from = startOf(append(store, "one").get(0)) - HEADER;
      append(store, "two");
      append(store, "three");
      append(store, "four a", "four b");
      Frame last = append(store, "five").get(0);
      to = offset(last);
      try (RandomAccessFile file = new RandomAccessFile(rollFile(directory, 0).toFile(), "rw")) {
        for (long at = from; at < to; at++) {
          for (int bit = 0; bit < 8; bit++) {
            flip(file, at, bit);
            assertReported(whole, read(store), at, bit);
            Reading backward = read(store, Query.of(TopicFilter.all()).backward());
            Collections.reverse(backward.contents());
            assertReported(whole, backward, at, bit);
            flip(file, at, bit);
          }
        }
      }
      assertThat(read(store)).isEqualTo(new Reading(whole, List.of()));
    }
  }

  private static void assertReported(List<String> whole, Reading reading, long at, int bit) {
    List<String> lost = new ArrayList<>(whole);
    lost.removeAll(reading.contents());
    List<String> expected = new ArrayList<>(whole);
    expected.removeAll(lost);
    boolean isPadding = lost.isEmpty() && reading.damage().isEmpty();
    if (!reading.contents().equals(expected)
        || lost.size() > 2
        || !isPadding && !isReported(reading)) {
      throw new AssertionError("bit " + bit + " of byte " + at + " gives " + reading);
    }
  }

  private static boolean isReported(Reading reading) {
    return !reading.damage().isEmpty()
        && reading.damage().stream()
            .allMatch(each -> each.file().equals("queue/20260506F.cq4") && each.bytes() > 0);
  }

  @Test
  void flippedBitInTableHeader_losesNoFrame() throws IOException {
    Path directory = temp.resolve("store");
    List<String> whole = new ArrayList<>();
    try (FrameStore store = open(directory)) {
      for (int i = 0; i < 16; i++) {
        whole.add("frame " + i);
        append(store, "frame " + i);
      }
      Reading expected = new Reading(whole, List.of());
      int tables = 0;
      try (RandomAccessFile file = new RandomAccessFile(rollFile(directory, 0).toFile(), "rw")) {
        long end = offset(store.last(TopicFilter.all()).orElseThrow());
        for (long at = 0; at < end; ) {
          file.seek(at);
          int header = Integer.reverseBytes(file.readInt());
          if (ExcerptReader.isMetaData(header)) {
            tables++;
            for (int bit = 0; bit < 32; bit++) {
              flip(file, at + bit / 8, bit % 8);
              assertThat(read(store)).as("bit " + bit + " of byte " + at).isEqualTo(expected);
              flip(file, at + bit / 8, bit % 8);
            }
          }
          at = ExcerptReader.nextHeader(at, header);
        }
      }
      assertThat(tables).as("Chronicle's own tables").isGreaterThan(2);
    }
  }

  @Test
  void damagedLength_isReportedAndAppendsContinue() throws IOException {
    Path directory = temp.resolve("store");
    Frame second;
    Position decided;
    try (FrameStore store = open(directory)) {
      append(store, "one");
      second = append(store, "two").get(0);
      append(store, "three");
      decided = append(store, "four").get(0).position();
    }
    try (RandomAccessFile file = new RandomAccessFile(rollFile(directory, 0).toFile(), "rw")) {
      flip(file, startOf(second) - HEADER + 3, 7); // Chronicle's mark of an incomplete excerpt
    }
    try (FrameStore store = open(directory)) {
      Reading reading = read(store);
      assertThat(reading.contents()).containsExactly("one", "three", "four");
      assertThat(reading.damage()).hasSize(1);
      Damage damage = reading.damage().get(0);
      assertThat(damage.frames()).isEqualTo(1);
      assertThat(damage.file()).isEqualTo("queue/20260506F.cq4");
      assertThat(damage.offset()).isBetween(0L, startOf(second));
      assertThat(store.verify()).isEqualTo(reading.damage());
      assertThat(store.get(second.id())).isEmpty();

      append(store, "five");
      Batch.Condition nothingNew = new Batch.Condition(TopicFilter.of(TestQueue.TOPIC), decided);
      assertThat(store.append(TestQueue.batch("six").onlyIf(nothingNew)).isConflict()).isTrue();
    }
    try (FrameStore again = open(directory)) {
      append(again, "seven");
      assertThat(read(again).contents()).containsExactly("one", "three", "four", "five", "seven");
      assertThat(read(again).damage()).hasSize(1);
    }
  }

  @Test
  void damagedLastExcerpt_isNotEndOfLog() throws IOException {
    Path directory = temp.resolve("store");
    Frame last;
    try (FrameStore store = open(directory)) {
      append(store, "one");
      last = append(store, "two", "three").get(0);
    }
    try (RandomAccessFile file = new RandomAccessFile(rollFile(directory, 0).toFile(), "rw")) {
      file.seek(startOf(last) - HEADER);
      file.writeInt(0); // Chronicle's mark of the end
    }
    try (FrameStore store = open(directory)) {
      assertThat(read(store).contents()).containsExactly("one");
      assertThat(read(store).damage())
          .singleElement()
          .satisfies(damage -> assertThat(damage.frames()).isEqualTo(2));
      Position before = last.position();
      append(store, "four");
      assertThat(read(store).contents()).containsExactly("one", "four");
      assertThat(read(store).damage()).hasSize(1);
      assertThat(store.last(TopicFilter.all()).orElseThrow().position()).isGreaterThan(before);
    }
  }

  @Test
  void missingRollFile_isReported() throws IOException {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    appendOnDay(directory, 1, "two", "three");
    appendOnDay(directory, 3, "four");
    Files.delete(rollFile(directory, 1));
    try (FrameStore store = open(directory, 3)) {
      for (Query query :
          List.of(Query.of(TopicFilter.all()), Query.of(TopicFilter.all()).backward())) {
        Reading reading = read(store, query);
        assertThat(reading.contents()).containsExactlyInAnyOrder("one", "four");
        assertThat(reading.damage()).extracting(Damage::file).contains("queue/20260507F.cq4");
      }
      append(store, "five");
      assertThat(read(store).contents()).containsExactly("one", "four", "five");
    }
  }

  @Test
  void missingLastRollFile_rejectsAppends() throws IOException {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    appendOnDay(directory, 1, "two");
    Files.delete(rollFile(directory, 1));
    try (FrameStore store = open(directory, 1)) {
      assertThat(read(store).contents()).containsExactly("one");
      assertThat(read(store).damage()).extracting(Damage::file).contains("queue/20260507F.cq4");
      assertThat(codeOf(() -> append(store, "three"))).isEqualTo(RalphException.Code.NOT_FOUND);
    }
  }

  @Test
  void missingTable_losesNoFrame() throws IOException {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    Files.delete(directory.resolve("queue/metadata.cq4t"));
    appendOnDay(directory, 0, "two");
    try (FrameStore store = open(directory)) {
      assertThat(read(store)).isEqualTo(new Reading(List.of("one", "two"), List.of()));
    }
  }

  @Test
  void invalidEndFile_isRestored() throws IOException {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    appendOnDay(directory, 1, "two", "three");
    for (byte[] end :
        List.of(
            new byte[0], new byte[64], "nonsense".repeat(8).getBytes(StandardCharsets.US_ASCII))) {
      Files.write(directory.resolve("end"), end);
      try (FrameStore store = open(directory, 1)) {
        assertThat(read(store)).isEqualTo(new Reading(List.of("one", "two", "three"), List.of()));
      }
    }
    appendOnDay(directory, 1, "four");
    try (FrameStore store = open(directory, 1)) {
      assertThat(read(store).contents()).containsExactly("one", "two", "three", "four");
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void newerFormat_isRejectedDespiteCopy() throws IOException {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    Files.writeString(
        directory.resolve("store.json"), "{\"ralph\":\"chronicle\",\"format\":2,\"store\":\"x\"}");
    assertThat(codeOf(() -> open(directory))).isEqualTo(RalphException.Code.UNSUPPORTED);
  }

  @Test
  void damagedHeader_isRestoredFromCopy() throws IOException {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    Path header = directory.resolve("store.json");
    byte[] written = Files.readAllBytes(header);
    for (int bit = 0; bit < written.length * 8; bit += 3) {
      byte[] flipped = written.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(header, flipped);
      assertIsWhole(directory, "bit " + bit);
    }
    Files.writeString(header, "{\"ralph\":");
    assertIsWhole(directory, "cut off");
    assertThat(header).hasBinaryContent(written);
    Files.delete(header);
    assertIsWhole(directory, "deleted");
    assertThat(header).hasBinaryContent(written);
  }

  private static void assertIsWhole(Path directory, String damage) {
    try (FrameStore store = open(directory)) {
      assertThat(read(store)).as(damage).isEqualTo(new Reading(List.of("one"), List.of()));
    }
  }

  @Test
  void damagedHeaderWithoutCopy_isRejected() throws IOException {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    Path header = directory.resolve("store.json");
    Path copy = directory.resolve("store.json.copy");
    byte[] written = Files.readAllBytes(header);
    byte[] flipped = written.clone();
    flipped[written.length / 2] ^= 1;
    Files.write(header, flipped);
    Files.write(copy, flipped);
    assertThat(codeOf(() -> open(directory))).isEqualTo(RalphException.Code.DAMAGED);
    Files.delete(copy);
    assertThat(codeOf(() -> open(directory))).isEqualTo(RalphException.Code.DAMAGED);
    Files.delete(header);
    assertThat(codeOf(() -> open(directory))).isEqualTo(RalphException.Code.DAMAGED);
    Files.write(header, written);
    try (FrameStore store = open(directory)) { // a store of an earlier version has no copy
      assertThat(read(store)).isEqualTo(new Reading(List.of("one"), List.of()));
    }
    assertThat(copy).hasBinaryContent(written);
  }

  @Test
  void missingQueueFolder_rejectsAppends() throws IOException {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    Path queue = directory.resolve("queue");
    Files.move(queue, temp.resolve("elsewhere"));
    try (FrameStore store = open(directory)) {
      assertThatThrownBy(() -> append(store, "two"))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining("the store's log is missing");
    }
    Files.move(temp.resolve("elsewhere"), queue);
    appendOnDay(directory, 0, "three");
    try (FrameStore store = open(directory)) {
      assertThat(read(store)).isEqualTo(new Reading(List.of("one", "three"), List.of()));
    }
  }

  private static RalphException.Code codeOf(Runnable action) {
    try {
      action.run();
    } catch (RalphException e) {
      return e.code();
    }
    throw new AssertionError("no exception");
  }

  /** Returns the offset of the excerpt with the given first frame. */
  private static long startOf(Frame first) {
    return offset(first) - length(first);
  }

  private static long length(Frame first) {
    return 0L
        + BatchExcerpt.BATCH_AT
        + 1
        + 36
        + 1
        + BatchExcerpt.frameOverhead()
        + 1
        + first.topic().name().length()
        + 1
        + 4
        + first.meta().json().length()
        + first.content().length();
  }

  private static long offset(Frame frame) {
    return frame.position().value() & (1L << 40) - 1;
  }

  private static void flip(RandomAccessFile file, long at, int bit) throws IOException {
    file.seek(at);
    int before = file.read();
    file.seek(at);
    file.write(before ^ 1 << bit);
  }
}

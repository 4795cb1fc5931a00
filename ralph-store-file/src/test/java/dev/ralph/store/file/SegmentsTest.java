package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Batch;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.StoreLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs with several segments, of which some are missing or have a newer format. */
class SegmentsTest {

  @TempDir Path temp;
  private Path directory;

  @BeforeEach
  void nameDirectory() {
    directory = temp.resolve("store");
  }

  @Test
  void newerLastSegment_isRejected() throws IOException {
    TestLog.writeSegments(directory, 1);
    byte[] newer = writeNewerSegment(2);

    assertFails(RalphException.Code.UNSUPPORTED, () -> TestLog.open(directory).close(), "format 9");

    assertThat(TestLog.segment(directory, 2)).hasBinaryContent(newer);
  }

  @Test
  void newerSegmentInOpenStore_isNotChanged() throws IOException {
    TestLog.writeSegments(directory, 1);
    try (FrameStore before = TestLog.open(directory);
        FrameStore writing = TestLog.open(directory)) {
      TestLog.append(writing, TestLog.TOPIC, "one more");
      byte[] newer = writeNewerSegment(2);
      byte[] known = Files.readAllBytes(TestLog.segment(directory));

      for (FrameStore store : List.of(before, writing)) {
        for (int i = 0; i < 3; i++) {
          assertFails(
              RalphException.Code.UNSUPPORTED,
              () -> TestLog.append(store, TestLog.TOPIC, "too old"),
              "format 9");
        }
        Batch.Condition nothingYet =
            new Batch.Condition(TopicFilter.of(TestLog.OTHER), Position.START);
        assertFails(
            RalphException.Code.UNSUPPORTED,
            () -> store.append(TestLog.batch(TestLog.OTHER, "too old").onlyIf(nothingYet)),
            "format 9");
        assertFails(
            RalphException.Code.UNSUPPORTED, () -> TestLog.contents(store), "00000002.jsonl");
      }

      assertThat(TestLog.segment(directory, 2)).hasBinaryContent(newer);
      assertThat(TestLog.segment(directory)).hasBinaryContent(known);
      assertThat(directory.resolve("damaged")).doesNotExist();
    }
  }

  @Test
  void missingMiddleSegment_isDamage_restIsRead() throws IOException {
    TestLog.writeSegments(directory, 3);
    Files.delete(TestLog.segment(directory, 2));
    assertDamage(2, "in 1", "in 3");
  }

  @Test
  void missingFirstSegment_isDamageAndNotCreated() throws IOException {
    TestLog.writeSegments(directory, 3);
    Files.delete(TestLog.segment(directory, 1));
    assertDamage(1, "in 2", "in 3");
    assertThat(TestLog.segment(directory, 1)).doesNotExist();
  }

  @Test
  void severalMissingSegments_areReported() throws IOException {
    TestLog.writeSegments(directory, 4);
    Files.delete(TestLog.segment(directory, 1));
    Files.delete(TestLog.segment(directory, 3));
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(store.verify())
          .extracting(damage -> damage.file())
          .containsExactly("log/00000001.jsonl", "log/00000003.jsonl");
    }
  }

  @Test
  void segmentDeletedInOpenStore_isDamage() throws IOException {
    TestLog.writeSegments(directory, 3);
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "more in 3");
      Files.delete(TestLog.segment(directory, 2));
      assertThat(store.verify()).hasSize(1);
      TestLog.append(store, TestLog.TOPIC, "and more in 3");
      assertThat(TestLog.contents(store))
          .containsExactly("in 1", "in 3", "more in 3", "and more in 3");
    }
  }

  @Test
  void deletedStore_failsAppend() {
    try (FrameStore neverWritten = openWithOneFrame();
        FrameStore writing = openWithOneFrame()) {
      TestLog.append(writing, TestLog.TOPIC, "written");
      TestLog.delete(directory);
      for (FrameStore store : List.of(writing, neverWritten)) {
        for (int i = 0; i < 2; i++) {
          assertFails(
              RalphException.Code.NOT_FOUND,
              () -> TestLog.append(store, TestLog.TOPIC, "into the void"),
              directory.toString());
        }
      }
      assertThat(directory.resolve("log")).doesNotExist();
    }
  }

  private FrameStore openWithOneFrame() {
    if (!Files.exists(directory)) {
      TestLog.writeSegments(directory, 1);
    }
    return TestLog.open(directory);
  }

  private void assertDamage(int missing, String... left) throws IOException {
    String name = "log/" + Segments.name(missing);
    List<String> expected = new ArrayList<>(List.of(left));
    try (FrameStore store = TestLog.open(directory)) {
      for (TopicFilter filter : List.of(TopicFilter.all(), TopicFilter.of(TestLog.TOPIC))) {
        List<String> read = new ArrayList<>();
        try (FrameCursor cursor = store.read(Query.of(filter))) {
          Frame frame;
          while ((frame = cursor.next()) != null) {
            read.add(frame.content());
          }
          assertThat(cursor.damage())
              .singleElement()
              .satisfies(
                  damage -> {
                    assertThat(damage.file()).isEqualTo(name);
                    assertThat(damage.toString()).contains("missing");
                  });
        }
        assertThat(read).isEqualTo(expected);
      }
      assertThat(store.verify())
          .singleElement()
          .satisfies(damage -> assertThat(damage.file()).isEqualTo(name));
      assertThat(store.last(TopicFilter.all()).map(Frame::content)).contains("in 3");
      TestLog.append(store, TestLog.TOPIC, "after");
      expected.add("after");
      assertThat(TestLog.contents(store)).isEqualTo(expected);
    }
  }

  private byte[] writeNewerSegment(int number) throws IOException {
    String start = "{\"ralph\":\"log\",\"format\":9,\"store\":\"x\",\"segment\":" + number;
    byte[] header = Arrays.copyOf(LogLine.ascii(start), start.length() + LogLine.CRC_LENGTH + 1);
    LogLine.writeChecksum(header, 0, start.length(), new CRC32C());
    header[header.length - 1] = '\n';
    byte[] rest = LogLine.ascii("{\"of\":\"a kind that is not known here\"}\n".repeat(20));
    byte[] whole = Arrays.copyOf(header, header.length + rest.length);
    System.arraycopy(rest, 0, whole, header.length, rest.length);
    try (StoreLock lock = StoreLock.open(directory.resolve(FileStoreProvider.LOCK))) {
      lock.acquire();
      lock.mark(number); // as a process does before it starts a segment
      Files.write(TestLog.segment(directory, number), whole);
      lock.release();
    }
    return whole;
  }

  private static void assertFails(RalphException.Code code, ThrowingCallable call, String saying) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(RalphException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(saying);
  }
}

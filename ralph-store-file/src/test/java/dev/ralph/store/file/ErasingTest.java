package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.StoreLock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The state after a process was killed while it erased frames. */
class ErasingTest {

  private static final String SECRET = "sesame ".repeat(1_000);

  @TempDir Path directory;
  private Frame frame;

  @BeforeEach
  void leavePartlyErasedLine() throws Exception {
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "before");
      frame = TestLog.append(store, TestLog.TOPIC, SECRET).get(0);
    }
    Path segment = TestLog.segment(directory);
    byte[] whole = Files.readAllBytes(segment);
    Path copy = directory.resolveSibling(directory.getFileName() + "-copy");
    TestLog.copy(directory, copy);
    try (FrameStore store = TestLog.open(copy)) {
      store.erase(List.of(frame.id()));
    }
    byte[] erased = Files.readAllBytes(TestLog.segment(copy));
    TestLog.delete(copy);

    FileFrame line = (FileFrame) frame;
    int from = whole.length - line.length() + line.bodyFrom();
    int length = line.length() - 1 - LogLine.CRC_LENGTH - line.bodyFrom();
    byte[] letters = new byte[Tombstone.LETTERS];
    System.arraycopy(erased, from + length - 1 - letters.length, letters, 0, letters.length);
    Segments segments = new Segments(new StoreFiles(directory));
    ErasurePlan erasing = new ErasurePlan(segments.newestHeader(Segments.FIRST).store());
    erasing.add(line, Segments.FIRST, from, length, letters);
    erasing.write(segments);
    Files.writeString(directory.resolve("erased"), whole.length + "\n");
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.seek(from);
      file.write(erased, from, length / 2);
    }
  }

  @Test
  void lockedStore_readsAnErasureThatIsUnderWay() {
    try (StoreLock lock = StoreLock.open(directory.resolve("lock"))) {
      lock.acquire();
      try (FrameStore store = TestLog.open(directory)) {
        assertThat(TestLog.contents(store)).containsExactly("before", "");
        assertThat(store.get(frame.id()).orElseThrow().isErased()).isTrue();
        assertThat(store.verify()).isEmpty();
      } finally {
        lock.release();
      }
    }
  }

  @Test
  void openStore_completesAnErasure() throws Exception {
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(directory.resolve("erasing")).doesNotExist();
      assertThat(Files.readString(TestLog.segment(directory))).doesNotContain("sesame");
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void openReader_completesErasureOfKilledProcess() throws Exception {
    try (StoreLock lock = StoreLock.open(directory.resolve("lock"))) {
      lock.acquire();
      try (FrameStore store = TestLog.open(directory)) {
        assertThat(directory.resolve("erasing")).exists();
        lock.unfinished(true);
        lock.release(); // as if the erasing process were killed now
        assertThat(TestLog.contents(store)).hasSize(3).startsWith("before", "");
        assertThat(directory.resolve("erasing")).doesNotExist();
        Frame notice = store.last(TopicFilter.of(TestLog.TOPIC)).orElseThrow();
        assertThat(notice.erasedIds()).containsExactly(frame.id());
      }
    }
  }

  @Test
  void nextAppend_completesErasure() throws Exception {
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.OTHER, "after");
      assertThat(directory.resolve("erasing")).doesNotExist();
      assertThat(Files.readString(TestLog.segment(directory))).doesNotContain("sesame");
      Frame notice = store.last(TopicFilter.of(TestLog.TOPIC)).orElseThrow();
      assertThat(notice.erasedIds()).containsExactly(frame.id());
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void missingPlan_leavesDamage() throws Exception {
    Files.delete(directory.resolve("erasing"));
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(store.verify()).isNotEmpty();
    }
  }

  @Test
  void failedErasure_isCompletedInOpenStore() throws Exception {
    try (FrameStore store = TestLog.open(directory);
        FrameStore other = TestLog.open(directory)) {
      Frame before = TestLog.frames(store, TopicFilter.of(TestLog.TOPIC)).get(0);
      store.erase(List.of(before.id())); // from now on earlier versions reject the store
      Frame large = TestLog.append(store, TestLog.TOPIC, "x".repeat(200_000)).get(0);
      TestLog.append(other, TestLog.OTHER, "knows the end of the log");
      Path content = contentOf(large);
      byte[] text = Files.readAllBytes(content);
      Files.delete(content);
      Files.createDirectories(content.resolve("in the way"));

      assertThatThrownBy(() -> store.erase(List.of(large.id())))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining("cannot erase frames in");

      assertThat(directory.resolve("erasing")).exists();
      TestLog.delete(content);
      Files.write(content, text);
      TestLog.append(other, TestLog.OTHER, "after");
      assertThat(directory.resolve("erasing")).doesNotExist();
      assertThat(content).doesNotExist();
      Frame notice = other.last(TopicFilter.of(TestLog.TOPIC)).orElseThrow();
      assertThat(notice.erasedIds()).containsExactly(large.id());
      assertThat(other.verify()).isEmpty();
    }
  }

  private Path contentOf(Frame frame) throws IOException {
    String address = ((FileFrame) frame).contentAddress();
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> address.endsWith(file.getFileName().toString()))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void lineDamagedBeforeErasure_isNotErased() throws Exception {
    try (FrameStore store = TestLog.open(directory);
        HeldBack heldBack = HeldBack.in(directory)) {
      Path segment = TestLog.segment(directory);
      Frame first = TestLog.frames(store, TopicFilter.of(TestLog.TOPIC)).get(0);
      Future<?> erasure = heldBack.alone(() -> store.erase(List.of(first.id())));
      byte[] log = Files.readAllBytes(segment);
      log[new String(log, StandardCharsets.ISO_8859_1).indexOf(first.id())] ^= 1;
      Files.write(segment, log);
      String damaged = Files.readAllLines(segment).get(1);
      heldBack.letGo();

      assertThatThrownBy(erasure::get)
          .hasCauseInstanceOf(RalphException.class)
          .hasMessageContaining("was changed after it was read");
      assertThat(Files.readAllLines(segment)).contains(damaged);
    }
  }

  @Test
  void tombstone_keepsChecksumForAnyLength() {
    Random random = new Random(17);
    for (int length = Tombstone.SHORTEST; length < 300; length++) {
      byte[] line = new byte[20 + length + LogLine.CRC_LENGTH];
      random.nextBytes(line);
      LogLine.writeChecksum(line, 0, 20 + length, new CRC32C());
      Tombstone.write(line, 20);
      assertThat(LogLine.isIntact(line, 0, line.length, new CRC32C())).as("of %s", length).isTrue();
      for (int i = 20; i < 20 + length; i++) {
        assertThat((char) line[i]).isBetween(' ', 'z').isNotEqualTo('\\');
      }
    }
  }
}

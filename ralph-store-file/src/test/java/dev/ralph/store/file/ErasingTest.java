package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Frame;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Erasure;
import dev.ralph.spi.FrameStore;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process leaves that is killed while it erases. */
class ErasingTest {

  private static final String SECRET = "sesame ".repeat(1_000);

  @TempDir Path directory;
  private Frame frame;

  @BeforeEach
  void leaveALineThatIsHalfErased() throws Exception {
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
    int length = line.length() - 1 - Line.CRC_LENGTH - line.bodyFrom();
    byte[] letters = new byte[Tombstone.LETTERS];
    System.arraycopy(erased, from + length - 1 - letters.length, letters, 0, letters.length);
    Erasing erasing = new Erasing();
    erasing.add(line, Segments.FIRST, from, length, letters);
    erasing.write(new Segments(directory.resolve("log")));
    Files.writeString(directory.resolve("erased"), whole.length + "\n");
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.seek(from);
      file.write(erased, from, length / 2);
    }
  }

  @Test
  void aReaderTakesTheRestFromTheFileThatSaysSo() {
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store)).containsExactly("before", "");
      assertThat(store.get(frame.id()).orElseThrow().isErased()).isTrue();
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void theNextAppendDoesTheRest() throws Exception {
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.OTHER, "after");
      assertThat(directory.resolve("erasing")).doesNotExist();
      assertThat(Files.readString(TestLog.segment(directory))).doesNotContain("sesame");
      Frame notice = store.last(TopicFilter.of(TestLog.TOPIC)).orElseThrow();
      assertThat(Erasure.ids(notice)).containsExactly(frame.id());
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void withoutThatFileItIsDamage() throws Exception {
    Files.delete(directory.resolve("erasing"));
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(store.verify()).isNotEmpty();
    }
  }

  @Test
  void aTombstoneOfAnyLengthKeepsTheChecksum() {
    Random random = new Random(17);
    for (int length = Tombstone.SHORTEST; length < 300; length++) {
      byte[] line = new byte[20 + length + Line.CRC_LENGTH];
      random.nextBytes(line);
      Line.writeChecksum(line, 0, 20 + length, new CRC32C());
      Tombstone.write(line, 20);
      assertThat(Line.isIntact(line, 0, line.length, new CRC32C())).as("of %s", length).isTrue();
      for (int i = 20; i < 20 + length; i++) {
        assertThat((char) line[i]).isBetween(' ', 'z').isNotEqualTo('\\');
      }
    }
  }
}

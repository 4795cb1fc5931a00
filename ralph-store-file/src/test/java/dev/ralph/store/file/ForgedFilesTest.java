package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.ralph.log.Damage;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The small files of an untrusted store: every number in them is validated. */
class ForgedFilesTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir Path temp;
  private Path directory;

  @BeforeEach
  void writeLog() {
    directory = temp.resolve("store");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "one");
      TestLog.append(store, TestLog.TOPIC, "two");
    }
  }

  private void assertGoesOn() throws IOException {
    long size = Files.size(TestLog.segment(directory));
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store)).contains("one", "two");
      store.verify();
      TestLog.append(store, TestLog.TOPIC, "three");
      assertThat(TestLog.contents(store)).contains("one", "two", "three");
    }
    assertThat(Files.size(TestLog.segment(directory))).isLessThan(size + 1_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "0",
        "1",
        "1099511627776",
        "9223372036854775807",
        "-9223372036854775808",
        "9223371761976868864",
        "x",
        "",
        "99999999999999999999"
      })
  void forgedLossRecord_isReportedOrIgnored(String number) throws IOException {
    String line = "2026-11-21T08:30:00Z " + number + " " + number + " " + number + " " + number;
    Files.writeString(directory.resolve("rolled-back"), line + " ../../x was lost\n" + line + "\n");
    assertGoesOn();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rolled-back", "erased"})
  void hugeFile_isNotRead(String name) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(directory.resolve(name).toFile(), "rw")) {
      file.setLength(3L << 30);
    }
    assertGoesOn();
    assertThat(directory.resolve(name)).hasSize(3L << 30);
  }

  @Test
  void hugeIndex_isNotRead() throws IOException {
    Files.createDirectories(directory.resolve("derived/index"));
    Path index = directory.resolve("derived/index/00000001.index");
    Files.writeString(index, "RIX3");
    try (RandomAccessFile file = new RandomAccessFile(index.toFile(), "rw")) {
      file.setLength(Integer.MAX_VALUE - 8L);
    }
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store, Query.of(TopicFilter.all()).backward()))
          .containsExactly("two", "one");
      assertThat(store.topics(TopicFilter.all())).containsExactly(TestLog.TOPIC);
    }
    assertGoesOn();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 21, 22, 24, 25, 26, 27})
  void forgedLockFile_allowsAppends(int at) throws IOException {
    Path lock = directory.resolve("lock");
    for (int value : new int[] {0xff, 0x7f, 0x80, 1}) {
      byte[] page = Files.readAllBytes(lock);
      page[at] = (byte) value;
      Files.write(lock, page);
      assertTimeoutPreemptively(LONG, this::assertGoesOn);
    }
  }

  /** Testing eight million missing files one by one would take half a minute for each read. */
  @Test
  void largeSegmentNumber_isFoundQuickly() throws IOException {
    Path far = TestLog.segment(directory, Segments.LAST);
    Files.write(far, Files.readAllLines(TestLog.segment(directory)).subList(0, 1));
    Files.copy(far, directory.resolve("log/99999999.jsonl")); // not a valid segment number
    Files.delete(directory.resolve(".git/witness"));
    assertTimeoutPreemptively(
        LONG,
        () -> {
          try (FrameStore store = TestLog.open(directory)) {
            assertThat(TestLog.contents(store)).containsExactly("one", "two");
            assertThat(TestLog.contents(store, Query.of(TopicFilter.all()).backward()))
                .containsExactly("two", "one");
            assertThat(store.verify())
                .extracting(Damage::description)
                .contains("the segment is missing, and 8388604 after it");
            TestLog.append(store, TestLog.TOPIC, "three");
            assertThat(TestLog.contents(store)).containsExactly("one", "two", "three");
          }
        });
  }
}

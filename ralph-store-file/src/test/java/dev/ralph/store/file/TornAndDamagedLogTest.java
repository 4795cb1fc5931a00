package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TornAndDamagedLogTest {

  /** The frames of each batch. Damage to a frame may lose its whole batch. */
  private static final List<List<String>> BATCHES =
      List.of(
          List.of("one"), List.of("two \"quoted\"\n"), List.of("b1", "b2", "b3"), List.of("ü€😀"));

  private static final List<String> ALL = BATCHES.stream().flatMap(List::stream).toList();

  @TempDir Path temp;
  private Path original;
  private byte[] log;

  @BeforeEach
  void writeLog() throws IOException {
    original = temp.resolve("original");
    try (FrameStore store = TestLog.open(original)) {
      for (List<String> batch : BATCHES) {
        TestLog.append(store, TestLog.TOPIC, batch.toArray(String[]::new));
      }
    }
    log = Files.readAllBytes(TestLog.segment(original));
  }

  @Test
  void tornLog_keepsCompleteBatches() throws IOException {
    int header = firstLine();
    for (int cut = header; cut <= log.length; cut++) {
      Path directory = copyWith(java.util.Arrays.copyOf(log, cut), "cut" + cut);
      List<String> expected = wholeBatchesWithin(cut);
      try (FrameStore store = TestLog.open(directory)) {
        assertThat(TestLog.contents(store)).as("cut at %d", cut).isEqualTo(expected);
        TestLog.append(store, TestLog.TOPIC, "after");
        List<String> goneOn = new ArrayList<>(expected);
        goneOn.add("after");
        assertThat(TestLog.contents(store)).as("cut at %d", cut).isEqualTo(goneOn);
        assertThat(store.verify()).as("cut at %d", cut).isEmpty();
      }
      assertTornBytesAreKept(directory, cut);
    }
  }

  private void assertTornBytesAreKept(Path directory, int cut) throws IOException {
    int whole = endOfWholeBatchesWithin(cut);
    Path aside = directory.resolve("damaged");
    if (whole >= cut) {
      assertThat(aside).doesNotExist();
      return;
    }
    try (var files = Files.list(aside)) {
      assertThat(files.map(TornAndDamagedLogTest::bytes))
          .containsExactly(java.util.Arrays.copyOfRange(log, whole, cut));
    }
  }

  @Test
  void flippedBit_isReported_otherBatchesStay() throws IOException {
    for (int at = 0; at < log.length; at++) {
      byte[] flipped = log.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      Path directory = copyWith(flipped, "flip" + at);
      try (FrameStore store = TestLog.open(directory)) {
        List<String> read;
        List<Damage> seen;
        try (FrameCursor cursor = store.read(Query.of(TopicFilter.of(TestLog.TOPIC)))) {
          read = drain(cursor);
          seen = cursor.damage();
        }
        assertThat(ALL).as("flip at %d: no invented frames", at).containsSubsequence(read);
        boolean lastLineBreak = at == log.length - 1;
        assertThat(lostBatches(read)).as("flip at %d", at).isBetween(0, lastLineBreak ? 0 : 2);
        TestLog.append(store, TestLog.TOPIC, "after");
        assertThat(TestLog.contents(store)).as("flip at %d", at).endsWith("after");
        assertThat(seen).as("flip at %d is reported to the reader", at).isNotEmpty();
        if (lastLineBreak) {
          flipped = log; // the line break was restored
          assertThat(store.verify()).isEmpty();
        } else {
          assertThat(store.verify()).as("flip at %d", at).isNotEmpty();
        }
      }
      byte[] kept = Files.readAllBytes(TestLog.segment(directory));
      assertThat(java.util.Arrays.copyOf(kept, log.length))
          .as("flip at %d: damaged bytes stay in place", at)
          .isEqualTo(flipped);
    }
  }

  @Test
  void missingLastLineBreak_returnsFrameOnce() throws Exception {
    Files.write(TestLog.segment(original), java.util.Arrays.copyOf(log, log.length - 1));
    try (FrameStore store = TestLog.open(original);
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      assertThat(drain(follower)).isEqualTo(ALL);
      assertThat(drain(follower)).isEmpty();
      String last = store.last(TopicFilter.all()).orElseThrow().id();
      String next = TestLog.append(store, TestLog.TOPIC, "after").get(0).id();
      assertThat(next).isGreaterThan(last);
      assertThat(drain(follower)).containsExactly("after");
      assertThat(TestLog.contents(store)).isEqualTo(concat(ALL, "after"));
      assertThat(store.verify()).isEmpty();
    }
    assertThat(java.util.Arrays.copyOf(bytes(TestLog.segment(original)), log.length))
        .isEqualTo(log);
  }

  private static List<String> drain(Follower follower) throws InterruptedException {
    List<String> contents = new ArrayList<>();
    for (Frame f = follower.poll(Duration.ZERO); f != null; f = follower.poll(Duration.ZERO)) {
      contents.add(f.content());
    }
    return contents;
  }

  @Test
  @Tag("slow")
  void gigabytesOfZerosAtEnd_areReportedAndMoved() throws Exception {
    long zeros = 2_200_000_000L; // more than the maximum length of an array
    Path segment = TestLog.segment(original);
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.setLength(log.length + zeros); // a hole needs no disk space
    }
    try (FrameStore store = TestLog.open(original);
        Follower follower = store.follow(Query.of(TopicFilter.all()))) {
      assertThat(drain(follower)).isEqualTo(ALL);
      assertThat(store.verify())
          .singleElement()
          .satisfies(damage -> assertThat(damage.offset()).isEqualTo(log.length))
          .satisfies(damage -> assertThat(damage.bytes()).isEqualTo(zeros));
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(drain(follower)).containsExactly("after");
      assertThat(store.verify()).isEmpty();
    }
    assertThat(Files.size(segment)).isLessThan(2L * log.length);
    try (var aside = Files.list(original.resolve("damaged"))) {
      assertThat(aside).singleElement().satisfies(file -> assertThat(file).hasSize(zeros));
    }
  }

  @Test
  void megabytesOfZerosInLog_loseNoFrame() throws Exception {
    Path segment = TestLog.segment(original);
    long size;
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.seek(log.length + (100L << 20));
      file.write('\n');
      size = file.length();
    }
    try (FrameStore store = TestLog.open(original)) {
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(TestLog.contents(store)).isEqualTo(concat(ALL, "after"));
      assertThat(store.verify())
          .singleElement()
          .satisfies(damage -> assertThat(damage.bytes()).isEqualTo(size - log.length));
    }
  }

  @Test
  void damagedHeader_isReported_newSegmentStarts() throws IOException {
    byte[] flipped = log.clone();
    flipped[30] ^= 1;
    Path directory = copyWith(flipped, "header");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(TestLog.contents(store))
          .startsWith("one")
          .endsWith("after")
          .hasSize(ALL.size() + 1);
      assertThat(store.verify())
          .singleElement()
          .satisfies(damage -> assertThat(damage.offset()).isZero());
    }
    assertThat(directory.resolve("log/00000002.jsonl")).exists();
  }

  @Test
  void newerFormat_isRejectedUnchanged() throws IOException {
    String header = "{\"ralph\":\"log\",\"format\":9,\"store\":\"x\"";
    byte[] line =
        java.util.Arrays.copyOf(
            header.getBytes(StandardCharsets.US_ASCII), header.length() + LogLine.CRC_LENGTH + 1);
    LogLine.writeChecksum(line, 0, header.length(), new java.util.zip.CRC32C());
    line[line.length - 1] = '\n';
    Path directory = copyWith(line, "newer");

    assertThatThrownBy(() -> TestLog.open(directory))
        .isInstanceOfSatisfying(
            RalphException.class,
            e -> assertThat(e.code()).isEqualTo(RalphException.Code.UNSUPPORTED))
        .hasMessageContaining("format 9")
        .hasMessageContaining("newer");
    assertThat(Files.readAllBytes(TestLog.segment(directory))).isEqualTo(line);
  }

  @Test
  void logCutInOpenStore_continuesAfterReopening() throws IOException {
    try (FrameStore store = TestLog.open(original)) {
      TestLog.append(store, TestLog.TOPIC, "last");
      try (var channel =
          java.nio.channels.FileChannel.open(
              TestLog.segment(original), java.nio.file.StandardOpenOption.WRITE)) {
        channel.truncate(log.length);
      }
      assertThatThrownBy(() -> TestLog.append(store, TestLog.TOPIC, "after"))
          .isInstanceOfSatisfying(
              RalphException.class,
              e -> assertThat(e.code()).isEqualTo(RalphException.Code.DAMAGED));
    }
    try (FrameStore store = TestLog.open(original)) {
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(TestLog.contents(store)).containsExactlyElementsOf(concat(ALL, "after"));
      assertThat(store.verify()).hasSize(1);
    }
  }

  private static List<String> concat(List<String> list, String more) {
    List<String> all = new ArrayList<>(list);
    all.add(more);
    return all;
  }

  private static List<String> drain(FrameCursor cursor) {
    List<String> contents = new ArrayList<>();
    dev.ralph.log.Frame frame;
    while ((frame = cursor.next()) != null) {
      contents.add(frame.content());
    }
    return contents;
  }

  private static int lostBatches(List<String> read) {
    int lost = 0;
    for (List<String> batch : BATCHES) {
      boolean whole = read.containsAll(batch);
      boolean none = batch.stream().noneMatch(read::contains);
      assertThat(whole || none).as("a batch is complete or absent: %s", read).isTrue();
      lost += none ? 1 : 0;
    }
    return lost;
  }

  private int firstLine() {
    int at = 0;
    while (log[at] != '\n') {
      at++;
    }
    return at + 1;
  }

  private List<String> wholeBatchesWithin(int cut) {
    List<String> whole = new ArrayList<>();
    int line = 0;
    List<Integer> ends = lineEnds();
    for (List<String> batch : BATCHES) {
      line += batch.size();
      if (ends.get(line) - 1 <= cut) { // perhaps without its line break
        whole.addAll(batch);
      }
    }
    return whole;
  }

  private int endOfWholeBatchesWithin(int cut) {
    List<Integer> ends = lineEnds();
    int line = 0;
    int end = ends.get(0);
    for (List<String> batch : BATCHES) {
      line += batch.size();
      if (ends.get(line) - 1 <= cut) { // perhaps without its line break
        end = ends.get(line);
      }
    }
    return end;
  }

  private List<Integer> lineEnds() {
    List<Integer> ends = new ArrayList<>();
    for (int i = 0; i < log.length; i++) {
      if (log[i] == '\n') {
        ends.add(i + 1);
      }
    }
    return ends;
  }

  private Path copyWith(byte[] content, String name) throws IOException {
    Path directory = temp.resolve(name);
    TestLog.copy(original, directory);
    Files.write(TestLog.segment(directory), content);
    return directory;
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}

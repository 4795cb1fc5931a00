package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Snapshot;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The appender finds the end of any log, and leaves the log intact. */
class LogAppenderTest {

  private static final int MORE_THAN_A_LINE = LogLine.LONGEST + 10_000;
  private static final long SEGMENT_BYTES = 128L << 20;

  @TempDir Path temp;
  private Path directory;
  private Path segment;
  private WatchedDisk disk;

  @BeforeEach
  void createLogOfOneSegment() {
    directory = temp.resolve("store");
    segment = TestLog.segment(directory);
    TestLog.writeSegments(directory, 1);
    disk = new WatchedDisk(directory);
  }

  // ---- a full disk

  @Test
  void fullDisk_removesPartialBatch() throws IOException {
    byte[] before = Files.readAllBytes(segment);
    try (FrameStore store = disk.open()) {
      disk.fillUpTo(20, true);
      assertThatThrownBy(() -> TestLog.append(store, TestLog.TOPIC, "too long"))
          .isInstanceOfSatisfying(
              RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.FULL))
          .hasMessageContaining("No space left");
      assertThat(segment).hasBinaryContent(before);
      disk.fillUpTo(10_000, true);
      TestLog.append(store, TestLog.TOPIC, "fits");
      assertThat(TestLog.contents(store)).containsExactly("in 1", "fits");
      assertThat(store.verify()).isEmpty();
      assertThat(directory.resolve("damaged")).doesNotExist();
    }
  }

  @Test
  void unremovablePartialBatch_isMovedAside() throws IOException {
    try (FrameStore store = disk.open()) {
      disk.fillUpTo(20, false);
      assertThatThrownBy(() -> TestLog.append(store, TestLog.TOPIC, "too long"))
          .hasMessageContaining("No space left")
          .satisfies(
              e -> assertThat(e.getCause().getSuppressed()).as("failed truncation").hasSize(1));
      disk.fillUpTo(10_000, true);
      TestLog.append(store, TestLog.TOPIC, "fits");
      assertThat(TestLog.contents(store)).containsExactly("in 1", "fits");
      assertThat(store.verify()).isEmpty();
    }
    assertThat(aside()).singleElement().satisfies(file -> assertThat(file).hasSize(20));
  }

  @Test
  void fullDisk_keepsCompleteBatchesOfGroup() throws Exception {
    try (FrameStore store = disk.open()) {
      List<HeldBack.Append> group;
      try (HeldBack heldBack = HeldBack.in(directory)) {
        List<Batch> batches = new ArrayList<>();
        for (String content : List.of("one", "two", "x".repeat(5_000), "three")) {
          batches.add(TestLog.batch(TestLog.TOPIC, content));
        }
        group = heldBack.asOneGroup(store, batches);
        disk.fillUpTo(3_000, true);
        heldBack.letGo();
      }
      assertThat(group)
          .extracting(HeldBack.Append::failure)
          .containsExactly(null, null, RalphException.Code.FULL, RalphException.Code.FULL);
      disk.fillUpTo(100_000, true);
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(TestLog.contents(store, Query.of(TopicFilter.of(TestLog.TOPIC))))
          .containsExactly("in 1", "one", "two", "after");
      assertThat(store.verify()).isEmpty();
    }
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(store.verify()).isEmpty();
    }
  }

  // ---- groups of appends

  @Test
  void condition_seesEarlierBatchesOfGroup() throws Exception {
    try (FrameStore store = disk.open()) {
      Position before = TestLog.append(store, TestLog.TOPIC, "before").get(0).position();
      List<HeldBack.Append> group;
      try (HeldBack heldBack = HeldBack.in(directory)) {
        Batch.Condition nothingSince = new Batch.Condition(TopicFilter.of(TestLog.TOPIC), before);
        group =
            heldBack.asOneGroup(
                store,
                List.of(
                    TestLog.batch(TestLog.TOPIC, "holds").onlyIf(nothingSince),
                    TestLog.batch(TestLog.TOPIC, "is broken").onlyIf(nothingSince),
                    TestLog.batch(TestLog.TOPIC, "asks for nothing")));
        heldBack.letGo();
      }
      assertThat(group).extracting(HeldBack.Append::newFrames).containsExactly(1, 0, 1);
      assertThat(TestLog.contents(store, Query.of(TopicFilter.of(TestLog.TOPIC))))
          .containsExactly("in 1", "before", "holds", "asks for nothing");
    }
  }

  // ---- changes of the log's end by other processes

  @Test
  void alternatingStores_continueChainForAnyLength() {
    List<String> wanted = new ArrayList<>(List.of("in 1"));
    try (FrameStore store = disk.open();
        FrameStore other = TestLog.open(directory)) {
      for (int length : new int[] {1, 5_000, 700, 1_100, 2, 60_000, 3, 900}) {
        for (FrameStore each : List.of(store, other, other)) {
          wanted.add("x".repeat(length));
          each.append(TestLog.batch(TestLog.TOPIC, "x".repeat(length)));
        }
      }
      for (FrameStore each : List.of(store, other)) {
        assertThat(TestLog.contents(each)).isEqualTo(wanted);
        assertThat(each.verify()).as("each line names its predecessor").isEmpty();
      }
      assertThat(TestLog.frames(store, TopicFilter.all()))
          .extracting(Frame::id)
          .isSorted()
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void segmentOfOtherStore_syncsFolderFirst() {
    try (FrameStore store = disk.open();
        FrameStore other = TestLog.open(directory)) {
      String id = TestLog.append(store, TestLog.TOPIC, "x".repeat(100)).get(0).id();
      other.erase(List.of(id)); // starts the second segment
      disk.synced.clear();
      store.append(TestLog.batch(TestLog.TOPIC, "after"));
      assertThat(disk.synced).containsSubsequence("log", Segments.name(2));
      assertThat(disk.synced).contains(Segments.name(1));
    }
  }

  @Test
  void frameImportedByOtherStore_isNotImported() {
    Batch batch = imported("i", "0".repeat(24) + "1");
    try (FrameStore store = disk.open();
        FrameStore other = TestLog.open(directory)) {
      String id = TestLog.append(store, TestLog.TOPIC, "x".repeat(100)).get(0).id();
      other.append(batch);
      other.erase(List.of(id));
      assertThat(store.append(imported("j", "0".repeat(24) + "1")).frames()).isEmpty();
      assertThat(store.append(imported("k", "0".repeat(24) + "2")).frames()).hasSize(1);
    }
  }

  @Test
  void batch_importsOnlyNewFrames() {
    try (FrameStore store = disk.open()) {
      store.append(imported("i", "0".repeat(24) + "1"));
      assertThat(store.append(imported("j", "0".repeat(24) + "1", "0".repeat(24) + "2")).frames())
          .extracting(Frame::id)
          .containsExactly("0".repeat(24) + "2");
      assertThat(store.verify()).isEmpty();
    }
  }

  private static Batch imported(String name, String... ids) {
    List<Draft> drafts = new ArrayList<>();
    for (String id : ids) {
      drafts.add(Draft.imported(id, Instant.EPOCH, TestLog.TOPIC, Meta.empty(), id));
    }
    return Batch.of(name, drafts).synced(false);
  }

  @Test
  void truncatedLog_failsAppend() throws IOException {
    long length = Files.size(segment);
    try (FrameStore store = disk.open()) {
      TestLog.append(store, TestLog.TOPIC, "cut off");
      cut(length);
      Batch.Condition nothing = new Batch.Condition(TopicFilter.of(TestLog.OTHER), Position.START);
      assertThatThrownBy(() -> store.append(TestLog.batch(TestLog.OTHER, "x").onlyIf(nothing)))
          .isInstanceOfSatisfying(
              RalphException.class,
              e -> assertThat(e.code()).isEqualTo(RalphException.Code.DAMAGED));
    }
    assertThat(segment).hasSize(length);
  }

  @Test
  void logReplacedDuringAppend_isIndeterminate() throws IOException {
    byte[] before = Files.readAllBytes(segment);
    try (FrameStore store = disk.open()) {
      TestLog.append(store, TestLog.TOPIC, "one more");
      Files.delete(segment);
      Files.write(segment, before);
      assertThatThrownBy(() -> TestLog.append(store, TestLog.TOPIC, "into the old file"))
          .isInstanceOf(IndeterminateException.class);
    }
    assertThat(segment).hasBinaryContent(before);
  }

  @Test
  void truncatedLogWithoutWitness_continues() throws IOException {
    Files.delete(directory.resolve(".git/witness"));
    Files.createDirectory(directory.resolve(".git/witness")); // prevents a witness
    long length;
    try (FrameStore store = disk.open()) {
      for (int i = 0; i < 30; i++) {
        TestLog.append(store, i == 3 ? TestLog.OTHER : TestLog.TOPIC, i + "x".repeat(50_000));
      }
      length = Files.size(segment);
      for (int i = 0; i < 30; i++) {
        TestLog.append(store, TestLog.OTHER, "cut off" + "x".repeat(50_000));
      }
      cut(length);
      TestLog.append(store, TestLog.TOPIC, "again");
      for (int i = 0; i < 30; i++) {
        TestLog.append(store, TestLog.TOPIC, i + "y".repeat(50_000));
      }
      assertThat(TestLog.contents(store)).hasSize(62).contains("again");
      assertThat(TestLog.contents(store, Query.of(TopicFilter.of(TestLog.OTHER)))).hasSize(1);
      assertThat(store.verify()).isEmpty();
    }
  }

  private void cut(long length) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.setLength(length);
    }
  }

  @Test
  void longZeros_areCut_tailIsKept() throws IOException {
    Files.writeString(segment, "{\"id\":\"03", StandardOpenOption.APPEND);
    long length = Files.size(segment);
    cut(length + MORE_THAN_A_LINE);
    try (FrameStore store = disk.open()) {
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(TestLog.contents(store)).containsExactly("in 1", "after");
      assertThat(store.verify()).isEmpty();
    }
    assertThat(aside())
        .extracting(Files::size)
        .containsExactlyInAnyOrder(9L, (long) MORE_THAN_A_LINE);
    assertThat(disk.synced).contains("damaged");
  }

  @Test
  void longZerosInOpenStore_areCut() throws IOException {
    try (FrameStore store = disk.open()) {
      TestLog.append(store, TestLog.TOPIC, "before");
      cut(Files.size(segment) + MORE_THAN_A_LINE);
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(TestLog.contents(store)).containsExactly("in 1", "before", "after");
      assertThat(store.verify()).isEmpty();
    }
    assertThat(aside()).extracting(Files::size).containsExactly((long) MORE_THAN_A_LINE);
    assertThat(Files.size(segment)).isLessThan(2_000);
  }

  @Test
  void shortZeros_areMovedAsideWithTornLine() throws IOException {
    Files.writeString(segment, "{\"id\":\"03", StandardOpenOption.APPEND);
    cut(Files.size(segment) + 100);
    try (FrameStore store = disk.open()) {
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(store.verify()).isEmpty();
    }
    assertThat(aside()).extracting(Files::size).containsExactly(109L);
  }

  private List<Path> aside() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("damaged"))) {
      return files.toList();
    }
  }

  @Test
  void missingLastLineBreak_isRestored() throws IOException {
    cut(Files.size(segment) - 1);
    try (FrameStore store = disk.open()) {
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(TestLog.contents(store)).containsExactly("in 1", "after");
      assertThat(store.verify()).isEmpty();
    }
    assertThat(Files.readAllLines(segment)).hasSize(3);
  }

  @Test
  void damagedHeader_startsNewSegment() throws IOException {
    byte[] log = Files.readAllBytes(segment);
    log[30] ^= 1;
    Files.write(segment, log);
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(TestLog.contents(store)).containsExactly("in 1", "after");
    }
    assertThat(segment).hasBinaryContent(log);
    assertThat(TestLog.segment(directory, 2)).exists();
  }

  // ---- full segments

  @Test
  void group_spansSegments() throws Exception {
    Path witness = directory.resolve(".git/witness");
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.seek(SEGMENT_BYTES - 1_200);
      file.write('\n'); // after a hole, which needs no disk space
    }
    Files.delete(witness);
    List<String> wanted = new ArrayList<>();
    try (FrameStore store = disk.open();
        HeldBack heldBack = HeldBack.in(directory)) {
      List<Batch> batches = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        wanted.add("batch " + i);
        batches.add(TestLog.batch(TestLog.TOPIC, "batch " + i));
      }
      heldBack.asOneGroup(store, batches);
      heldBack.letGo();
    }
    assertThat(Files.size(segment)).isBetween(SEGMENT_BYTES - 900, SEGMENT_BYTES);
    assertThat(disk.synced).containsSubsequence(Segments.name(1), Segments.name(2));
    List<String> second = Files.readAllLines(TestLog.segment(directory, 2));
    assertThat(second).hasSizeBetween(3, 7);
    for (int i = 0; i < second.size() - 1; i++) {
      assertThat(second.get(second.size() - 1 - i)).contains(wanted.get(5 - i));
    }
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "r")) {
      file.seek(SEGMENT_BYTES - 1_199);
      byte[] end = new byte[(int) (file.length() - file.getFilePointer())];
      file.readFully(end);
      String[] lines = new String(end, java.nio.charset.StandardCharsets.UTF_8).split("\n");
      assertThat(lines.length + second.size() - 1).as("with two preceding lines").isEqualTo(8);
      String last = lines[lines.length - 1];
      assertThat(second.get(0))
          .as("the header names the previous line")
          .contains(last.substring(last.length() - 10, last.length() - 2));
    }
  }

  // ---- erasing

  @Test
  void sharedContent_staysUntilLastFrameIsErased() throws IOException {
    String large = "x".repeat(100_000);
    try (FrameStore store = disk.open()) {
      String one = TestLog.append(store, TestLog.TOPIC, large).get(0).id();
      String two = TestLog.append(store, TestLog.TOPIC, large).get(0).id();
      assertThat(store.erase(List.of(one))).isEqualTo(1);
      assertThat(TestLog.contents(store)).containsExactly("in 1", "", large, "");
      assertThat(store.erase(List.of(one))).as("erased again").isZero();
      assertThat(store.erase(List.of(two))).isEqualTo(1);
      try (Stream<Path> left = Files.walk(directory.resolve("content"))) {
        assertThat(left.filter(Files::isRegularFile)).isEmpty();
      }
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void contentOfErasedFramesOnly_isRemoved() throws IOException {
    String large = "x".repeat(100_000);
    try (FrameStore store = disk.open()) {
      String one = TestLog.append(store, TestLog.TOPIC, large).get(0).id();
      String two = TestLog.append(store, TestLog.OTHER, large).get(0).id();
      String other = TestLog.append(store, TestLog.TOPIC, "y".repeat(100_000)).get(0).content();
      assertThat(store.erase(List.of(one, two))).isEqualTo(2);
      assertThat(TestLog.contents(store)).containsExactly("in 1", "", "", other, "", "");
      try (Stream<Path> left = Files.walk(directory.resolve("content"))) {
        assertThat(left.filter(Files::isRegularFile)).hasSize(1);
      }
    }
  }

  @Test
  void emptyFrame_hasNothingToErase() throws IOException {
    try (FrameStore store = disk.open()) {
      Batch empty = Batch.of("b", List.of(Draft.of(TestLog.TOPIC, Meta.empty())));
      String id = store.append(empty).frames().get(0).id();
      byte[] before = Files.readAllBytes(segment);
      assertThat(store.erase(List.of(id))).isZero();
      assertThat(segment).hasBinaryContent(before);
      assertThat(TestLog.segment(directory, 2)).doesNotExist();
    }
  }

  @Test
  void erasure_removesSnapshots() {
    Snapshot.Key key = new Snapshot.Key("tasks", 1, TopicFilter.of(TestLog.TOPIC));
    try (FrameStore store = disk.open()) {
      Frame frame = TestLog.append(store, TestLog.TOPIC, "x".repeat(100)).get(0);
      store.snapshots().save(key, new Snapshot(frame.id(), frame.position(), new byte[] {1}));
      assertThat(store.snapshots().load(key)).isPresent();
      store.erase(List.of(frame.id()));
      try (Stream<Path> left = Files.list(directory.resolve("derived/snapshots"))) {
        assertThat(left).isEmpty();
      } catch (IOException none) {
        assertThat(directory.resolve("derived/snapshots")).doesNotExist();
      }
    }
  }

  @Test
  void appendAndErasure_syncInOrder() {
    try (FrameStore store = disk.open()) {
      disk.synced.clear();
      String id = store.append(TestLog.batch(TestLog.TOPIC, "x".repeat(100))).frames().get(0).id();
      assertThat(disk.synced).containsExactly(Segments.name(1));
      disk.synced.clear();
      store.erase(List.of(id));
      assertThat(disk.synced)
          .as("previous segment, tombstone, notice, completion")
          .containsSubsequence(Segments.name(1), Segments.name(1), Segments.name(2), "store");
      assertThat(directory.resolve("erasing")).doesNotExist();
    }
  }

  @Test
  void invalidPlan_isMovedAsideDurably() throws IOException {
    Files.writeString(directory.resolve("erasing"), "nothing that was written here\n");
    Files.createDirectory(directory.resolve("damaged"));
    try (FrameStore store = disk.open()) {
      disk.synced.clear();
      TestLog.append(store, TestLog.TOPIC, "after");
      assertThat(disk.synced).containsSubsequence("damaged", "store");
      assertThat(directory.resolve("erasing")).doesNotExist();
      assertThat(aside()).hasSize(1);
    }
  }
}

package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.segment.LogWitness;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compacted logs in the open store, in other open stores, and after the store is opened again. */
class CompactionTest {

  private static final List<Topic> TOPICS =
      List.of(TestLog.TOPIC, TestLog.OTHER, Topic.of("ralph.test.third"));

  @TempDir Path directory;

  /** The frames that must be in the log, with the erased frames that may be in the log. */
  private final List<Frame> kept = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(longs = {2, 5})
  void randomErasures_keepAllOtherFrames(long seed) {
    Random random = new Random(seed);
    try (FrameStore store = TestLog.open(directory);
        FrameStore other = TestLog.open(directory)) {
      List<Position> positions = new ArrayList<>(List.of(Position.START));
      for (int round = 0; round < 3; round++) {
        append(store, random);
        kept.forEach(frame -> positions.add(frame.position()));
        assertThat(TestLog.contents(other)).isNotEmpty(); // loads the indexes
        erase(random.nextBoolean() ? store : other, random, random.nextInt(100));
        (random.nextBoolean() ? store : other).compact();
        assertLog(store, positions, random);
        assertLog(other, positions, random);
        try (FrameStore opened = TestLog.open(directory)) {
          assertLog(opened, positions, random);
        }
      }
    }
  }

  private void append(FrameStore store, Random random) {
    int batches = 1 + random.nextInt(150);
    for (int i = 0; i < batches; i++) {
      int frames = random.nextInt(4) == 0 ? 1 + random.nextInt(12) : 1;
      List<Draft> drafts = new ArrayList<>();
      for (int j = 0; j < frames; j++) {
        int length = random.nextInt(40) == 0 ? random.nextInt(90_000) : random.nextInt(300);
        Topic topic = TOPICS.get(random.nextInt(TOPICS.size()));
        drafts.add(Draft.of(topic, Meta.of("n", kept.size() + j), "c".repeat(length)));
      }
      kept.addAll(
          store.append(Batch.of(UUID.randomUUID().toString(), drafts).synced(false)).frames());
    }
  }

  private void erase(FrameStore store, Random random, int percent) {
    List<Frame> erased = kept.stream().filter(frame -> random.nextInt(100) < percent).toList();
    if (!erased.isEmpty()) {
      store.erase(erased.stream().map(Frame::id).toList());
    }
    kept.removeAll(erased);
  }

  private void assertLog(FrameStore store, List<Position> positions, Random random) {
    assertThat(store.verify()).isEmpty();
    assertFrames(read(store, Query.of(TopicFilter.all())), kept);
    List<Frame> backward = read(store, Query.of(TopicFilter.all()).backward());
    Collections.reverse(backward);
    assertFrames(backward, kept);
    for (int i = 0; i < 6; i++) {
      Position after = positions.get(random.nextInt(positions.size()));
      assertFrames(
          read(store, Query.of(TopicFilter.all()).after(after)),
          kept.stream().filter(frame -> frame.position().isAfter(after)).toList());
      Topic topic = TOPICS.get(random.nextInt(TOPICS.size()));
      assertFrames(
          read(store, Query.of(TopicFilter.of(topic)).after(after)),
          kept.stream()
              .filter(frame -> frame.topic().equals(topic) && frame.position().isAfter(after))
              .toList());
    }
    for (int i = 0; i < 10 && !kept.isEmpty(); i++) {
      Frame frame = kept.get(random.nextInt(kept.size()));
      assertThat(store.get(frame.id())).contains(frame);
    }
  }

  private static void assertFrames(List<Frame> read, List<Frame> expected) {
    assertThat(describe(read)).isEqualTo(describe(expected));
  }

  private static List<String> describe(List<Frame> frames) {
    return frames.stream()
        .map(frame -> frame.position().value() + " " + TestLog.describe(frame))
        .toList();
  }

  /** Returns the frames except notices, and checks that nothing is damaged or erased. */
  private static List<Frame> read(FrameStore store, Query query) {
    List<Frame> frames = new ArrayList<>();
    try (FrameCursor cursor = store.read(query)) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        if (frame.isErased()) {
          throw new AssertionError("erased " + frame);
        }
        if (!frame.isErasureNotice()) {
          frames.add(frame);
        }
      }
      assertThat(cursor.damage()).isEmpty();
    }
    return frames;
  }

  @Test
  void compactedSegment_isReadableByGunzip() throws IOException {
    try (FrameStore store = TestLog.open(directory)) {
      Frame first = TestLog.append(store, TestLog.TOPIC, "first").get(0);
      Frame second = TestLog.append(store, TestLog.TOPIC, "second").get(0);
      long length = Files.size(TestLog.segment(directory));
      store.erase(List.of(first.id()));
      store.compact();

      Path packed = TestLog.segment(directory).resolveSibling("00000001.jsonl.gz");
      try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(packed))) {
        byte[] bytes = in.readAllBytes();
        String text = new String(bytes, StandardCharsets.UTF_8);
        assertThat(bytes.length).isEqualTo(length);
        assertThat(text)
            .contains(second.id(), "\n{\"gap\":1,\"after\":")
            .doesNotContain(first.id());
      }
    }
    try (Stream<Path> files = Files.list(directory.resolve("log"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .contains("00000001.jsonl.gz")
          .doesNotContain("00000001.jsonl");
    }
  }

  private static FrameStore open(Path directory, Clock clock) {
    Segments segments = new Segments(new StoreFiles(directory));
    String storeId = segments.newestHeader(segments.last()).store();
    return new FileFrameStore(
        directory, segments, storeId, LogWitness.open(directory, segments), clock);
  }

  /** Appends some frames, erases the others of each batch, and compacts the log. */
  private List<Frame> compact(FrameStore store, int batches) {
    List<String> erased = new ArrayList<>();
    for (int i = 0; i < batches; i++) {
      List<Frame> batch = TestLog.append(store, TestLog.TOPIC, "kept " + i, "erased", "erased");
      erased.addAll(List.of(batch.get(1).id(), batch.get(2).id()));
      kept.add(batch.get(0));
    }
    store.erase(erased);
    store.compact();
    return kept;
  }

  @Test
  void olderAppender_continuesBehindCompactedSegments() {
    try (FrameStore store = TestLog.open(directory);
        FrameStore older = TestLog.open(directory)) {
      kept.addAll(TestLog.append(older, TestLog.TOPIC, "first"));
      for (int i = 0; i < 3; i++) {
        compact(store, 2);
      }
      kept.addAll(TestLog.append(older, TestLog.TOPIC, "last"));
      assertFrames(read(store, Query.of(TopicFilter.all())), kept);
      assertFrames(read(older, Query.of(TopicFilter.all())), kept);
    }
  }

  @Test
  void lostNewestSegment_isReplaced() throws IOException {
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "first");
      store.compact();
    }
    Files.delete(TestLog.segment(directory, 2));
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "second");
      assertThat(TestLog.contents(store)).containsExactly("first", "second");
    }
  }

  @Test
  void clockSetBack_createsLargerIds() {
    String largest;
    try (FrameStore store = TestLog.open(directory)) {
      Frame last = TestLog.append(store, TestLog.TOPIC, "last").get(0);
      store.erase(List.of(last.id()));
      Frame notice = store.last(TopicFilter.all()).orElseThrow();
      store.compact();
      largest = notice.id();
    }
    Clock back = Clock.offset(Clock.systemUTC(), Duration.ofDays(-1));
    try (FrameStore store = open(directory, back)) {
      Frame next = TestLog.append(store, TestLog.TOPIC, "next").get(0);
      assertThat(next.id()).isGreaterThan(largest);
    }
  }

  @Test
  void olderWitness_isNoLoss() throws IOException {
    Path witness = directory.resolve(".git/witness");
    try (FrameStore store = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "first");
      Frame erased = TestLog.append(store, TestLog.TOPIC, "in a gap").get(0);
      byte[] older = Files.readAllBytes(witness);
      TestLog.append(store, TestLog.TOPIC, "last");
      store.erase(List.of(erased.id()));
      store.compact();
      overwrite(witness, older); // as after a power cut
    }
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(store.verify()).isEmpty();
      assertThat(TestLog.contents(store)).hasSize(3).startsWith("first", "last");
      TestLog.append(store, TestLog.TOPIC, "next");
      assertThat(store.verify()).isEmpty();
    }
    assertThat(directory.resolve("rolled-back")).doesNotExist();
  }

  private static void overwrite(Path file, byte[] bytes) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.write(bytes);
    }
  }

  @Test
  void truncatedCompactedSegment_isReported() throws IOException {
    try (FrameStore store = TestLog.open(directory)) {
      compact(store, 50);
    }
    Path packed = packed(1);
    byte[] bytes = Files.readAllBytes(packed);
    for (int length : new int[] {0, 1, bytes.length / 2, bytes.length - 1}) {
      Files.write(packed, Arrays.copyOf(bytes, length));
      try (FrameStore store = TestLog.open(directory)) {
        int found = TestLog.contents(store).size();
        if (found < kept.size()) {
          assertThat(store.verify()).as("damage of %s bytes", length).isNotEmpty();
        }
      }
    }
  }

  private Path packed(int segment) {
    return TestLog.segment(directory).resolveSibling(Segments.name(segment) + ".gz");
  }

  @Test
  void flippedBits_areReportedAndNeverRead() throws IOException {
    try (FrameStore store = TestLog.open(directory)) {
      for (int i = 0; i < 40; i++) {
        TestLog.append(store, TestLog.OTHER, "x".repeat(3000) + i);
      }
      compact(store, 200);
    }
    List<String> whole;
    try (FrameStore store = TestLog.open(directory)) {
      whole = TestLog.contents(store);
    }
    byte[] bytes = Files.readAllBytes(packed(1));
    for (int at = 0; at < bytes.length; at += 397) {
      byte[] flipped = bytes.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      Files.write(packed(1), flipped);
      if (Files.exists(directory.resolve("derived"))) {
        TestLog.delete(directory.resolve("derived"));
      }
      try (FrameStore store = TestLog.open(directory)) {
        List<String> read = TestLog.contents(store);
        assertThat(whole).as("frames after byte %s", at).containsAll(read);
        if (read.size() < whole.size()) {
          assertThat(store.verify()).as("damage after byte %s", at).isNotEmpty();
        }
      }
    }
  }

  @Test
  void damagedSegment_staysUncompressed() throws IOException {
    try (FrameStore store = TestLog.open(directory)) {
      Frame first = TestLog.append(store, TestLog.TOPIC, "first").get(0);
      TestLog.append(store, TestLog.TOPIC, "damaged");
      TestLog.append(store, TestLog.TOPIC, "third");
      store.erase(List.of(first.id()));
    }
    Path segment = TestLog.segment(directory);
    byte[] log = Files.readAllBytes(segment);
    log[new String(log, StandardCharsets.ISO_8859_1).indexOf("damaged")] ^= 1;
    Files.write(segment, log);
    try (FrameStore store = TestLog.open(directory)) {
      store.compact();
      assertThat(Files.readAllBytes(segment)).isEqualTo(log);
      assertThat(store.verify()).hasSize(1);
      assertThat(TestLog.contents(store)).contains("", "third");
    }
  }

  @Test
  void heldFrame_isEmptyAfterCompaction() {
    try (FrameStore store = TestLog.open(directory);
        FrameStore other = TestLog.open(directory)) {
      TestLog.append(store, TestLog.TOPIC, "first");
      String id = TestLog.append(store, TestLog.TOPIC, "x".repeat(100_000)).get(0).id();
      Frame held = other.get(id).orElseThrow();
      store.erase(List.of(id));
      store.compact();
      assertThat(held.content()).isEmpty();
      assertThat(other.get(id)).isEmpty();
    }
  }

  @Test
  void partlyRemovedBatch_isFound() {
    try (FrameStore store = TestLog.open(directory)) {
      Batch batch = TestLog.batch("one", "two", "three", "four");
      List<Frame> frames = store.append(batch).frames();
      store.erase(List.of(frames.get(0).id(), frames.get(2).id(), frames.get(3).id()));
      store.compact();
      assertThat(store.findBatch(batch.id(), Position.START).orElseThrow())
          .extracting(Frame::content)
          .containsExactly("two");
    }
  }

  @Test
  void newestSegment_hasFormatOfCompactedLogs() {
    try (FrameStore store = TestLog.open(directory)) {
      compact(store, 1);
    }
    Segments segments = new Segments(new StoreFiles(directory));
    assertThat(segments.header(segments.last()).format()).isEqualTo(SegmentHeader.COMPACTED);
    assertThat(segments.last()).isEqualTo(3);
  }

  @Test
  void repeatedCompaction_createsNoSegment() {
    try (FrameStore store = TestLog.open(directory)) {
      compact(store, 1);
      int last = new Segments(new StoreFiles(directory)).last();
      assertThat(store.compact()).isZero();
      assertThat(new Segments(new StoreFiles(directory)).last()).isEqualTo(last);
    }
  }

  @Test
  void fileOfKilledCompaction_isLeftover() throws IOException {
    try (FrameStore store = TestLog.open(directory)) {
      compact(store, 1);
      Path file = Files.createFile(directory.resolve("log/00000001.jsonl.gz.12.345"));
      assertThat(store.leftovers()).isEmpty();
      Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
      assertThat(store.removeLeftovers()).containsExactly("log/00000001.jsonl.gz.12.345");
      assertThat(TestLog.contents(store)).contains("kept 0");
    }
  }

  @Test
  void oldIndex_isReadableAfterCompaction() throws IOException {
    try (FrameStore store = TestLog.open(directory)) {
      for (int i = 0; i < 400; i++) {
        Topic topic = i % 40 == 0 ? TestLog.OTHER : TestLog.TOPIC;
        kept.addAll(TestLog.append(store, topic, "x".repeat(5_000) + i));
      }
      TestLog.contents(store, Query.of(TopicFilter.of(TestLog.OTHER)));
      Path index = directory.resolve("derived/index/00000001.index");
      byte[] old = Files.readAllBytes(index);
      erase(store, new Random(1), 80);
      store.compact();
      assertThat(index).doesNotExist();
      Files.write(index, old);
    }
    try (FrameStore store = TestLog.open(directory)) {
      for (Topic topic : TOPICS) {
        assertFrames(
            read(store, Query.of(TopicFilter.of(topic))),
            kept.stream().filter(frame -> frame.topic().equals(topic)).toList());
      }
      assertThat(store.verify()).isEmpty();
    }
  }

  @Test
  void erasuresDuringCompaction_preventNoCompaction() throws Exception {
    try (FrameStore store = TestLog.open(directory)) {
      Random random = new Random(7);
      for (int i = 0; i < 40; i++) {
        append(store, random);
      }
      List<String> ids = kept.stream().limit(kept.size() / 2).map(Frame::id).toList();
      AtomicInteger erased = new AtomicInteger();
      AtomicBoolean ends = new AtomicBoolean();
      CountDownLatch hasBegun = new CountDownLatch(1);
      Thread eraser =
          new Thread(
              () -> {
                while (!ends.get() && erased.get() < ids.size()) {
                  store.erase(List.of(ids.get(erased.getAndIncrement())));
                  hasBegun.countDown();
                }
              });
      eraser.start();
      hasBegun.await();
      assertThat(store.compact()).isPositive();
      ends.set(true);
      eraser.join();
      store.compact();
      kept.subList(0, erased.get()).clear();
      assertThat(store.verify()).isEmpty();
      assertFrames(read(store, Query.of(TopicFilter.all())), kept);
    }
  }
}

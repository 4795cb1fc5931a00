package dev.ralph.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flips every bit of a small log of the file store, one at a time, and truncates the log at every
 * byte. A short run flips every ninth bit from a random start; {@code -Dchaos.bits=1} flips all.
 */
class EveryBitTest {

  private static final Topic TOPIC = Topic.of("chaos.bits.a");
  private static final List<Integer> BATCHES = List.of(1, 1, 3, 1, 2, 1);
  private static final int FRAMES = 9;

  /** Odd, so that each bit of a byte is flipped. */
  private static final int STEP = Integer.getInteger("chaos.bits", 9);

  @TempDir Path temp;
  private byte[] log;
  private String header;

  @BeforeEach
  void writeLog() throws IOException {
    Path original = temp.resolve("original");
    try (FrameStore store = Stores.open("file", original)) {
      int number = 0;
      for (int batch = 0; batch < BATCHES.size(); batch++) {
        List<Draft> drafts = new ArrayList<>();
        for (int i = 0; i < BATCHES.get(batch); i++) {
          drafts.add(Draft.of(TOPIC, Meta.of("n", number), "frame é💡 " + number++));
        }
        append(store, "batch-" + batch, drafts);
      }
    }
    log = Files.readAllBytes(segment(original));
    header = new String(log, StandardCharsets.UTF_8).split("\n")[0];
  }

  @Test
  void flippedBit_losesAtMostItsNeighbours() throws IOException {
    for (int bit = new Random().nextInt(STEP); bit < log.length * 8; bit += STEP) {
      byte[] flipped = log.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      boolean inHeader = bit / 8 < header.length();
      boolean lastLineBreak = bit / 8 == log.length - 1; // restored by the next append
      boolean nothingLost = inHeader || lastLineBreak;
      check("bit " + bit, flipped, nothingLost ? 0 : 2, lastLineBreak ? 0 : 1);
    }
  }

  @Test
  void truncation_losesOnlyLaterBatches() throws IOException {
    for (int cut = 0; cut < log.length; cut++) {
      boolean headerLost = cut <= header.length();
      check("cut at " + cut, Arrays.copyOf(log, cut), BATCHES.size(), headerLost ? 1 : 0);
    }
  }

  /**
   * Opens a store with the given log, reads it, appends a frame and reads it again.
   *
   * @param what the description of the change
   * @param bytes the log
   * @param lostBatches the maximum number of lost batches
   * @param damage the minimum number of damaged places after the append; adjacent places may be
   *     reported separately, up to twice as many; an incomplete end is not damage
   */
  private void check(String what, byte[] bytes, int lostBatches, int damage) throws IOException {
    Path directory = temp.resolve("store");
    Files.createDirectories(segment(directory).getParent());
    Files.write(segment(directory), bytes);
    try (FrameStore store = Stores.open("file", directory)) {
      List<Long> read = numbers(store);
      assertThat(read).as(what).isSorted().doesNotHaveDuplicates();
      assertThat(batchesLost(what, read)).as(what).isLessThanOrEqualTo(lostBatches);
      append(store, "after", List.of(Draft.of(TOPIC, Meta.of("n", FRAMES), "after")));
      List<Long> goneOn = new ArrayList<>(read);
      goneOn.add((long) FRAMES);
      assertThat(numbers(store)).as(what).isEqualTo(goneOn);
      List<Damage> found = store.verify();
      assertThat(found.size()).as(what + " " + found).isBetween(damage, damage * 2);
      for (Damage each : found) {
        assertThat(each.file()).as(what).isEqualTo("log/00000001.jsonl");
        assertThat(each.offset() + each.bytes()).as(what).isLessThanOrEqualTo(bytes.length);
      }
    }
    Folder.delete(directory);
  }

  /** Returns the numbers of the frames, and fails if a frame differs from the written one. */
  private static List<Long> numbers(FrameStore store) {
    List<Long> numbers = new ArrayList<>();
    try (FrameCursor cursor = store.read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        long number = frame.meta().integer("n").orElse(-1);
        assertThat(frame.topic()).isEqualTo(TOPIC);
        assertThat(frame.content()).isEqualTo(number == FRAMES ? "after" : "frame é💡 " + number);
        numbers.add(number);
      }
    }
    return numbers;
  }

  private static int batchesLost(String what, List<Long> read) {
    int lost = 0;
    int first = 0;
    for (int size : BATCHES) {
      int from = first;
      long held = read.stream().filter(n -> n >= from && n < from + size).count();
      assertThat(held).as(what + ": a batch is complete or lost").isIn(0L, (long) size);
      lost += held == 0 ? 1 : 0;
      first += size;
    }
    return lost;
  }

  private static void append(FrameStore store, String id, List<Draft> drafts) {
    store.append(Batch.of(id, drafts).synced(false));
  }

  private static Path segment(Path directory) {
    return directory.resolve("log/00000001.jsonl");
  }
}

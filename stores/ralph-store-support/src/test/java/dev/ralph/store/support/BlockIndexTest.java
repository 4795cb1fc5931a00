package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An index may describe only a part of the log, but nothing outside of the log. */
class BlockIndexTest {

  /** One block of a generated log: the batches of each topic. */
  private record Block(
      long end, int check, boolean damaged, Map<Topic, List<Batch>> topics, Set<String> ids) {}

  private record Batch(long from, long to) {}

  private record Log(long start, List<Block> blocks) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void decodedIndex_matchesLog(long seed) {
    Log log = randomLog(new Random(seed), 40);
    BlockIndex index = index(log, BlockIndex.empty(log.start));
    assertSays(index, log, log.blocks.size());
    assertSays(BlockIndex.decode(log.start, index.encode(0), 0), log, log.blocks.size());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void incrementalIndex_equalsIndexBuiltAtOnce(long seed) {
    Random random = new Random(seed);
    Log log = randomLog(random, 40);
    byte[] atOnce = index(log, BlockIndex.empty(log.start)).encode(0);

    byte[] bitByBit = new byte[0];
    BlockIndex known = BlockIndex.empty(log.start);
    while (known.blocks() < log.blocks.size()) {
      int more = Math.min(known.blocks() + 1 + random.nextInt(5), log.blocks.size());
      BlockIndex extended = index(new Log(log.start, log.blocks.subList(0, more)), known);
      byte[] added = extended.encode(known.blocks());
      bitByBit = concat(bitByBit, added);
      known =
          switch (random.nextInt(3)) { // continues the index as another process does
            case 0 -> BlockIndex.decode(log.start, bitByBit, 0);
            case 1 -> known.plus(added);
            default -> extended;
          };
      assertSays(known, log, more);
    }
    assertThat(bitByBit).isEqualTo(atOnce);
  }

  /** The checksums are valid, but the index comes from an untrusted source. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void forgedIndex_keepsRangesWithinBlocks(long seed) {
    Random random = new Random(seed);
    Log log = randomLog(random, 6);
    byte[] whole = index(log, BlockIndex.empty(log.start)).encode(0);
    for (int i = 0; i < 3_000; i++) {
      byte[] forged = whole.clone();
      for (int change = random.nextInt(4); change >= 0; change--) {
        int at = random.nextInt(forged.length);
        forged[at] = (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(3) * 127);
      }
      check(forged);
      BlockIndex index = BlockIndex.decode(log.start, forged, 0);
      long end = log.start;
      for (int block = 0; block < index.blocks(); block++) {
        assertThat(index.to(block)).isGreaterThan(end);
        end = index.to(block);
        index.mayHold(block, "03d2qfc7b0000000000000000");
      }
      assertThat(index.largestId()).isNotNull();
      assertThat(index.topics()).doesNotContainNull();
      long[] stretches = index.stretches(TopicFilter.all());
      for (int at = 0; at < stretches.length; at += 2) {
        assertThat(stretches[at]).isBetween(log.start, stretches[at + 1]);
        assertThat(stretches[at + 1]).isLessThanOrEqualTo(index.end());
      }
      new BlockIndex.Builder(index).build();
    }
  }

  /** Writes valid checksums into all consecutive entries. */
  private static void check(byte[] entries) {
    java.nio.ByteBuffer bytes = java.nio.ByteBuffer.wrap(entries);
    int at = 0;
    while (at + 8 <= entries.length
        && bytes.getInt(at) >= 0
        && bytes.getInt(at) <= entries.length - at - 8) {
      java.util.zip.CRC32 crc = new java.util.zip.CRC32();
      crc.update(entries, at + 8, bytes.getInt(at));
      bytes.putInt(at + 4, (int) crc.getValue());
      at += 8 + bytes.getInt(at);
    }
  }

  @Test
  void tornIndex_decodesCompleteEntries() {
    Log log = randomLog(new Random(42), 6);
    BlockIndex index = index(log, BlockIndex.empty(log.start));
    byte[] bytes = index.encode(0);
    for (int cut = 0; cut <= bytes.length; cut++) {
      int whole = 0;
      while (whole < index.blocks() && bytes.length - index.encode(whole + 1).length <= cut) {
        whole++;
      }
      assertSays(BlockIndex.decode(log.start, Arrays.copyOf(bytes, cut), 0), log, whole);
    }
  }

  @Test
  void flippedBit_endsDecoding() {
    Log log = randomLog(new Random(43), 6);
    BlockIndex index = index(log, BlockIndex.empty(log.start));
    byte[] bytes = index.encode(0);
    for (int at = 0; at < bytes.length; at++) {
      byte[] flipped = bytes.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      int before = 0;
      while (bytes.length - index.encode(before + 1).length <= at) {
        before++;
      }
      assertSays(BlockIndex.decode(log.start, flipped, 0), log, before);
    }
  }

  @Test
  void decode_startsAtGivenOffset() {
    Log log = randomLog(new Random(44), 5);
    byte[] bytes = index(log, BlockIndex.empty(log.start)).encode(0);
    byte[] behind = concat(new byte[] {1, 2, 3}, bytes);
    assertSays(BlockIndex.decode(log.start, behind, 3), log, log.blocks.size());
  }

  @Test
  void incompleteBlock_isOmitted() {
    BlockIndex.Builder builder = new BlockIndex.Builder(BlockIndex.empty(7));
    builder.frame(Topic.of("a.b.ended"), "1", 7, 10);
    builder.endBlock(10, 1);
    builder.frame(Topic.of("a.b.under-way"), "2", 10, 12);

    BlockIndex index = builder.build();
    assertThat(index.blocks()).isEqualTo(1);
    assertThat(index.end()).isEqualTo(10);
    assertThat(index.largestId()).isEqualTo("1");
    assertThat(index.topics()).containsExactly(Topic.of("a.b.ended"));
  }

  @Test
  void emptyIndex_hasNoRanges() {
    BlockIndex empty = BlockIndex.decode(5, new byte[0], 0);
    assertThat(empty.blocks()).isZero();
    assertThat(empty.end()).isEqualTo(5);
    assertThat(empty.blockAt(0)).isZero();
    assertThat(empty.largestId()).isEmpty();
    assertThat(empty.stretches(TopicFilter.all())).isEmpty();
  }

  private static void assertSays(BlockIndex index, Log log, int blocks) {
    assertThat(index.blocks()).isEqualTo(blocks);
    List<Block> expected = log.blocks.subList(0, blocks);
    Set<Topic> topics = new TreeSet<>();
    String largest = "";
    long from = log.start;
    for (int i = 0; i < blocks; i++) {
      Block block = expected.get(i);
      assertThat(index.from(i)).isEqualTo(from);
      assertThat(index.to(i)).isEqualTo(block.end);
      assertThat(index.check(i)).isEqualTo(block.check);
      assertThat(index.blockAt(from)).isEqualTo(i);
      assertThat(index.blockAt(block.end - 1)).isEqualTo(i);
      for (String id : block.ids) {
        assertThat(index.mayHold(i, id)).isTrue();
        assertThat(index.smallestId(i)).isLessThanOrEqualTo(id);
        assertThat(index.largestId(i)).isGreaterThanOrEqualTo(id);
        largest = id.compareTo(largest) > 0 ? id : largest;
      }
      topics.addAll(block.topics.keySet());
      from = block.end;
    }
    assertThat(index.end()).isEqualTo(from);
    assertThat(index.blockAt(from)).isEqualTo(blocks);
    assertThat(index.largestId()).isEqualTo(largest);
    assertThat(index.topics()).containsExactlyInAnyOrderElementsOf(topics);
    for (Topic topic : topics) {
      assertThat(index.stretches(TopicFilter.of(topic)))
          .isEqualTo(stretches(log.start, expected, topic::equals));
    }
    TopicFilter several = TopicFilter.parse("ralph.s1.*");
    assertThat(index.stretches(several))
        .isEqualTo(stretches(log.start, expected, several::matches));
  }

  /** Returns the ranges to read for some topics; whole blocks only if they are damaged. */
  private static long[] stretches(long start, List<Block> blocks, Predicate<Topic> wanted) {
    List<Long> stretches = new ArrayList<>();
    long blockFrom = start;
    for (Block block : blocks) {
      List<Batch> batches = new ArrayList<>();
      block.topics.forEach((topic, in) -> batches.addAll(wanted.test(topic) ? in : List.of()));
      if (block.damaged) {
        stretches.addAll(List.of(blockFrom, block.end));
      } else if (!batches.isEmpty()) {
        stretches.add(batches.stream().mapToLong(Batch::from).min().orElseThrow());
        stretches.add(batches.stream().mapToLong(Batch::to).max().orElseThrow());
      }
      blockFrom = block.end;
    }
    return stretches.stream().mapToLong(Long::longValue).toArray();
  }

  private static BlockIndex index(Log log, BlockIndex base) {
    BlockIndex.Builder builder = new BlockIndex.Builder(base);
    for (Block block : log.blocks.subList(base.blocks(), log.blocks.size())) {
      Iterator<String> ids = block.ids.iterator();
      block.topics.forEach(
          (topic, batches) ->
              batches.forEach(batch -> builder.frame(topic, ids.next(), batch.from, batch.to)));
      if (block.damaged) {
        builder.damage();
      }
      builder.endBlock(block.end, block.check);
    }
    return builder.build();
  }

  private static Log randomLog(Random random, int blocks) {
    long start = random.nextInt(1_000);
    long end = start;
    List<Block> made = new ArrayList<>();
    for (int i = 0; i < blocks; i++) {
      Map<Topic, List<Batch>> topics = new TreeMap<>();
      Set<String> ids = new TreeSet<>();
      int frames = random.nextInt(8); // 0 if the whole block is damaged
      for (int f = 0; f < frames; f++) {
        long from = end;
        end += 1 + random.nextInt(20_000);
        topics
            .computeIfAbsent(
                Topic.of("ralph.s" + random.nextInt(1 + 3 * i) + ".task"),
                topic -> new ArrayList<>())
            .add(new Batch(from, end));
        ids.add(String.format("%025d", random.nextInt(1_000_000) * 10 + f));
      }
      end += 1 + (random.nextBoolean() ? random.nextInt(3) : random.nextInt(100_000));
      made.add(new Block(end, random.nextInt(), random.nextInt(6) == 0, topics, ids));
    }
    return new Log(start, made);
  }

  private static byte[] concat(byte[] one, byte[] two) {
    byte[] both = Arrays.copyOf(one, one.length + two.length);
    System.arraycopy(two, 0, both, one.length, two.length);
    return both;
  }
}

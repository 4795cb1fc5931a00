package dev.ralph.store.support;

import dev.ralph.Topic;
import dev.ralph.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import javax.annotation.Nullable;

/**
 * Which topics occur in which stretch of a log, so that a reader of few topics passes over the
 * rest.
 *
 * <p>The log is cut into blocks at the boundaries of batches; each entry names a block's end, the
 * topics in it, its smallest and largest frame id, and a check value that ties the entry to the
 * log: an index that outlived the log it was made from must not be believed. Entries depend on
 * nothing but the log, so it does not matter who writes them. Immutable.
 *
 * <p>An entry stays the bytes that it is kept as, for a short command that reads thousands of them
 * wants one thing of each. Numbers are big-endian; an id and a name begin with their length:
 *
 * <pre>
 *   4  length of what follows the checksum
 *   4  checksum (CRC-32) of what follows
 *   8  end of the block
 *   4  check value
 *   1  1 if the block holds damage, else 0
 *   2+ smallest id
 *   2+ largest id
 *   4  how many topics occur for the first time in the log, and then
 *   2+ the name of each
 *   1+ each topic in the block, ascending, as the distance from the one before, from 1 up:
 *      seven bits a byte, the lowest first, all but the last with the eighth bit set
 * </pre>
 */
public final class BlockIndex {

  private static final int HEADER_BYTES = 8;
  private static final int CHECK_AT = HEADER_BYTES + 8;
  private static final int FLAGS_AT = CHECK_AT + 4;
  private static final int IDS_AT = FLAGS_AT + 1;
  private static final int SHORTEST_ENTRY = IDS_AT + 2 + 2 + 4;
  private static final int FLAG_DAMAGED = 1;

  private final long start;
  private final int count;
  private final long[] ends;

  /** Where each entry begins, and behind them where the last one ends. */
  private final int[] offsets;

  private final byte[] entries;
  private final List<Topic> topics;

  private BlockIndex(
      long start, int count, long[] ends, int[] offsets, byte[] entries, List<Topic> topics) {
    this.start = start;
    this.count = count;
    this.ends = ends;
    this.offsets = offsets;
    this.entries = entries;
    this.topics = topics;
  }

  /** Returns an index of no blocks, for a log that begins there. */
  public static BlockIndex empty(long start) {
    return new BlockIndex(start, 0, new long[0], new int[1], new byte[0], List.of());
  }

  /** Returns how many blocks there are. */
  public int blocks() {
    return count;
  }

  /** Returns where the last block ends: what lies behind is not indexed. */
  public long end() {
    return count == 0 ? start : ends[count - 1];
  }

  /** Returns where a block begins. */
  public long from(int block) {
    return block == 0 ? start : ends[block - 1];
  }

  /** Returns where a block ends. */
  public long to(int block) {
    return ends[block];
  }

  /** Returns the value that ties a block to the log; what it is the log's owner knows. */
  public int check(int block) {
    return intAt(entries, offsets[block] + CHECK_AT);
  }

  /**
   * Returns the block that holds an offset, or the number of blocks if it lies behind all of them.
   */
  public int blockAt(long offset) {
    int at = Arrays.binarySearch(ends, 0, count, offset);
    return at >= 0 ? at + 1 : -at - 1;
  }

  /** Returns the topics that occur in any block. */
  public List<Topic> topics() {
    return topics;
  }

  /** Returns for each block whether it must be read by a reader of those topics. */
  public boolean[] wanted(TopicFilter filter) {
    boolean[] matching = new boolean[topics.size()];
    for (int i = 0; i < matching.length; i++) {
      matching[i] = filter.matches(topics.get(i));
    }
    boolean[] wanted = new boolean[count];
    for (int block = 0; block < count; block++) {
      int entry = offsets[block];
      wanted[block] =
          (entries[entry + FLAGS_AT] & FLAG_DAMAGED) != 0
              || anyOf(matching, entries, topicsAt(entries, entry), offsets[block + 1]);
    }
    return wanted;
  }

  private static boolean anyOf(boolean[] matching, byte[] entries, int from, int to) {
    int topic = -1;
    int distance = 0;
    int shift = 0;
    for (int at = from; at < to; at++) {
      int bits = entries[at];
      distance |= (bits & 0x7f) << shift;
      shift += 7;
      if (bits >= 0) {
        topic += distance;
        if (topic >= matching.length || matching[topic]) {
          return true; // better read for nothing than not read
        }
        distance = 0;
        shift = 0;
      }
    }
    return false;
  }

  /** Returns whether a frame of that id can be in the block. */
  public boolean mayHold(int block, String id) {
    return smallestId(block).compareTo(id) <= 0 && largestId(block).compareTo(id) >= 0;
  }

  /** Returns the smallest frame id in the block, or an empty text. */
  public String smallestId(int block) {
    return textAt(entries, offsets[block] + IDS_AT);
  }

  /** Returns the largest frame id in the block, or an empty text. */
  public String largestId(int block) {
    return textAt(entries, behindText(entries, offsets[block] + IDS_AT));
  }

  /** Returns the largest id in any block, or an empty text. */
  public String largestId() {
    String largest = "";
    for (int block = 0; block < count; block++) {
      String id = largestId(block);
      if (id.compareTo(largest) > 0) {
        largest = id;
      }
    }
    return largest;
  }

  // ---- as bytes

  /** Returns how many bytes {@link #encode} returns for all blocks. */
  public int encodedLength() {
    return offsets[count] - offsets[0];
  }

  /**
   * Returns the entries from that block on as bytes, to be put behind those of the blocks before.
   */
  public byte[] encode(int fromBlock) {
    return Arrays.copyOfRange(entries, offsets[fromBlock], offsets[count]);
  }

  /**
   * Returns the index that the bytes stand for, as far as they are whole.
   *
   * @param start where the log begins
   * @param bytes kept, not copied: nobody may change them any more
   */
  public static BlockIndex decode(long start, byte[] bytes, int from) {
    CRC32 crc = new CRC32();
    List<Topic> topics = new ArrayList<>();
    long[] ends = new long[64];
    int[] offsets = new int[ends.length + 1];
    int count = 0;
    int at = from;
    int end;
    while ((end = entryEnd(bytes, at, crc)) > 0) {
      if (!addTopics(bytes, at, end, topics)) {
        break;
      }
      if (count == ends.length) {
        ends = Arrays.copyOf(ends, count * 2);
        offsets = Arrays.copyOf(offsets, count * 2 + 1);
      }
      ends[count] = longAt(bytes, at + HEADER_BYTES);
      offsets[count] = at;
      count++;
      at = end;
    }
    offsets[count] = at;
    return new BlockIndex(start, count, ends, offsets, bytes, List.copyOf(topics));
  }

  /** Returns where an entry ends, or -1 if no whole one begins there. */
  private static int entryEnd(byte[] bytes, int at, CRC32 crc) {
    int left = bytes.length - at - HEADER_BYTES;
    int length = left < 0 ? -1 : intAt(bytes, at);
    if (length < SHORTEST_ENTRY - HEADER_BYTES || length > left) {
      return -1; // zeros, which a power cut can leave behind, would have the right checksum
    }
    crc.reset();
    crc.update(bytes, at + HEADER_BYTES, length);
    return intAt(bytes, at + 4) == (int) crc.getValue() ? at + HEADER_BYTES + length : -1;
  }

  /** Takes in the names in an entry; returns false if the entry is not made as it should be. */
  private static boolean addTopics(byte[] bytes, int entry, int end, List<Topic> topics) {
    int at = behindText(bytes, behindText(bytes, entry + IDS_AT));
    int names = intAt(bytes, at);
    at += 4;
    for (int i = 0; i < names; i++) {
      topics.add(Topic.of(textAt(bytes, at)));
      at = behindText(bytes, at);
    }
    return at <= end;
  }

  /** Returns where the topics in the block begin in its entry. */
  private static int topicsAt(byte[] bytes, int entry) {
    int at = behindText(bytes, behindText(bytes, entry + IDS_AT));
    int names = intAt(bytes, at);
    at += 4;
    for (int i = 0; i < names; i++) {
      at = behindText(bytes, at);
    }
    return at;
  }

  private static int behindText(byte[] bytes, int at) {
    return at + 2 + shortAt(bytes, at);
  }

  private static String textAt(byte[] bytes, int at) {
    return new String(bytes, at + 2, shortAt(bytes, at), StandardCharsets.ISO_8859_1);
  }

  private static int shortAt(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
  }

  private static int intAt(byte[] bytes, int at) {
    return shortAt(bytes, at) << 16 | shortAt(bytes, at + 2);
  }

  private static long longAt(byte[] bytes, int at) {
    return (long) intAt(bytes, at) << 32 | intAt(bytes, at + 4) & 0xffff_ffffL;
  }

  /** Adds blocks behind those of an index. For one thread. */
  public static final class Builder {
    private final BlockIndex base;
    private final List<Topic> topics;
    private final Map<Topic, Integer> numbers = new HashMap<>();
    private final CRC32 crc = new CRC32();

    /** How many of the topics occur in blocks that have ended. */
    private int namedTopics;

    private int count;
    private long[] ends = new long[1];
    private int[] offsets = new int[2];
    private byte[] entries = new byte[256];

    @Nullable private Topic latest;
    private boolean[] inBlock = new boolean[16];
    private boolean damageInBlock;
    private String smallest = "";
    private String largest = "";

    /** Begins behind the last block of that index. */
    public Builder(BlockIndex base) {
      this.base = base;
      this.topics = new ArrayList<>(base.topics);
      this.namedTopics = topics.size();
      for (int i = 0; i < topics.size(); i++) {
        numbers.put(topics.get(i), i);
      }
    }

    /** Adds a frame to the block under way. */
    public void frame(Topic topic, String id) {
      if (topic != latest) {
        note(topic);
        latest = topic;
      }
      if (id.compareTo(largest) > 0) {
        largest = id;
        if (smallest.isEmpty()) {
          smallest = id;
        }
      } else if (id.compareTo(smallest) < 0) {
        smallest = id;
      }
    }

    private void note(Topic topic) {
      Integer number = numbers.get(topic);
      if (number == null) {
        number = topics.size();
        topics.add(topic);
        numbers.put(topic, number);
      }
      if (number >= inBlock.length) {
        inBlock = Arrays.copyOf(inBlock, number * 2);
      }
      inBlock[number] = true;
    }

    /** Says that something in the block under way can't be read: every reader must see it. */
    public void damage() {
      damageInBlock = true;
    }

    /** Ends the block under way. */
    public void endBlock(long end, int check) {
      if (count == ends.length) {
        ends = Arrays.copyOf(ends, count * 2);
        offsets = Arrays.copyOf(offsets, count * 2 + 1);
      }
      ends[count] = end;
      int entry = offsets[count];
      count++;
      offsets[count] = encodeEntry(entry, end, check);
      namedTopics = topics.size();
      Arrays.fill(inBlock, false);
      latest = null;
      damageInBlock = false;
      smallest = "";
      largest = "";
    }

    private int encodeEntry(int entry, long end, int check) {
      int at = entry + HEADER_BYTES;
      at = putInt(at, (int) (end >>> 32));
      at = putInt(at, (int) end);
      at = putInt(at, check);
      at = putByte(at, damageInBlock ? FLAG_DAMAGED : 0);
      at = putText(at, smallest);
      at = putText(at, largest);
      at = putInt(at, topics.size() - namedTopics);
      for (int topic = namedTopics; topic < topics.size(); topic++) {
        at = putText(at, topics.get(topic).name());
      }
      int before = -1;
      for (int topic = 0; topic < Math.min(inBlock.length, topics.size()); topic++) {
        if (inBlock[topic]) {
          at = putDistance(at, topic - before);
          before = topic;
        }
      }
      crc.reset();
      crc.update(entries, entry + HEADER_BYTES, at - entry - HEADER_BYTES);
      putInt(entry, at - entry - HEADER_BYTES);
      putInt(entry + 4, (int) crc.getValue());
      return at;
    }

    private int putByte(int at, int value) {
      if (at >= entries.length) {
        entries = Arrays.copyOf(entries, at * 2);
      }
      entries[at] = (byte) value;
      return at + 1;
    }

    private int putInt(int at, int value) {
      int behind = at;
      for (int shift = 24; shift >= 0; shift -= 8) {
        behind = putByte(behind, value >>> shift);
      }
      return behind;
    }

    /** Puts an id or a topic's name, which are ASCII, and short. */
    private int putText(int at, String text) {
      int behind = putByte(putByte(at, text.length() >>> 8), text.length());
      for (int i = 0; i < text.length(); i++) {
        behind = putByte(behind, text.charAt(i));
      }
      return behind;
    }

    private int putDistance(int at, int value) {
      int behind = at;
      int left = value;
      for (; left >= 0x80; left >>>= 7) {
        behind = putByte(behind, left | 0x80);
      }
      return putByte(behind, left);
    }

    /** Returns the index with the blocks ended so far; the one under way is left out. */
    public BlockIndex build() {
      int first = base.offsets[0];
      int known = base.encodedLength();
      int all = base.count + count;
      byte[] allEntries = Arrays.copyOfRange(base.entries, first, first + known + offsets[count]);
      System.arraycopy(entries, 0, allEntries, known, offsets[count]);
      long[] allEnds = Arrays.copyOf(base.ends, all);
      System.arraycopy(ends, 0, allEnds, base.count, count);
      int[] allOffsets = new int[all + 1];
      for (int i = 0; i < all; i++) {
        allOffsets[i] = i < base.count ? base.offsets[i] - first : known + offsets[i - base.count];
      }
      allOffsets[all] = allEntries.length;
      return new BlockIndex(
          base.start,
          all,
          allEnds,
          allOffsets,
          allEntries,
          List.copyOf(topics.subList(0, namedTopics)));
    }
  }
}

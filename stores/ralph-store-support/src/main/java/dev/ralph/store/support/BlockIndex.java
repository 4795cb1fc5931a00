package dev.ralph.store.support;

import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * An index of the topics in a log, by which a reader of few topics skips the rest of the log.
 *
 * <p>The log is divided into blocks at batch boundaries. Each entry describes one block: the
 * block's end, the topics, the range of each topic's batches in the block, and the smallest and
 * largest frame id. A check value ties the entry to the log. Readers reject the index of a replaced
 * log. A topic with a single frame in a block is found by reading only that frame's batch. Entries
 * depend only on the log, so any process may write them. Immutable.
 *
 * <p>Entries are kept encoded, because a short command reads thousands of entries and needs one
 * field of each. Fixed-size numbers are big-endian. A variable-size number has seven bits per byte,
 * lowest bits first; each byte except the last has its eighth bit set. Ids and names follow their
 * lengths:
 *
 * <pre>
 *   4  length of the bytes after the checksum
 *   4  checksum (CRC-32) of the bytes after it
 *   8  end of the block
 *   4  check value
 *   1  1 if the block holds damage, else 0
 *   8  a bit for each topic in the block, by its number modulo 64: readers skip most blocks
 *      after reading these bits
 *   4  number of topics that occur for the first time in the log
 *   2+ smallest id
 *   2+ largest id
 *   2+ the name of each topic that occurs for the first time
 *   1+ number of topics in the block, then
 *   1+ each topic's number, ascending, as the difference from the previous number, at least 1;
 *      then for each topic
 *   1+ distance from the block's start to the start of the topic's first batch
 *   1+ distance from the end of the topic's last batch to the block's end
 * </pre>
 */
public final class BlockIndex {

  private static final int HEADER_BYTES = 8;
  private static final int CHECK_AT = HEADER_BYTES + 8;
  private static final int FLAGS_AT = CHECK_AT + 4;
  private static final int BITS_AT = FLAGS_AT + 1;
  private static final int NAMES_AT = BITS_AT + 8;
  private static final int IDS_AT = NAMES_AT + 4;
  private static final int SHORTEST_ENTRY = IDS_AT + 2 + 2 + 1;
  private static final int FLAG_DAMAGED = 1;

  /** The shift of the last seven bits of a variable-size number. */
  private static final int MOST_SHIFT = 49;

  private static final long LARGEST_OFFSET = 1L << 40;

  private final long start;
  private final int count;
  private final long[] ends;

  /** The start of each entry, then the end of the last entry. */
  private final int[] offsets;

  private final byte[] entries;
  private final Topic[] topics;
  private final int topicCount;

  private BlockIndex(
      long start,
      int count,
      long[] ends,
      int[] offsets,
      byte[] entries,
      Topic[] topics,
      int topicCount) {
    this.start = start;
    this.count = count;
    this.ends = ends;
    this.offsets = offsets;
    this.entries = entries;
    this.topics = topics;
    this.topicCount = topicCount;
  }

  /**
   * Returns an index without blocks.
   *
   * @param start the offset at which the log begins
   */
  public static BlockIndex empty(long start) {
    return new BlockIndex(start, 0, new long[1], new int[2], new byte[0], new Topic[1], 0);
  }

  /** Returns the number of blocks. */
  public int blocks() {
    return count;
  }

  /** Returns the end of the last block. The log after this offset is not indexed. */
  public long end() {
    return count == 0 ? start : ends[count - 1];
  }

  /** Returns the offset at which a block begins. */
  public long from(int block) {
    return block == 0 ? start : ends[block - 1];
  }

  /** Returns the offset at which a block ends. */
  public long to(int block) {
    return ends[block];
  }

  /** Returns the value that ties a block to the log. The store defines the meaning. */
  public int check(int block) {
    return intAt(entries, offsets[block] + CHECK_AT);
  }

  /**
   * Returns the block that contains an offset, or the number of blocks if the offset is at or after
   * {@link #end()}.
   */
  public int blockAt(long offset) {
    int at = Arrays.binarySearch(ends, 0, count, offset);
    return at >= 0 ? at + 1 : -at - 1;
  }

  /** Returns the topics of all blocks, unmodifiable. */
  public List<Topic> topics() {
    return Collections.unmodifiableList(Arrays.asList(topics).subList(0, topicCount));
  }

  /**
   * Returns the ranges that a reader of these topics has to read: the start and the end of one
   * range for each block with a selected topic, in ascending order. All offsets are batch
   * boundaries.
   */
  public long[] stretches(TopicFilter filter) {
    boolean[] matching = new boolean[topicCount];
    long bits = 0;
    for (int i = 0; i < matching.length; i++) {
      matching[i] = filter.matches(topics[i]);
      bits |= matching[i] ? 1L << i : 0;
    }
    Stretches found = new Stretches();
    for (int block = 0; block < count; block++) {
      int entry = offsets[block];
      if ((entries[entry + FLAGS_AT] & FLAG_DAMAGED) != 0) {
        found.add(from(block), ends[block]);
      } else if ((longAt(entries, entry + BITS_AT) & bits) != 0) {
        int end = offsets[block + 1];
        found.addWanted(entries, topicsAt(entries, entry), end, from(block), ends[block], matching);
      }
    }
    return Arrays.copyOf(found.offsets, found.count);
  }

  /** Collects ranges, and decodes variable-size numbers. */
  private static final class Stretches {
    private long[] offsets = new long[64];
    private int count;

    /** The offset of the next number to decode; the next field is the end of the entry. */
    private int at;

    private int end;

    void add(long from, long to) {
      if (count == offsets.length) {
        offsets = Arrays.copyOf(offsets, count * 2);
      }
      offsets[count] = from;
      offsets[count + 1] = to;
      count += 2;
    }

    /**
     * Adds the range from the first to the last selected batch of a block, if any batch is
     * selected. Adds the whole block if the entry is inconsistent, which a valid checksum does not
     * exclude.
     */
    void addWanted(
        byte[] entries, int topicsAt, int entryEnd, long from, long to, boolean[] matching) {
      at = topicsAt;
      end = entryEnd;
      long topics = number(entries);
      if (topics > matching.length) {
        add(from, to);
        return;
      }
      boolean[] wanted = new boolean[(int) topics];
      boolean any = false;
      long topic = -1;
      for (int i = 0; i < wanted.length; i++) {
        topic += number(entries);
        if (topic < 0 || topic >= matching.length) {
          add(from, to);
          return;
        }
        wanted[i] = matching[(int) topic];
        any |= wanted[i];
      }
      if (!any) {
        return;
      }
      long before = Long.MAX_VALUE;
      long behind = Long.MAX_VALUE;
      for (boolean each : wanted) {
        long first = number(entries);
        long last = number(entries);
        if (each) {
          before = Math.min(before, first);
          behind = Math.min(behind, last);
        }
      }
      boolean makesSense = before < to - from && behind < to - from - before;
      add(makesSense ? from + before : from, makesSense ? to - behind : to);
    }

    private long number(byte[] entries) {
      long number = 0;
      int shift = 0;
      byte bits;
      do {
        if (at == end || shift > MOST_SHIFT) {
          // larger than every valid number, without an overflow when added
          return Long.MAX_VALUE / 2;
        }
        bits = entries[at++];
        number |= (bits & 0x7fL) << shift;
        shift += 7;
      } while (bits < 0);
      return number;
    }
  }

  /** Returns false if the block certainly holds no frame with this id. */
  public boolean mayHold(int block, String id) {
    return smallestId(block).compareTo(id) <= 0 && largestId(block).compareTo(id) >= 0;
  }

  /** Returns the smallest frame id in the block, or an empty string. */
  public String smallestId(int block) {
    return textAt(entries, offsets[block] + IDS_AT);
  }

  /** Returns the largest frame id in the block, or an empty string. */
  public String largestId(int block) {
    return textAt(entries, behindText(entries, offsets[block] + IDS_AT));
  }

  /** Returns the largest frame id of all blocks, or an empty string. */
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

  // ---- encoding

  /** Returns the length of all encoded blocks, in bytes. */
  public int encodedLength() {
    return offsets[count] - offsets[0];
  }

  /**
   * Returns the encoded entries from a block on, to be stored after the entries of the earlier
   * blocks.
   */
  public byte[] encode(int fromBlock) {
    return Arrays.copyOfRange(entries, offsets[fromBlock], offsets[count]);
  }

  /**
   * Decodes an index, up to the first incomplete or invalid entry.
   *
   * @param start the offset at which the log begins
   * @param bytes the array; kept by the index, must not change afterwards
   * @param from the offset of the first entry in the array
   */
  public static BlockIndex decode(long start, byte[] bytes, int from) {
    return new BlockIndex(start, 0, new long[64], new int[65], bytes, new Topic[1], 0).decode(from);
  }

  /**
   * Returns this index with further blocks, up to the first incomplete or invalid entry.
   *
   * @param more entries that {@link #encode} returned for a longer version of this index
   */
  public BlockIndex plus(byte[] more) {
    byte[] bytes = Arrays.copyOf(entries, offsets[count] + more.length);
    System.arraycopy(more, 0, bytes, offsets[count], more.length);
    return new BlockIndex(start, count, ends, offsets, bytes, topics, topicCount)
        .decode(offsets[count]);
  }

  /** Returns this index with the blocks whose entries begin at an offset of its own array. */
  private BlockIndex decode(int from) {
    CRC32 crc = new CRC32();
    List<Topic> allTopics = new ArrayList<>(Arrays.asList(topics).subList(0, topicCount));
    long[] allEnds = ends.clone();
    int[] allOffsets = offsets.clone();
    int blocks = count;
    int at = from;
    int end;
    long blockEnd = blocks == 0 ? start : allEnds[blocks - 1];
    while ((end = entryEnd(entries, at, crc)) > 0) {
      long next = longAt(entries, at + HEADER_BYTES);
      if (next <= blockEnd || next >= LARGEST_OFFSET || !addTopics(entries, at, end, allTopics)) {
        break;
      }
      blockEnd = next;
      if (blocks == allEnds.length) {
        allEnds = Arrays.copyOf(allEnds, blocks * 2);
        allOffsets = Arrays.copyOf(allOffsets, blocks * 2 + 1);
      }
      allEnds[blocks] = next;
      allOffsets[blocks] = at;
      blocks++;
      at = end;
    }
    allOffsets[blocks] = at;
    return new BlockIndex(
        start,
        blocks,
        allEnds,
        allOffsets,
        entries,
        allTopics.toArray(new Topic[1]),
        allTopics.size());
  }

  /** Returns the end of an entry, or -1 if the bytes hold no complete entry. */
  private static int entryEnd(byte[] bytes, int at, CRC32 crc) {
    int left = bytes.length - at - HEADER_BYTES;
    int length = left < 0 ? -1 : intAt(bytes, at);
    if (length < SHORTEST_ENTRY - HEADER_BYTES || length > left) {
      return -1; // a power cut can leave zeros, whose checksum would be valid
    }
    crc.reset();
    crc.update(bytes, at + HEADER_BYTES, length);
    return intAt(bytes, at + 4) == (int) crc.getValue() ? at + HEADER_BYTES + length : -1;
  }

  /** Adds the topic names in an entry; returns false if the entry is malformed. */
  private static boolean addTopics(byte[] bytes, int entry, int end, List<Topic> topics) {
    int at = behindText(bytes, entry + IDS_AT);
    at = at + 2 <= end ? behindText(bytes, at) : end;
    int known = topics.size();
    int names = intAt(bytes, entry + NAMES_AT);
    for (int i = 0; i < names && at < end; i++) {
      int behind = at + 2 <= end ? behindText(bytes, at) : end;
      Topic topic = behind < end ? topic(textAt(bytes, at)) : null;
      if (topic == null) {
        topics.subList(known, topics.size()).clear();
        return false;
      }
      topics.add(topic);
      at = behind;
    }
    return names >= 0 && at < end;
  }

  private static @Nullable Topic topic(String name) {
    try {
      return Topic.of(name);
    } catch (RalphException noName) {
      return null;
    }
  }

  /** Returns the offset of the number of topics in an entry. */
  private static int topicsAt(byte[] bytes, int entry) {
    int at = namesAt(bytes, entry);
    for (int names = intAt(bytes, entry + NAMES_AT); names > 0; names--) {
      at = behindText(bytes, at);
    }
    return at;
  }

  private static int namesAt(byte[] bytes, int entry) {
    return behindText(bytes, behindText(bytes, entry + IDS_AT));
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

  /**
   * Adds blocks to an index. Not thread-safe.
   *
   * <p>The indexes returned by a builder share arrays. The builder only appends to the arrays, and
   * never changes bytes within a returned index. So an appender can build an index for each block.
   */
  public static final class Builder {
    private final long start;
    private final Map<Topic, Integer> numbers = new HashMap<>();
    private final CRC32 crc = new CRC32();
    private Topic[] topics;
    private int topicCount;

    /** The number of topics in completed blocks. */
    private int namedTopics;

    private int count;
    private long[] ends;
    private int[] offsets;
    private byte[] entries;

    private @Nullable Topic latest;
    private int latestNumber;

    /** The start of each topic's first batch in the current block, or -1. */
    private long[] firstFrom = new long[16];

    /** The end of each topic's last batch in the current block. */
    private long[] lastTo = new long[16];

    private boolean damageInBlock;
    private String smallest = "";
    private String largest = "";

    /** Creates a builder whose first block begins at the end of the given index. */
    public Builder(BlockIndex base) {
      this.start = base.start;
      this.count = base.count;
      this.ends = base.ends.clone();
      this.offsets = base.offsets.clone();
      this.entries = Arrays.copyOf(base.entries, base.offsets[count] + 256);
      this.topics = base.topics.clone();
      this.topicCount = base.topicCount;
      this.namedTopics = topicCount;
      for (int i = 0; i < topicCount; i++) {
        numbers.put(topics[i], i);
      }
      Arrays.fill(firstFrom, -1);
    }

    /**
     * Adds a frame to the current block.
     *
     * @param from the start of the frame's batch
     * @param to the end of the frame's batch
     */
    public void frame(Topic topic, String id, long from, long to) {
      if (topic != latest) {
        latestNumber = number(topic);
        latest = topic;
      }
      if (firstFrom[latestNumber] < 0) {
        firstFrom[latestNumber] = from;
      }
      lastTo[latestNumber] = to;
      if (id.compareTo(largest) > 0) {
        largest = id;
        if (smallest.isEmpty()) {
          smallest = id;
        }
      } else if (id.compareTo(smallest) < 0) {
        smallest = id;
      }
    }

    private int number(Topic topic) {
      Integer known = numbers.get(topic);
      if (known != null) {
        return room(known);
      }
      if (topicCount == topics.length) {
        topics = Arrays.copyOf(topics, topicCount * 2);
      }
      topics[topicCount] = topic;
      numbers.put(topic, topicCount);
      return room(topicCount++);
    }

    private int room(int number) {
      int before = firstFrom.length;
      if (number >= before) {
        firstFrom = Arrays.copyOf(firstFrom, number * 2);
        lastTo = Arrays.copyOf(lastTo, number * 2);
        Arrays.fill(firstFrom, before, firstFrom.length, -1);
      }
      return number;
    }

    /** Marks the current block as damaged. Every reader reads the block and reports the damage. */
    public void damage() {
      damageInBlock = true;
    }

    /**
     * Completes the current block.
     *
     * @param end the end of the block
     * @param check the value that ties the block to the log
     */
    public void endBlock(long end, int check) {
      if (count == ends.length) {
        ends = Arrays.copyOf(ends, count * 2);
        offsets = Arrays.copyOf(offsets, count * 2 + 1);
      }
      offsets[count + 1] = encodeEntry(offsets[count], end, check);
      ends[count] = end;
      count++;
      namedTopics = topicCount;
      Arrays.fill(firstFrom, -1);
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
      long bits = bitsOfTopics();
      at = putInt(at, (int) (bits >>> 32));
      at = putInt(at, (int) bits);
      at = putInt(at, topicCount - namedTopics);
      at = putText(at, smallest);
      at = putText(at, largest);
      for (int topic = namedTopics; topic < topicCount; topic++) {
        at = putText(at, topics[topic].name());
      }
      at = putTopics(at, count == 0 ? start : ends[count - 1], end);
      crc.reset();
      crc.update(entries, entry + HEADER_BYTES, at - entry - HEADER_BYTES);
      putInt(entry, at - entry - HEADER_BYTES);
      putInt(entry + 4, (int) crc.getValue());
      return at;
    }

    private long bitsOfTopics() {
      long bits = 0;
      for (int topic = 0; topic < firstFrom.length; topic++) {
        bits |= firstFrom[topic] >= 0 ? 1L << topic : 0;
      }
      return bits;
    }

    private int putTopics(int at, long from, long to) {
      int inBlock = 0;
      for (long first : firstFrom) {
        inBlock += first < 0 ? 0 : 1;
      }
      int behind = putNumber(at, inBlock);
      int before = -1;
      for (int topic = 0; topic < firstFrom.length; topic++) {
        if (firstFrom[topic] >= 0) {
          behind = putNumber(behind, topic - before);
          before = topic;
        }
      }
      for (int topic = 0; topic < firstFrom.length; topic++) {
        if (firstFrom[topic] >= 0) {
          behind = putNumber(behind, firstFrom[topic] - from);
          behind = putNumber(behind, to - lastTo[topic]);
        }
      }
      return behind;
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

    /** Writes an id or a topic name, which are short and ASCII. */
    private int putText(int at, String text) {
      int behind = putByte(putByte(at, text.length() >>> 8), text.length());
      for (int i = 0; i < text.length(); i++) {
        behind = putByte(behind, text.charAt(i));
      }
      return behind;
    }

    private int putNumber(int at, long value) {
      int behind = at;
      long left = value;
      for (; left >= 0x80; left >>>= 7) {
        behind = putByte(behind, (int) left | 0x80);
      }
      return putByte(behind, (int) left);
    }

    /** Returns the index of all completed blocks. */
    public BlockIndex build() {
      return new BlockIndex(start, count, ends, offsets, entries, topics, namedTopics);
    }
  }
}

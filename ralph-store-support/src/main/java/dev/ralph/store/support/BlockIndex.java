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
 * Where in a log topics occur, so that a reader of few topics passes over the rest.
 *
 * <p>The log is cut into blocks at the boundaries of batches; each entry names a block's end, the
 * topics in it, for each the stretch of the block that its batches stand in, the block's smallest
 * and largest frame id, and a check value that ties the entry to the log: an index that outlived
 * the log it was made from must not be believed. So a topic that has one frame in a block is found
 * without reading anything else. Entries depend on nothing but the log, so it does not matter who
 * writes them. Immutable.
 *
 * <p>An entry stays the bytes that it is kept as, because a short command that reads thousands of
 * them wants one thing of each. Fixed numbers are big-endian; a varying one has seven bits a byte,
 * the lowest first, all but the last with the eighth bit set; an id and a name begin with their
 * length:
 *
 * <pre>
 *   4  length of what follows the checksum
 *   4  checksum (CRC-32) of what follows
 *   8  end of the block
 *   4  check value
 *   1  1 if the block holds damage, else 0
 *   8  a bit for each topic in the block, by its number modulo 64: most blocks are passed over
 *      with a look at these
 *   4  how many topics occur for the first time in the log
 *   2+ smallest id
 *   2+ largest id
 *   2+ the name of each topic that occurs for the first time
 *   1+ how many topics occur in the block, and then
 *   1+ each, ascending, as the distance from the one before, from 1 up; and then for each
 *   1+ how far behind the block's beginning its first batch begins
 *   1+ how far before the block's end its last batch ends
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

  /** Of the last seven bits of a number. */
  private static final int MOST_SHIFT = 49;

  private static final long LARGEST_OFFSET = 1L << 40;

  private final long start;
  private final int count;
  private final long[] ends;

  /** Where each entry begins, and behind them where the last one ends. */
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

  /** Returns an index of no blocks for a log that begins there. */
  public static BlockIndex empty(long start) {
    return new BlockIndex(start, 0, new long[1], new int[2], new byte[0], new Topic[1], 0);
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
    return Collections.unmodifiableList(Arrays.asList(topics).subList(0, topicCount));
  }

  /**
   * Returns what a reader of those topics must read: for each block that holds some of it, in
   * order, where that begins and where it ends. Both are boundaries of batches.
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

  /** Collects stretches, and reads varying numbers on the way. */
  private static final class Stretches {
    private long[] offsets = new long[64];
    private int count;

    /** Where the next number is read, and where the entry ends. */
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
     * Adds the stretch from the first wanted batch of a block to the last, if there is any; all of
     * it where what the entry says makes no sense, which its checksum does not tell.
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
          return Long.MAX_VALUE / 2; // more than anything that makes sense, also when added to
        }
        bits = entries[at++];
        number |= (bits & 0x7fL) << shift;
        shift += 7;
      } while (bits < 0);
      return number;
    }
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
    return new BlockIndex(start, 0, new long[64], new int[65], bytes, new Topic[1], 0).decode(from);
  }

  /**
   * Returns this index with the blocks behind its own that the bytes stand for, as far as they are
   * whole: what {@link #encode} returned of an index that goes on from this one.
   */
  public BlockIndex plus(byte[] more) {
    byte[] bytes = Arrays.copyOf(entries, offsets[count] + more.length);
    System.arraycopy(more, 0, bytes, offsets[count], more.length);
    return new BlockIndex(start, count, ends, offsets, bytes, topics, topicCount)
        .decode(offsets[count]);
  }

  /** Returns this index with the blocks whose entries stand in its own array from there on. */
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

  /** Returns where the topics in the block begin in its entry. */
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
   * Adds blocks behind those of an index. For one thread.
   *
   * <p>The indexes that it builds share its arrays: what they know of is never changed in there,
   * others only come behind. So an appender can ask for one with each block.
   */
  public static final class Builder {
    private final long start;
    private final Map<Topic, Integer> numbers = new HashMap<>();
    private final CRC32 crc = new CRC32();
    private Topic[] topics;
    private int topicCount;

    /** How many of the topics occur in blocks that have ended. */
    private int namedTopics;

    private int count;
    private long[] ends;
    private int[] offsets;
    private byte[] entries;

    private @Nullable Topic latest;
    private int latestNumber;

    /** Of each topic, where its first batch in the block under way begins; -1 if it has none. */
    private long[] firstFrom = new long[16];

    /** Of each topic in the block under way, where its last batch ends. */
    private long[] lastTo = new long[16];

    private boolean damageInBlock;
    private String smallest = "";
    private String largest = "";

    /** Begins behind the last block of that index. */
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
     * Adds a frame to the block under way.
     *
     * @param from where its batch begins
     * @param to where its batch ends
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

    /** Puts an id or a topic's name, which are ASCII, and short. */
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

    /** Returns the index with the blocks ended so far; the one under way is left out. */
    public BlockIndex build() {
      return new BlockIndex(start, count, ends, offsets, entries, topics, namedTopics);
    }
  }
}

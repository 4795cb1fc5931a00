package dev.ralph.store.support;

import dev.ralph.Topic;
import dev.ralph.TopicFilter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import javax.annotation.Nullable;

/**
 * Which topics occur in which stretch of a log, so that a reader of few topics passes over the
 * rest.
 *
 * <p>The log is cut into blocks at the boundaries of batches; each entry names a block's end, the
 * topics in it, its smallest and largest frame id, and a check value that ties the entry to the
 * log: an index that outlived the log it was made from must not be believed. Entries depend on
 * nothing but the log, so it does not matter who writes them. Immutable.
 */
public final class BlockIndex {

  private static final int FLAG_DAMAGED = 1;

  private final long start;
  private final int count;
  private final long[] ends;
  private final int[] checks;
  private final boolean[] damaged;
  private final int[][] topicsOfBlock;
  private final String[] smallestIds;
  private final String[] largestIds;
  private final List<Topic> topics;

  private BlockIndex(
      long start,
      int count,
      long[] ends,
      int[] checks,
      boolean[] damaged,
      int[][] topicsOfBlock,
      String[] smallestIds,
      String[] largestIds,
      List<Topic> topics) {
    this.start = start;
    this.count = count;
    this.ends = ends;
    this.checks = checks;
    this.damaged = damaged;
    this.topicsOfBlock = topicsOfBlock;
    this.smallestIds = smallestIds;
    this.largestIds = largestIds;
    this.topics = topics;
  }

  /** Returns an index of no blocks, for a log that begins there. */
  public static BlockIndex empty(long start) {
    return new BlockIndex(
        start,
        0,
        new long[0],
        new int[0],
        new boolean[0],
        new int[0][],
        new String[0],
        new String[0],
        List.of());
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
    return checks[block];
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
      wanted[block] = damaged[block];
      for (int topic : topicsOfBlock[block]) {
        wanted[block] |= matching[topic];
      }
    }
    return wanted;
  }

  /** Returns whether a frame of that id can be in the block. */
  public boolean mayHold(int block, String id) {
    return smallestIds[block].compareTo(id) <= 0 && largestIds[block].compareTo(id) >= 0;
  }

  /** Returns the smallest frame id in the block, or an empty text. */
  public String smallestId(int block) {
    return smallestIds[block];
  }

  /** Returns the largest frame id in the block, or an empty text. */
  public String largestId(int block) {
    return largestIds[block];
  }

  /** Returns the largest id in any block, or an empty text. */
  public String largestId() {
    String largest = "";
    for (int block = 0; block < count; block++) {
      if (largestIds[block].compareTo(largest) > 0) {
        largest = largestIds[block];
      }
    }
    return largest;
  }

  // ---- as bytes

  /**
   * Returns the entries from that block on as bytes, to be put behind those of the blocks before.
   */
  public byte[] encode(int fromBlock) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(all)) {
      int known = topicsBefore(fromBlock);
      for (int block = fromBlock; block < count; block++) {
        ByteArrayOutputStream entry = new ByteArrayOutputStream();
        known = encodeEntry(new DataOutputStream(entry), block, known);
        byte[] bytes = entry.toByteArray();
        out.writeInt(bytes.length);
        out.writeInt(checksum(bytes));
        out.write(bytes);
      }
    } catch (IOException e) {
      throw new IllegalStateException("writing to memory does not fail", e);
    }
    return all.toByteArray();
  }

  private int topicsBefore(int block) {
    int known = 0;
    for (int i = 0; i < block; i++) {
      for (int topic : topicsOfBlock[i]) {
        known = Math.max(known, topic + 1);
      }
    }
    return known;
  }

  private int encodeEntry(DataOutputStream out, int block, int knownTopics) throws IOException {
    int known = knownTopics;
    for (int topic : topicsOfBlock[block]) {
      known = Math.max(known, topic + 1);
    }
    out.writeLong(ends[block]);
    out.writeInt(checks[block]);
    out.writeByte(damaged[block] ? FLAG_DAMAGED : 0);
    out.writeUTF(smallestIds[block]);
    out.writeUTF(largestIds[block]);
    out.writeInt(known - knownTopics);
    for (int topic = knownTopics; topic < known; topic++) {
      out.writeUTF(topics.get(topic).name());
    }
    out.writeInt(topicsOfBlock[block].length);
    for (int topic : topicsOfBlock[block]) {
      out.writeInt(topic);
    }
    return known;
  }

  /**
   * Returns the index that the bytes stand for, as far as they are whole.
   *
   * @param start where the log begins
   */
  public static BlockIndex decode(long start, byte[] bytes, int from) {
    Builder builder = new Builder(empty(start));
    DataInputStream in =
        new DataInputStream(new ByteArrayInputStream(bytes, from, bytes.length - from));
    try {
      while (in.available() >= 8) {
        int length = in.readInt();
        int checksum = in.readInt();
        if (length < 0 || length > in.available()) {
          break;
        }
        byte[] entry = in.readNBytes(length);
        if (checksum(entry) != checksum) {
          break;
        }
        builder.decodeEntry(new DataInputStream(new ByteArrayInputStream(entry)));
      }
    } catch (IOException | RuntimeException e) {
      System.getLogger(BlockIndex.class.getName())
          .log(System.Logger.Level.DEBUG, "the index is used as far as it can be read", e);
    }
    return builder.build();
  }

  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length);
    return (int) crc.getValue();
  }

  /** Adds blocks behind those of an index. For one thread. */
  public static final class Builder {
    private final BlockIndex base;
    private final List<Topic> topics;
    private final Map<Topic, Integer> numbers = new HashMap<>();
    private final List<Long> ends = new ArrayList<>();
    private final List<Integer> checks = new ArrayList<>();
    private final List<Boolean> damaged = new ArrayList<>();
    private final List<int[]> topicsOfBlock = new ArrayList<>();
    private final List<String> smallestIds = new ArrayList<>();
    private final List<String> largestIds = new ArrayList<>();

    @Nullable private Topic latest;
    private boolean[] inBlock = new boolean[16];
    private boolean damageInBlock;
    private String smallest = "";
    private String largest = "";

    /** Begins behind the last block of that index. */
    public Builder(BlockIndex base) {
      this.base = base;
      this.topics = new ArrayList<>(base.topics);
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
      int[] found = new int[topics.size()];
      int count = 0;
      for (int i = 0; i < Math.min(inBlock.length, topics.size()); i++) {
        if (inBlock[i]) {
          found[count++] = i;
        }
      }
      add(end, check, damageInBlock, smallest, largest, Arrays.copyOf(found, count));
      Arrays.fill(inBlock, false);
      latest = null;
      damageInBlock = false;
      smallest = "";
      largest = "";
    }

    private void add(
        long end, int check, boolean damage, String smallestId, String largestId, int[] found) {
      ends.add(end);
      checks.add(check);
      damaged.add(damage);
      smallestIds.add(smallestId);
      largestIds.add(largestId);
      topicsOfBlock.add(found);
    }

    private void decodeEntry(DataInputStream in) throws IOException {
      long end = in.readLong();
      int check = in.readInt();
      boolean damage = (in.readByte() & FLAG_DAMAGED) != 0;
      String smallestId = in.readUTF();
      String largestId = in.readUTF();
      int newTopics = in.readInt();
      for (int i = 0; i < newTopics; i++) {
        Topic topic = Topic.of(in.readUTF());
        numbers.put(topic, topics.size());
        topics.add(topic);
      }
      int[] found = new int[in.readInt()];
      for (int i = 0; i < found.length; i++) {
        found[i] = in.readInt();
        if (found[i] >= topics.size()) {
          throw new IOException("an entry names a topic that it does not have");
        }
      }
      add(end, check, damage, smallestId, largestId, found);
    }

    /** Returns the index with the blocks ended so far; the one under way is left out. */
    public BlockIndex build() {
      int count = base.count + ends.size();
      long[] allEnds = Arrays.copyOf(base.ends, count);
      int[] allChecks = Arrays.copyOf(base.checks, count);
      boolean[] allDamaged = Arrays.copyOf(base.damaged, count);
      int[][] allTopics = Arrays.copyOf(base.topicsOfBlock, count);
      String[] allSmallest = Arrays.copyOf(base.smallestIds, count);
      String[] allLargest = Arrays.copyOf(base.largestIds, count);
      int known = base.topics.size();
      for (int i = 0; i < ends.size(); i++) {
        int block = base.count + i;
        allEnds[block] = ends.get(i);
        allChecks[block] = checks.get(i);
        allDamaged[block] = damaged.get(i);
        allTopics[block] = topicsOfBlock.get(i);
        allSmallest[block] = smallestIds.get(i);
        allLargest[block] = largestIds.get(i);
        for (int topic : allTopics[block]) {
          known = Math.max(known, topic + 1);
        }
      }
      return new BlockIndex(
          base.start,
          count,
          allEnds,
          allChecks,
          allDamaged,
          allTopics,
          allSmallest,
          allLargest,
          List.copyOf(topics.subList(0, known)));
    }
  }
}

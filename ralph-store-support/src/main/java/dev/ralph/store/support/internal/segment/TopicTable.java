package dev.ralph.store.support.internal.segment;

import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Knows the topics met by one reader by their bytes, and whether it wants them. For one thread. */
public final class TopicTable {

  /** In place of a topic, where what stands there is no topic's name. */
  public static final Entry NONE = new Entry(Topic.of("none"), false, new byte[0], 0);

  /** A topic and whether its frames are wanted. */
  public static final class Entry {
    /** The topic. */
    public final Topic topic;

    /** Whether the reader wants its frames. */
    public final boolean wanted;

    private final byte[] name;
    private final int hash;

    Entry(Topic topic, boolean wanted, byte[] name, int hash) {
      this.topic = topic;
      this.wanted = wanted;
      this.name = name;
      this.hash = hash;
    }

    /** Returns how many bytes the name has. */
    public int length() {
      return name.length;
    }
  }

  private final TopicFilter filter;
  private Entry[] slots = new Entry[64];
  private int used;

  /** Makes the table of a reader that wants what the filter selects. */
  public TopicTable(TopicFilter filter) {
    this.filter = filter;
  }

  /** Returns what the reader wants. */
  public TopicFilter filter() {
    return filter;
  }

  /** Returns the topic whose name stands in the buffer, or {@link #NONE} if it is none. */
  public Entry find(byte[] buffer, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = hash * 31 + buffer[i];
    }
    return find(buffer, from, to, hash);
  }

  /**
   * Returns the topic whose name stands in the buffer before the next quote, which must come, or
   * {@link #NONE} if it is none.
   */
  public Entry findQuoted(byte[] buffer, int from) {
    int hash = 0;
    int to = from;
    while (buffer[to] != '"') {
      hash = hash * 31 + buffer[to];
      to++;
    }
    return find(buffer, from, to, hash);
  }

  private Entry find(byte[] buffer, int from, int to, int hash) {
    int mask = slots.length - 1;
    int slot = hash & mask;
    while (true) {
      Entry entry = slots[slot];
      if (entry == null) {
        return add(buffer, from, to, hash);
      }
      if (entry.hash == hash && Arrays.equals(entry.name, 0, entry.name.length, buffer, from, to)) {
        return entry;
      }
      slot = slot + 1 & mask;
    }
  }

  private Entry add(byte[] buffer, int from, int to, int hash) {
    if (to - from > Topic.MAX_LENGTH) {
      return NONE;
    }
    byte[] name = Arrays.copyOfRange(buffer, from, to);
    Topic topic;
    try {
      topic = Topic.of(new String(name, StandardCharsets.US_ASCII));
    } catch (RalphException noName) {
      return NONE;
    }
    if (used * 2 >= slots.length) {
      Entry[] old = slots;
      slots = new Entry[old.length * 2];
      for (Entry entry : old) {
        if (entry != null) {
          put(entry);
        }
      }
    }
    Entry entry = new Entry(topic, filter.matches(topic), name, hash);
    put(entry);
    used++;
    return entry;
  }

  private void put(Entry entry) {
    int slot = entry.hash & slots.length - 1;
    while (slots[slot] != null) {
      slot = slot + 1 & slots.length - 1;
    }
    slots[slot] = entry;
  }
}

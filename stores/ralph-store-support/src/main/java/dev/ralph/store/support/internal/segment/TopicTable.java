package dev.ralph.store.support.internal.segment;

import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Maps encoded topic names to topics, and to the result of a reader's filter. Not thread-safe. */
public final class TopicTable {

  /** Represents an invalid topic name. */
  public static final Entry NONE = new Entry(Topic.of("none"), false, new byte[0], 0);

  /** A topic and the result of the filter. */
  public static final class Entry {
    /** The topic. */
    public final Topic topic;

    /** Whether the filter selects the topic. */
    public final boolean wanted;

    private final byte[] name;
    private final int hash;

    Entry(Topic topic, boolean wanted, byte[] name, int hash) {
      this.topic = topic;
      this.wanted = wanted;
      this.name = name;
      this.hash = hash;
    }

    /** Returns the length of the encoded name in bytes. */
    public int length() {
      return name.length;
    }
  }

  private final TopicFilter filter;
  private Entry[] slots = new Entry[64];
  private int used;

  /**
   * Creates the table of a reader.
   *
   * @param filter selects the topics of the reader
   */
  public TopicTable(TopicFilter filter) {
    this.filter = filter;
  }

  /** Returns the filter of the reader. */
  public TopicFilter filter() {
    return filter;
  }

  /** Returns the entry of a name in a buffer, or {@link #NONE} if the name is invalid. */
  public Entry find(byte[] buffer, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = hash * 31 + buffer[i];
    }
    return find(buffer, from, to, hash);
  }

  /**
   * Returns the entry of the name before the next quote in a buffer, or {@link #NONE} if the name
   * is invalid. The buffer must contain a quote.
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

package dev.ralph.store.file;

import dev.ralph.Topic;
import dev.ralph.TopicFilter;
import java.nio.charset.StandardCharsets;

/** Knows the topics met by one reader by their bytes, and whether it wants them. For one thread. */
final class TopicTable {

  /** A topic and whether its frames are wanted. */
  static final class Entry {
    final Topic topic;
    final boolean wanted;
    private final byte[] name;
    private final int hash;

    Entry(Topic topic, boolean wanted, byte[] name, int hash) {
      this.topic = topic;
      this.wanted = wanted;
      this.name = name;
      this.hash = hash;
    }
  }

  private final TopicFilter filter;
  private Entry[] slots = new Entry[64];
  private int used;

  TopicTable(TopicFilter filter) {
    this.filter = filter;
  }

  TopicFilter filter() {
    return filter;
  }

  Entry find(byte[] buffer, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = hash * 31 + buffer[i];
    }
    int mask = slots.length - 1;
    int slot = hash & mask;
    while (true) {
      Entry entry = slots[slot];
      if (entry == null) {
        return add(buffer, from, to, hash);
      }
      if (entry.hash == hash
          && entry.name.length == to - from
          && Line.at(buffer, from, entry.name)) {
        return entry;
      }
      slot = slot + 1 & mask;
    }
  }

  private Entry add(byte[] buffer, int from, int to, int hash) {
    if (used * 2 >= slots.length) {
      Entry[] old = slots;
      slots = new Entry[old.length * 2];
      for (Entry entry : old) {
        if (entry != null) {
          put(entry);
        }
      }
    }
    byte[] name = java.util.Arrays.copyOfRange(buffer, from, to);
    Topic topic = Topic.of(new String(name, StandardCharsets.US_ASCII));
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

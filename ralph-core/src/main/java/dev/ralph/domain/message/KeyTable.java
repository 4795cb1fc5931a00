package dev.ralph.domain.message;

import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the first message that was sent under a key, among the few that have one: their indexes,
 * and the hash codes of their keys. For one thread at a time, unless it is a copy, which nobody
 * changes.
 */
final class KeyTable {

  private int[] hashes;
  private int[] indexes;
  private int size;

  KeyTable() {
    this(new int[4], new int[4], 0);
  }

  private KeyTable(int[] hashes, int[] indexes, int size) {
    this.hashes = hashes;
    this.indexes = indexes;
    this.size = size;
  }

  void add(String key, int index) {
    if (size == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * size);
      indexes = Arrays.copyOf(indexes, 2 * size);
    }
    hashes[size] = key.hashCode();
    indexes[size++] = index;
  }

  /** Returns the index of the first message of that key, or -1. */
  int find(String key, List<MessageEntry> messages) {
    int hash = key.hashCode();
    for (int i = 0; i < size; i++) {
      if (hashes[i] == hash && key.equals(messages.get(indexes[i]).key)) {
        return indexes[i];
      }
    }
    return -1;
  }

  /** Returns the table as it is now. What is added later stands behind its end. */
  KeyTable copy() {
    return new KeyTable(hashes, indexes, size);
  }

  // ---- for snapshots

  int size() {
    return size;
  }

  void write(IntBuffer out) {
    out.put(hashes, 0, size).put(indexes, 0, size);
  }

  static KeyTable read(IntBuffer in, int size) {
    int[] hashes = new int[Math.max(1, size)];
    int[] indexes = new int[Math.max(1, size)];
    in.get(hashes, 0, size).get(indexes, 0, size);
    return new KeyTable(hashes, indexes, size);
  }
}

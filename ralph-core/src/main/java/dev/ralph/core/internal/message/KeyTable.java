package dev.ralph.core.internal.message;

import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Finds the first message with a key. A hash table with linked entries per slot, in the order of
 * addition. Copies share the arrays. A later addition follows the last entry of a copy, so the copy
 * does not contain the addition. Not thread-safe, except for a copy without further changes.
 */
final class KeyTable {

  private static final int LEAST = 4;

  /** The hash code of each entry's key. The array's length is the capacity, a power of two. */
  private int[] hashes;

  private int[] indexes;

  /** For each slot: the index of the first entry plus one, or 0 for an empty slot. */
  private int[] firsts;

  /** For each entry: the index of the next entry of the slot plus one, or 0 for the last. */
  private int[] nexts;

  private int size;

  KeyTable() {
    this(LEAST);
  }

  private KeyTable(int room) {
    this(new int[room], new int[room], new int[room], new int[room], 0);
  }

  private KeyTable(int[] hashes, int[] indexes, int[] firsts, int[] nexts, int size) {
    this.hashes = hashes;
    this.indexes = indexes;
    this.firsts = firsts;
    this.nexts = nexts;
    this.size = size;
  }

  void add(String key, int index) {
    if (size == hashes.length) {
      grow();
    }
    hashes[size] = key.hashCode();
    indexes[size] = index;
    link(size++);
  }

  /** Doubles the capacity. Copies keep the old arrays, which do not change any more. */
  private void grow() {
    hashes = Arrays.copyOf(hashes, 2 * size);
    indexes = Arrays.copyOf(indexes, 2 * size);
    firsts = new int[2 * size];
    nexts = new int[2 * size];
    for (int entry = 0; entry < size; entry++) {
      link(entry);
    }
  }

  private void link(int entry) {
    int slot = slot(hashes[entry]);
    int last = firsts[slot];
    if (last == 0) {
      firsts[slot] = entry + 1;
      return;
    }
    while (nexts[last - 1] != 0) {
      last = nexts[last - 1];
    }
    nexts[last - 1] = entry + 1;
  }

  private int slot(int hash) {
    int mixed = hash * 0x9e3779b9; // similar keys have similar hash codes
    return (mixed ^ mixed >>> 15) & firsts.length - 1;
  }

  /**
   * Returns the index of the first accepted message with a key, or -1.
   *
   * @param wanted accepts messages; must compare the keys, because different keys may have the same
   *     hash code
   */
  int find(String key, IntPredicate wanted) {
    int hash = key.hashCode();
    int entry = firsts[slot(hash)] - 1;
    while (entry >= 0 && entry < size) {
      if (hashes[entry] == hash && wanted.test(indexes[entry])) {
        return indexes[entry];
      }
      entry = nexts[entry] - 1;
    }
    return -1;
  }

  /** Returns an immutable copy of the present entries. */
  KeyTable copy() {
    return new KeyTable(hashes, indexes, firsts, nexts, size);
  }

  // ---- for snapshots

  int size() {
    return size;
  }

  /** Returns the number of ints that {@code write} puts for a table with a number of entries. */
  static int numbers(int size) {
    return 3 * size + room(size);
  }

  private static int room(int size) {
    return Math.max(LEAST, size <= 1 ? size : Integer.highestOneBit(size - 1) << 1);
  }

  void write(IntBuffer out) {
    out.put(hashes, 0, size).put(indexes, 0, size).put(nexts, 0, size).put(firsts);
  }

  static KeyTable read(IntBuffer in, int size) {
    KeyTable table = new KeyTable(room(size));
    in.get(table.hashes, 0, size).get(table.indexes, 0, size).get(table.nexts, 0, size);
    in.get(table.firsts);
    table.size = size;
    return table;
  }
}

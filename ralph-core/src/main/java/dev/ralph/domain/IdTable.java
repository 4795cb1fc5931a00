package dev.ralph.domain;

/**
 * Finds entries by their whole id. The hash table also keeps the hash codes, so that only probable
 * matches are read. Not thread-safe.
 */
final class IdTable {

  private final PieceList<? extends Numbered> things;

  /** The slots: the hash code in the upper half, the index plus one in the lower; 0 if empty. */
  private long[] slots = new long[16];

  private int size;

  IdTable(PieceList<? extends Numbered> things) {
    this.things = things;
  }

  /** Grows the table for a number of entries. */
  void reserve(int count) {
    int length = slots.length;
    while (length < 2 * count) {
      length *= 2;
    }
    if (length > slots.length) {
      grow(length);
    }
  }

  /** Adds an index under the hash code of its entry's id, which must be new. */
  void add(int hash, int index) {
    reserve(++size);
    put(slots, (long) hash << 32 | index + 1);
  }

  /** Returns the index of the entry with an id, or -1. */
  int find(String id) {
    int hash = id.hashCode();
    int mask = slots.length - 1;
    for (int slot = spread(hash) & mask; slots[slot] != 0; slot = slot + 1 & mask) {
      long entry = slots[slot];
      if ((int) (entry >> 32) == hash && things.get((int) entry - 1).id().equals(id)) {
        return (int) entry - 1;
      }
    }
    return -1;
  }

  private void grow(int length) {
    long[] more = new long[length];
    for (long entry : slots) {
      if (entry != 0) {
        put(more, entry);
      }
    }
    slots = more;
  }

  private static void put(long[] slots, long entry) {
    int mask = slots.length - 1;
    int slot = spread((int) (entry >> 32)) & mask;
    while (slots[slot] != 0) {
      slot = slot + 1 & mask;
    }
    slots[slot] = entry;
  }

  /** Spreads the hash codes of consecutive ids, which differ in few bits. */
  private static int spread(int hash) {
    int mixed = hash * 0x9e3779b9;
    return mixed ^ mixed >>> 15;
  }
}

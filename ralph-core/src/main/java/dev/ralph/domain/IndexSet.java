package dev.ralph.domain;

import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * A sorted set of indexes of a {@link NumberedState}, stored as bits. Copies are cheap and
 * immutable: a copy shares the bits until the original changes. Not thread-safe; copies are safe
 * for use by many threads.
 */
public final class IndexSet {

  private static final long[] NONE = {};

  private long[] bits;
  private int size;
  private boolean shared;

  /** Creates an empty set. */
  public IndexSet() {
    this(NONE, 0, true);
  }

  private IndexSet(long[] bits, int size, boolean shared) {
    this.bits = bits;
    this.size = size;
    this.shared = shared;
  }

  /** Returns the set of all indexes below a limit. */
  public static IndexSet below(int limit) {
    long[] bits = new long[(limit + 63) >> 6];
    Arrays.fill(bits, -1);
    if ((limit & 63) != 0) {
      bits[bits.length - 1] = (1L << limit) - 1;
    }
    return new IndexSet(bits, limit, true);
  }

  /** Returns the number of indexes. */
  public int size() {
    return size;
  }

  /** Returns whether an index is in the set. */
  public boolean contains(int index) {
    return bits(index >> 6) << ~index < 0;
  }

  /** Returns the bits of a word, 0 beyond the end of the array. */
  private long bits(int word) {
    return word < bits.length ? bits[word] : 0;
  }

  /** Adds or removes an index. */
  public void put(int index, boolean in) {
    if (contains(index) == in) {
      return;
    }
    int word = index >> 6;
    if (word >= bits.length) {
      bits = Arrays.copyOf(bits, Math.max(word + 1, bits.length * 3 / 2));
    } else if (shared) {
      bits = bits.clone();
    }
    shared = false;
    bits[word] ^= 1L << index;
    size += in ? 1 : -1;
  }

  /** Returns an immutable copy. */
  public IndexSet copy() {
    shared = true;
    return new IndexSet(bits, size, true);
  }

  /** Returns the first index at or after {@code from}, or -1. */
  public int next(int from) {
    return nextOfBoth(this, this, from);
  }

  /** Returns the first index at or after {@code from} that is in both sets, or -1. */
  public static int nextOfBoth(IndexSet one, IndexSet other, int from) {
    int end = Math.min(one.bits.length, other.bits.length);
    long mask = -1L << from;
    for (int word = from >> 6; word < end; word++) {
      long both = one.bits[word] & other.bits[word] & mask;
      if (both != 0) {
        return (word << 6) + Long.numberOfTrailingZeros(both);
      }
      mask = -1;
    }
    return -1;
  }

  /** Returns the intersection of both sets. */
  public IndexSet and(IndexSet other) {
    long[] both = new long[Math.min(bits.length, other.bits.length)];
    for (int i = 0; i < both.length; i++) {
      both[i] = bits[i] & other.bits[i];
    }
    return of(both);
  }

  /** Returns the union of both sets. */
  public IndexSet or(IndexSet other) {
    long[] any = new long[Math.max(bits.length, other.bits.length)];
    for (int i = 0; i < any.length; i++) {
      any[i] = bits(i) | other.bits(i);
    }
    return of(any);
  }

  /** Returns the indexes of this set that are not in the other set. */
  public IndexSet without(IndexSet other) {
    long[] left = new long[bits.length];
    for (int i = 0; i < left.length; i++) {
      left[i] = bits[i] & ~other.bits(i);
    }
    return of(left);
  }

  private static IndexSet of(long[] bits) {
    int size = 0;
    for (long word : bits) {
      size += Long.bitCount(word);
    }
    return new IndexSet(bits, size, true);
  }

  // ---- for snapshots

  /** Returns the number of words of the set. */
  public int words() {
    return bits.length;
  }

  /** Writes the words of the set. */
  public void write(LongBuffer out) {
    out.put(bits);
  }

  /** Reads a set from its words. */
  public static IndexSet read(LongBuffer in, int words) {
    long[] bits = new long[words];
    in.get(bits);
    return of(bits);
  }
}

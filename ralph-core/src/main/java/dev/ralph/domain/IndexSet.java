package dev.ralph.domain;

import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * Indexes of things in a {@link NumberedState}, in increasing order, as bits; for one thread at a
 * time, unless it is a copy. Copies cost nothing: a copy shares the bits until the original is
 * changed, and is never changed itself.
 */
public final class IndexSet {

  private static final long[] NONE = {};

  private long[] bits;
  private int size;
  private boolean shared;

  /** Makes an empty set. */
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

  /** Returns how many indexes are in the set. */
  public int size() {
    return size;
  }

  /** Returns whether an index is in the set. */
  public boolean contains(int index) {
    return bits(index >> 6) << ~index < 0;
  }

  /** Returns the bits of a word; the set need not have all of them. */
  private long bits(int word) {
    return word < bits.length ? bits[word] : 0;
  }

  /** Has an index in the set, or not. */
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

  /** Returns the set as it is now, which nobody may change. */
  public IndexSet copy() {
    shared = true;
    return new IndexSet(bits, size, true);
  }

  /** Returns the first index from there on, or -1 if there is none. */
  public int next(int from) {
    return nextOfBoth(this, this, from);
  }

  /** Returns the first index from there on that is in both sets, or -1 if there is none. */
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

  /** Returns the indexes that are in both. */
  public IndexSet and(IndexSet other) {
    long[] both = new long[Math.min(bits.length, other.bits.length)];
    for (int i = 0; i < both.length; i++) {
      both[i] = bits[i] & other.bits[i];
    }
    return of(both);
  }

  /** Returns the indexes that are in one of them at least. */
  public IndexSet or(IndexSet other) {
    long[] any = new long[Math.max(bits.length, other.bits.length)];
    for (int i = 0; i < any.length; i++) {
      any[i] = bits(i) | other.bits(i);
    }
    return of(any);
  }

  /** Returns the indexes that are in this set only. */
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

  /** Returns how many words the set takes. */
  public int words() {
    return bits.length;
  }

  /** Writes as many words. */
  public void write(LongBuffer out) {
    out.put(bits);
  }

  /** Reads as many words back. */
  public static IndexSet read(LongBuffer in, int words) {
    long[] bits = new long[words];
    in.get(bits);
    return of(bits);
  }
}

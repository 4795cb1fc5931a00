package dev.ralph.domain;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * Things by index, for one thread at a time, with copies that cost nothing: a copy shares the
 * pieces that the list is made of, and a piece that is shared is copied before a thing in it is
 * replaced. To add one needs no copy, because no list reads behind its own end.
 *
 * <p>Things of a snapshot are read from it when they are first asked for. Threads that ask at once
 * read the same, so it doesn't matter whose stays.
 *
 * @param <E> what is kept: immutable, because threads share it
 */
final class PieceList<E> {

  private static final int SHIFT = 7;

  /** How many things a piece has: few enough to copy for a change, and many enough for few. */
  private static final int PIECE = 1 << SHIFT;

  private Object[][] pieces = new Object[2][];
  private int size;

  /** Where the things come from that were not asked for yet; null once all are here. */
  private @Nullable Source<E> source;

  /**
   * Whether no copy shares the array of the pieces; and for each piece, whether no copy shares it.
   */
  private boolean ownsPieces = true;

  private boolean[] owned = new boolean[2];

  /** Whether no copy has any of the pieces, as while a log is read. */
  private boolean ownsAll = true;

  /** Reads things that were kept. */
  interface Source<E> {
    /** Returns the thing at that index, which is one that was kept. */
    E read(int index);
  }

  PieceList() {}

  /** Makes a list of so many things; each is read when it is first asked for. */
  PieceList(int size, Source<E> source) {
    this.size = size;
    this.source = source;
    int count = (size + PIECE - 1) >> SHIFT;
    // All of them now: one that was made later could take the place of another thread's.
    pieces = new Object[Math.max(2, count)][];
    owned = new boolean[pieces.length];
    for (int i = 0; i < count; i++) {
      pieces[i] = new Object[PIECE];
    }
  }

  int size() {
    return size;
  }

  E get(int index) {
    if (index >= size) {
      throw new IndexOutOfBoundsException(index + " of " + size);
    }
    return get(pieces, source, index);
  }

  @SuppressWarnings("unchecked")
  private static <E> E get(Object[][] pieces, @Nullable Source<E> source, int index) {
    Object[] piece = pieces[index >> SHIFT];
    Object thing = piece[index & PIECE - 1];
    if (thing == null && source != null) {
      thing = source.read(index);
      piece[index & PIECE - 1] = thing;
    }
    return (E) thing;
  }

  /** Returns whether the thing at that index is here, not only in the snapshot. */
  boolean isRead(int index) {
    return pieces[index >> SHIFT][index & PIECE - 1] != null;
  }

  void add(E thing) {
    int piece = size >> SHIFT;
    if ((size & PIECE - 1) == 0) {
      if (piece == pieces.length) {
        pieces = Arrays.copyOf(pieces, 2 * piece);
        owned = Arrays.copyOf(owned, 2 * piece);
        ownsPieces = true;
      }
      pieces[piece] = new Object[PIECE];
      owned[piece] = true;
    }
    pieces[piece][size & PIECE - 1] = thing;
    size++;
  }

  void set(int index, E thing) {
    if (!ownsAll) {
      own(index >> SHIFT);
    }
    pieces[index >> SHIFT][index & PIECE - 1] = thing;
  }

  private void own(int piece) {
    if (!ownsPieces) {
      pieces = pieces.clone();
      ownsPieces = true;
    }
    if (!owned[piece]) {
      pieces[piece] = pieces[piece].clone();
      owned[piece] = true;
    }
  }

  /** Removes a thing; those behind it move up, so that all of these are copied. */
  void remove(int index) {
    Object[][] before = pieces;
    Source<E> from = source;
    int end = size;
    pieces = Arrays.copyOf(before, before.length);
    ownsPieces = true;
    for (int i = 0; i < end && from != null; i++) {
      get(before, from, i); // an index in the snapshot would be wrong from here on
    }
    source = null;
    int keep = index >> SHIFT;
    size = keep << SHIFT;
    for (int i = size; i < end; i++) {
      if (i != index) {
        add(get(before, null, i));
      }
    }
  }

  /** Returns the things as they are now, in a list that does not change; any thread may read it. */
  List<E> copy() {
    ownsPieces = false;
    ownsAll = false;
    Arrays.fill(owned, false);
    return new Copy<>(pieces, source, size);
  }

  private static final class Copy<E> extends AbstractList<E> implements RandomAccess {
    private final Object[][] pieces;
    private final @Nullable Source<E> source;
    private final int size;

    Copy(Object[][] pieces, @Nullable Source<E> source, int size) {
      this.pieces = pieces;
      this.source = source;
      this.size = size;
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public E get(int index) {
      if (index >= size) {
        throw new IndexOutOfBoundsException(index + " of " + size);
      }
      return PieceList.get(pieces, source, index);
    }
  }
}

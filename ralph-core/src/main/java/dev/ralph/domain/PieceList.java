package dev.ralph.domain;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * A list with cheap immutable copies. The list consists of pieces, which copies share; a shared
 * piece is copied before an element in it is replaced. Adding needs no copy, because no list reads
 * beyond its own end. Not thread-safe; copies are safe for use by many threads.
 *
 * <p>Elements of a snapshot are read on demand. Threads that read the same element at once get
 * equal objects, of which one is kept.
 *
 * @param <E> the elements, which are immutable because threads share them
 */
final class PieceList<E> {

  private static final int SHIFT = 7;

  /** The number of elements of a piece: small enough to copy, large enough for few pieces. */
  private static final int PIECE = 1 << SHIFT;

  private Object[][] pieces = new Object[2][];
  private int size;

  /** The source of elements that were not read yet; null if all were read. */
  private @Nullable Source<E> source;

  /** Whether no copy shares the array of pieces; and for each piece, whether no copy shares it. */
  private boolean ownsPieces = true;

  private boolean[] owned = new boolean[2];

  /** Whether no copy shares any piece, as during the first read of a log. */
  private boolean ownsAll = true;

  /** Reads elements of a snapshot. */
  interface Source<E> {
    /** Returns the element at an index of the snapshot. */
    E read(int index);
  }

  PieceList() {}

  /** Creates a list whose elements are read from a source on demand. */
  PieceList(int size, Source<E> source) {
    this.size = size;
    this.source = source;
    int count = (size + PIECE - 1) >> SHIFT;
    // All pieces are created now: a later creation could overwrite a piece of another thread.
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

  /** Returns whether the element at an index was read from the snapshot. */
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

  /** Removes an element, and copies all later elements. */
  void remove(int index) {
    Object[][] before = pieces;
    Source<E> from = source;
    int end = size;
    pieces = Arrays.copyOf(before, before.length);
    ownsPieces = true;
    for (int i = 0; i < end && from != null; i++) {
      get(before, from, i); // later indexes differ from those of the snapshot
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

  /** Returns an immutable copy, which is safe for use by many threads. */
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

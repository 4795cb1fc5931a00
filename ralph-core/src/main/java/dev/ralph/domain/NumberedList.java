package dev.ralph.domain;

import dev.ralph.log.RalphException;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/**
 * All entries of one kind at one moment, sorted by number: the result of a fold of a {@link
 * NumberedState}. Immutable; safe for use by many threads.
 *
 * <p>A reference is the letter of the kind and the number ({@code t12}), the id, or a prefix of the
 * id with at least 8 characters. A number alone is no reference, because agents confuse it with a
 * count.
 *
 * @param <E> the entries of the fold
 * @param <V> the views of entries
 */
public abstract class NumberedList<E extends Numbered, V> {

  private final List<E> entries;
  private final References<E> references;
  private final int highestNumber;

  /**
   * Creates a list of the present entries.
   *
   * @param kind the name of the kind in messages, such as {@code task}
   * @param letter the letter before numbers, such as {@code t}
   */
  protected NumberedList(NumberedState<E> state, String kind, char letter) {
    this.references = state.references(kind, letter);
    this.entries = references.things();
    this.highestNumber = state.highestNumber();
  }

  /** Returns the view of the entry at an index. */
  public abstract V view(int index);

  /** Returns the views of all entries in the order of their numbers, created on demand. */
  public final List<V> list() {
    return new Views();
  }

  /**
   * Returns the view of the entry with a reference.
   *
   * @throws RalphException as {@link #find}
   */
  public final V get(String ref) {
    return view(find(ref));
  }

  /**
   * Returns the index of the entry with a reference.
   *
   * @throws RalphException NOT_FOUND if no entry matches, AMBIGUOUS if several match; the message
   *     names some entries
   */
  public final int find(String ref) {
    return references.find(ref);
  }

  /** Returns the number of entries. */
  public final int size() {
    return entries.size();
  }

  /** Returns the entry at an index. */
  public final E entry(int index) {
    return entries.get(index);
  }

  /** Returns all entries in the order of their numbers. */
  public final List<E> entries() {
    return entries;
  }

  /** Returns the highest number assigned so far, or 0. */
  public final int highestNumber() {
    return highestNumber;
  }

  /** Returns the shortest unique prefix of the id, at least 8 characters. */
  public final String shortId(int index) {
    return references.shortId(index);
  }

  /** Returns the reference by number, such as {@code t12}. */
  public final String reference(int index) {
    return references.number(index);
  }

  /** Returns the reference by number and the beginning of the text, for messages. */
  public final String describe(int index) {
    return references.describe(index);
  }

  private final class Views extends AbstractList<V> implements RandomAccess {
    @Override
    public int size() {
      return entries.size();
    }

    @Override
    public V get(int index) {
      return view(index);
    }
  }

  /** The base class of views. */
  protected abstract class Shown {
    /** The index of the entry. */
    protected final int index;

    /** The entry. */
    protected final E entry;

    /** Creates the view of the entry at an index. */
    protected Shown(int index) {
      this.index = index;
      this.entry = entries.get(index);
    }

    /** Returns the id of the frame that added the entry. */
    public final String id() {
      return entry.id();
    }

    /** Returns the shortest unique prefix of the id. */
    public final String shortId() {
      return references.shortId(index);
    }

    /** Returns the number. */
    public final int number() {
      return entry.number();
    }

    /**
     * Returns all other values of the view, for {@code equals}. The abbreviated id is not a value,
     * because it depends on other entries.
     */
    protected abstract List<?> values();

    @Override
    public final boolean equals(Object other) {
      if (other == null || other.getClass() != getClass()) {
        return false;
      }
      NumberedList<?, ?>.Shown that = (NumberedList<?, ?>.Shown) other;
      return id().equals(that.id()) && number() == that.number() && values().equals(that.values());
    }

    @Override
    public final int hashCode() {
      return id().hashCode();
    }
  }
}

package dev.ralph.domain;

import dev.ralph.log.RalphException;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/**
 * All things of one kind at one moment, by increasing number: what a fold shows of a {@link
 * NumberedState}. Immutable; safe for use by many threads.
 *
 * <p>A thing is referred to by the kind's letter and its number ({@code t12}; a number alone is no
 * reference, because agents take it for a count), by its id, or by the beginning of its id, of 8
 * characters at least.
 *
 * @param <E> what the fold keeps of a thing
 * @param <V> how a thing is shown
 */
public abstract class NumberedList<E extends Numbered, V> {

  private final List<E> entries;
  private final References<E> references;
  private final int highestNumber;

  /**
   * Makes the list of the things as they stand.
   *
   * @param kind what one of them is called in messages, such as {@code task}
   * @param letter what stands before their numbers, such as {@code t}
   */
  protected NumberedList(NumberedState<E> state, String kind, char letter) {
    this.references = state.references(kind, letter);
    this.entries = references.things();
    this.highestNumber = state.highestNumber();
  }

  /** Returns the thing at that index, as it is shown. */
  public abstract V view(int index);

  /** Returns all in the order they were added, each shown when it is asked for. */
  public final List<V> list() {
    return new Views();
  }

  /**
   * Returns the thing referred to, as it is shown.
   *
   * @throws RalphException as {@link #find} does
   */
  public final V get(String ref) {
    return view(find(ref));
  }

  /**
   * Returns the index of the thing referred to.
   *
   * @throws RalphException NOT_FOUND if there is none, AMBIGUOUS if it may be several; the message
   *     names some
   */
  public final int find(String ref) {
    return references.find(ref);
  }

  /** Returns how many things there are. */
  public final int size() {
    return entries.size();
  }

  /** Returns the thing at that index, as the fold keeps it. */
  public final E entry(int index) {
    return entries.get(index);
  }

  /** Returns all in the order they were added, as the fold keeps them. */
  public final List<E> entries() {
    return entries;
  }

  /** Returns the highest number that was ever given, 0 where none was. */
  public final int highestNumber() {
    return highestNumber;
  }

  /** Returns the shortest beginning of the id, of 8 characters or more, that only it has. */
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

  /** One thing with its place among the others: what every kind shows of it. */
  protected abstract class Shown {
    /** Its index. */
    protected final int index;

    /** What the fold keeps of it. */
    protected final E entry;

    /** Shows the thing at that index. */
    protected Shown(int index) {
      this.index = index;
      this.entry = entries.get(index);
    }

    /** Returns the id of the frame that added it. */
    public final String id() {
      return entry.id();
    }

    /** Returns the shortest beginning of the id that only this thing has. */
    public final String shortId() {
      return references.shortId(index);
    }

    /** Returns its number. */
    public final int number() {
      return entry.number();
    }

    /**
     * Returns all else that is shown of it, by which two are equal. Its abbreviated id is not among
     * these: that depends on the other things.
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

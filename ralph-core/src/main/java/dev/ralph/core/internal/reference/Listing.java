package dev.ralph.core.internal.reference;

import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/**
 * All things of one kind in a session at one moment, by increasing number. Immutable; safe for use
 * by many threads.
 *
 * @param <E> what the fold keeps of a thing
 * @param <V> how a thing is shown
 */
public abstract class Listing<E extends Referable, V> {

  protected final List<E> entries;
  protected final References<E> references;
  private final int highestNumber;

  /** Null until first asked for. Threads that ask at the same time make the same. */
  @Nullable private volatile List<V> list;

  /**
   * Makes the list of the things referred to.
   *
   * @param highestNumber the highest one that was ever given
   */
  protected Listing(References<E> references, int highestNumber) {
    this.entries = references.things();
    this.references = references;
    this.highestNumber = highestNumber;
  }

  /** Returns the thing at that index, as it is shown. */
  public abstract V view(int index);

  /** Returns all in the order they were added. */
  public final List<V> list() {
    List<V> known = list;
    if (known == null) {
      List<V> shown = new ArrayList<>(entries.size());
      for (int i = 0; i < entries.size(); i++) {
        shown.add(view(i));
      }
      known = List.copyOf(shown);
      list = known;
    }
    return known;
  }

  /** Returns the thing referred to, as it is shown. */
  public final V get(String ref) {
    return view(find(ref));
  }

  /** Returns the index of the thing referred to; see {@link References#find}. */
  public final int find(String ref) {
    return references.find(ref);
  }

  /** Returns the thing at that index. */
  public final E entry(int index) {
    return entries.get(index);
  }

  /** Returns the highest number that was ever given, 0 where none was. */
  public final int highestNumber() {
    return highestNumber;
  }

  /** One thing with its place among the others: what every kind shows of it. */
  protected abstract class Shown {
    protected final int index;
    protected final E entry;

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

    /** Returns its number in the session. */
    public final int number() {
      return entry.number();
    }
  }
}

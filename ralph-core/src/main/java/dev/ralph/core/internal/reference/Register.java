package dev.ralph.core.internal.reference;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;

/**
 * The state of a fold of numbered things: them in the order they were added, their numbers, and
 * where each stands. An index changes only where an earlier thing is removed. For one thread.
 */
public final class Register<E extends Referable> {

  private final List<E> entries = new ArrayList<>();
  private final Map<String, Integer> indexes = new HashMap<>();
  private final Numbering numbering;

  /** Null until a frame abbreviates an id, as only other programs do; then kept up to date. */
  @Nullable private TreeMap<String, Integer> idsInOrder;

  /** Of the present things; shared with the references made of them. */
  private IdIndex ids = new IdIndex();

  /** Makes an empty register that numbers things from the one after that number. */
  public Register(int highestNumber) {
    this.numbering = new Numbering(highestNumber);
  }

  /** Returns what gives new things their numbers. */
  public Numbering numbering() {
    return numbering;
  }

  /** Adds a thing of an id that is not there yet. */
  public void add(E entry) {
    indexes.put(entry.id(), entries.size());
    if (idsInOrder != null) {
      idsInOrder.put(entry.id(), entries.size());
    }
    entries.add(entry);
    ids = new IdIndex();
  }

  /** Removes a thing. Those behind it move up, but keep their numbers. */
  public void remove(int index) {
    indexes.remove(entries.remove(index).id());
    for (int i = index; i < entries.size(); i++) {
      indexes.put(entries.get(i).id(), i);
    }
    idsInOrder = null;
    ids = new IdIndex();
  }

  /** Returns whether there is a thing of that id. */
  public boolean contains(String id) {
    return indexes.containsKey(id);
  }

  /** Returns the index of the thing that a frame means, or -1 if that is none or not clear. */
  public int find(@Nullable String id) {
    if (id == null) {
      return -1;
    }
    Integer index = indexes.get(id);
    if (index != null) {
      return index;
    }
    if (id.length() < References.SHORTEST || id.length() >= References.WHOLE) {
      return -1;
    }
    return findBeginning(id);
  }

  private int findBeginning(String id) {
    TreeMap<String, Integer> ordered = idsInOrder;
    if (ordered == null) {
      ordered = new TreeMap<>(indexes);
      idsInOrder = ordered;
    }
    Map.Entry<String, Integer> first = ordered.ceilingEntry(id);
    if (first == null || !first.getKey().startsWith(id)) {
      return -1;
    }
    String next = ordered.higherKey(first.getKey());
    return next != null && next.startsWith(id) ? -1 : first.getValue();
  }

  /** Returns the thing at that index. */
  public E get(int index) {
    return entries.get(index);
  }

  /** Puts a changed thing in place of the former one of the same id. */
  public void set(int index, E entry) {
    entries.set(index, entry);
  }

  /** Returns how many things there are. */
  public int size() {
    return entries.size();
  }

  /**
   * Returns the references to the things as they stand, which do not change any more.
   *
   * @param kind what the things are called in messages
   * @param letter what stands before their numbers
   */
  public References<E> references(String kind, char letter) {
    return new References<>(kind, letter, List.copyOf(entries), ids);
  }
}

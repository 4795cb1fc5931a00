package dev.ralph.domain;

import dev.ralph.log.Frame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of a fold of numbered things, in the order they were added. An index changes only where
 * an earlier thing is removed. For one thread at a time, as every state of a fold.
 *
 * @param <E> what the fold keeps of a thing: best immutable, because what is shown shares it
 */
public final class NumberedState<E extends Numbered> {

  /** Far above any real number; a frame that claims more would use up the range. */
  private static final int HIGHEST_ACCEPTED = 1_000_000_000;

  private final List<E> entries = new ArrayList<>();
  private final Map<String, Integer> indexes = new HashMap<>();
  private int highestNumber;

  /** Null until a frame abbreviates an id, as only other programs do; then kept up to date. */
  private @Nullable TreeMap<String, Integer> idsInOrder;

  /** Of the present things; shared with the references made of them. */
  private IdIndex ids = new IdIndex();

  /** Makes the state of no frames: nothing is there, and the first number is 1. */
  public NumberedState() {}

  /**
   * Returns the number of the thing that the frame adds; ask once for each.
   *
   * <p>Numbers begin at 1 and increase: the frame's own {@code n} counts if it is higher than all
   * before, else the thing gets the next number, as do things written by programs that know no
   * numbers. So a number never changes and never stands for two things.
   */
  public int takeNumber(Frame frame) {
    OptionalLong own = frame.meta().integer("n");
    if (own.isPresent() && own.getAsLong() > highestNumber && own.getAsLong() <= HIGHEST_ACCEPTED) {
      highestNumber = (int) own.getAsLong();
    } else {
      highestNumber++;
    }
    return highestNumber;
  }

  /** Returns the highest number that was ever given, 0 where none was. */
  public int highestNumber() {
    return highestNumber;
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

  /**
   * Returns the index of the thing that a frame means.
   *
   * @param id the whole id, or its first 8 characters or more; null where the frame has none
   * @return -1 if that is none or not clear
   */
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

  /** Returns the references to the things as they stand, which do not change any more. */
  References<E> references(String kind, char letter) {
    return new References<>(kind, letter, List.copyOf(entries), ids);
  }

  /**
   * Keeps the state in snapshots, one thing after the other.
   *
   * @param <E> what the fold keeps of a thing
   */
  public abstract static class Codec<E extends Numbered> extends JsonCodec<NumberedState<E>> {

    /** Makes a codec; keep it in a constant. */
    protected Codec() {}

    /** Writes the values of one thing. */
    protected abstract void writeEntry(E entry, Output out) throws IOException;

    /**
     * Reads one thing's values back, in the same order.
     *
     * @param size how many things there are in all, to check indexes that the thing keeps
     */
    protected abstract E readEntry(Input in, int size) throws IOException;

    @Override
    protected final void write(NumberedState<E> state, Output out) throws IOException {
      out.number(state.highestNumber);
      out.number(state.size());
      for (int i = 0; i < state.size(); i++) {
        writeEntry(state.get(i), out);
      }
    }

    @Override
    protected final NumberedState<E> read(Input in) throws IOException {
      NumberedState<E> state = new NumberedState<>();
      state.highestNumber = in.count();
      int size = in.count();
      for (int i = 0; i < size; i++) {
        state.add(readEntry(in, size));
      }
      return state;
    }
  }
}

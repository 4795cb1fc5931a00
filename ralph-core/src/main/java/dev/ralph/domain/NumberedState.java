package dev.ralph.domain;

import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of a fold of numbered things, in the order they were added. An index changes only where
 * an earlier thing is removed. For one thread at a time, as every state of a fold.
 *
 * @param <E> what the fold keeps of a thing: immutable, because threads share what is shown
 */
public final class NumberedState<E extends Numbered> {

  /** Far above any real number; a frame that claims more would use up the range. */
  private static final int HIGHEST_ACCEPTED = 1_000_000_000;

  /** The action of a frame that says nothing but that a number was given. */
  private static final String NUMBERED = "numbered";

  /** As many as a short command makes on what a snapshot held, and what came behind it. */
  private static final int FEW_LOOKUPS = 8;

  /** To put so many things into the table takes as long as to look for one of them without it. */
  private static final int THINGS_PER_LOOKUP = 500;

  private final PieceList<E> entries;
  private int highestNumber;

  /** How many things were looked for without the table. */
  private int lookups;

  /** Whether each id is greater than that of the thing before, as those that stores mint are. */
  private boolean increasing = true;

  /** Null until an id is looked for that isn't the newest. */
  private @Nullable IdTable table;

  /**
   * Null until a frame abbreviates an id, as only other programs do, and ids don't increase; then
   * kept up to date.
   */
  private @Nullable TreeMap<String, Integer> idsInOrder;

  /** Of the present things; shared with the references made of them. */
  private IdIndex ids = new IdIndex(true);

  /** What the state was read from, until a thing is removed; for things that were not asked for. */
  private @Nullable Saved<E> saved;

  /** Makes the state of no frames: nothing is there, and the first number is 1. */
  public NumberedState() {
    this.entries = new PieceList<>();
  }

  private NumberedState(Saved<E> saved) {
    this.entries = new PieceList<>(saved.size, saved);
    this.saved = saved;
    this.highestNumber = saved.highestNumber;
    this.increasing = saved.increasing;
    this.ids = new IdIndex(increasing);
  }

  /**
   * Returns the number of the thing that the frame adds; ask once for each.
   *
   * <p>Numbers begin at 1 and increase: the frame's own {@code n} counts if it is higher than all
   * before, else the thing gets the next number, as do things written by programs that know no
   * numbers. So a number never changes and never stands for two things.
   */
  public int takeNumber(Frame frame) {
    highestNumber = Math.max(highestNumber + 1, givenNumber(frame.meta()));
    return highestNumber;
  }

  /**
   * Keeps a number from being given again after the frame that gave it was erased: a frame {@code
   * {action:numbered, n}} says so, which {@link dev.ralph.log.FrameLog#erase(java.util.Collection)}
   * appends where {@link dev.ralph.Ralph#log()} is asked to erase. Any other frame changes nothing.
   *
   * <p>Call this with each frame, or with those whose action the fold does not know. A fold that
   * does not would give the number of an erased thing to the next one.
   */
  public void keepNumber(Frame frame) {
    Meta meta = frame.meta();
    if (NUMBERED.equals(meta.string("action"))) {
      highestNumber = Math.max(highestNumber, givenNumber(meta));
    }
  }

  /**
   * Returns the frame to append to a topic before frames of it are erased, so that {@link
   * #keepNumber} can tell their numbers; empty if they have none.
   *
   * @param erased frames of that topic
   */
  public static Optional<Draft> keepingNumbers(Topic topic, Collection<Frame> erased) {
    int highest = erased.stream().mapToInt(frame -> givenNumber(frame.meta())).max().orElse(0);
    return highest == 0
        ? Optional.empty()
        : Optional.of(Draft.of(topic, Meta.of("action", NUMBERED).with("n", highest)));
  }

  /** Returns the number that a frame claims, 0 if none or one that nothing can have. */
  private static int givenNumber(Meta meta) {
    long own = meta.integer("n").orElse(0);
    return own > 0 && own <= HIGHEST_ACCEPTED ? (int) own : 0;
  }

  /** Returns the highest number that was ever given, 0 where none was. */
  public int highestNumber() {
    return highestNumber;
  }

  /** Adds a thing of an id that is not there yet. */
  public void add(E entry) {
    increasing = increasing && isNewest(entry.id());
    if (table != null) {
      table.add(entry.id().hashCode(), entries.size());
    }
    if (idsInOrder != null) {
      idsInOrder.put(entry.id(), entries.size());
    }
    entries.add(entry);
    ids = new IdIndex(increasing);
  }

  /**
   * Returns whether the id is greater than those of all things, which is known if they increase.
   */
  private boolean isNewest(String id) {
    return entries.size() == 0 || entries.get(entries.size() - 1).id().compareTo(id) < 0;
  }

  /** Removes a thing. Those behind it move up, but keep their numbers. */
  public void remove(int index) {
    entries.remove(index);
    saved = null;
    table = null;
    idsInOrder = null;
    ids = new IdIndex(increasing);
  }

  /** Returns whether there is a thing of that id. */
  public boolean contains(String id) {
    return !(increasing && isNewest(id)) && table().find(id) >= 0;
  }

  private IdTable table() {
    IdTable known = table;
    if (known == null) {
      known = new IdTable(entries);
      known.reserve(entries.size());
      for (int i = 0; i < entries.size(); i++) {
        known.add(hash(i), i);
      }
      table = known;
    }
    return known;
  }

  /** Returns the hash code of a thing's id, without reading the thing if it is in a snapshot. */
  private int hash(int index) {
    return saved == null || entries.isRead(index)
        ? entries.get(index).id().hashCode()
        : saved.hash(index);
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
    int index = findWhole(id);
    if (index >= 0) {
      return index;
    }
    if (id.length() < References.SHORTEST || id.length() >= References.WHOLE) {
      return -1;
    }
    return findBeginning(id);
  }

  /** Looks for few things without the table, which takes longer to make than they do. */
  private int findWhole(String id) {
    if (table != null
        || !increasing
        || saved == null
        || ++lookups > FEW_LOOKUPS + entries.size() / THINGS_PER_LOOKUP) {
      return table().find(id);
    }
    int low = 0;
    int high = entries.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = entries.get(middle).id().compareTo(id);
      if (order == 0) {
        return middle;
      } else if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }

  private int findBeginning(String id) {
    if (increasing) {
      List<E> things = entries.copy();
      int rank = ids.firstRank(id, things);
      return ids.endRank(id, rank, things) - rank == 1 ? ids.indexOf(rank, things) : -1;
    }
    TreeMap<String, Integer> ordered = idsInOrder;
    if (ordered == null) {
      ordered = new TreeMap<>();
      for (int i = 0; i < entries.size(); i++) {
        ordered.put(entries.get(i).id(), i);
      }
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
    return new References<>(kind, letter, entries.copy(), ids);
  }

  /**
   * Keeps the state in snapshots, each thing as a few values. A thing is read back when it is first
   * asked for, so that a reader who asks for few of many need not wait for the others.
   *
   * @param <E> what the fold keeps of a thing
   */
  public abstract static class Codec<E extends Numbered> implements Fold.Codec<NumberedState<E>> {

    /** Makes a codec; keep it in a constant. */
    protected Codec() {}

    /** Writes the values of one thing. */
    protected abstract void writeEntry(E entry, StateCodec.Output out);

    /**
     * Reads one thing's values back, in the same order.
     *
     * @param size how many things there are in all, to check indexes that the thing keeps
     */
    protected abstract E readEntry(StateCodec.Input in, int size) throws IOException;

    @Override
    public final byte[] encode(NumberedState<E> state) {
      int size = state.size();
      int[] ends = new int[size];
      StateCodec.Output out = new StateCodec.Output(Saved.columns(size));
      for (int i = 0; i < size; i++) {
        if (state.saved == null || state.entries.isRead(i)) {
          writeEntry(state.get(i), out);
        } else {
          state.saved.copy(i, out);
        }
        ends[i] = out.size();
      }
      ByteBuffer columns = out.front();
      columns
          .putInt(Saved.FORM)
          .putInt(size)
          .putInt(state.highestNumber)
          .putInt(state.increasing ? 1 : 0);
      for (int end : ends) {
        columns.putInt(end);
      }
      for (int i = 0; i < size; i++) {
        columns.putInt(state.hash(i));
      }
      return out.toByteArray();
    }

    @Override
    public final NumberedState<E> decode(byte[] bytes) {
      return decode(bytes, 0);
    }

    /**
     * Reads a state that was kept behind something else.
     *
     * @param bytes these must not change any more, because things are read from them later
     * @param from where the state begins; it ends with the bytes
     */
    public final NumberedState<E> decode(byte[] bytes, int from) {
      Saved<E> saved = new Saved<>(this, ByteBuffer.wrap(bytes, from, bytes.length - from).slice());
      NumberedState<E> state = new NumberedState<>(saved);
      if (saved.size > 0) {
        // What another program wrote in another form is found out here, not when it is shown.
        state.get(0);
        state.get(saved.size - 1);
      }
      return state;
    }
  }

  /** A state as it is kept: where each thing ends, the hash code of each id, then the things. */
  private static final class Saved<E extends Numbered> implements PieceList.Source<E> {

    /** Tells a state that was kept in this form from any other. */
    static final int FORM = 0x4e756d32;

    private static final int HEADER = 4 * Integer.BYTES;

    private final Codec<E> codec;
    private final ByteBuffer bytes;
    private final int size;
    private final int highestNumber;
    private final boolean increasing;

    Saved(Codec<E> codec, ByteBuffer bytes) {
      this.codec = codec;
      this.bytes = bytes;
      this.size = bytes.getInt(4);
      this.highestNumber = bytes.getInt(8);
      this.increasing = bytes.getInt(12) == 1;
      if (bytes.getInt(0) != FORM
          || size < 0
          || highestNumber < 0
          || size > bytes.limit() / (2 * Integer.BYTES)
          || end(size - 1) != bytes.limit()) {
        throw new IllegalArgumentException("no state of " + size + " things");
      }
    }

    /** Returns how many bytes stand before the things. */
    static int columns(int size) {
      return HEADER + 2 * Integer.BYTES * size;
    }

    private int end(int index) {
      return index < 0 ? columns(size) : bytes.getInt(HEADER + Integer.BYTES * index);
    }

    int hash(int index) {
      return bytes.getInt(HEADER + Integer.BYTES * (size + index));
    }

    @Override
    public E read(int index) {
      int begin = end(index - 1);
      try {
        StateCodec.Input in =
            new StateCodec.Input(bytes.duplicate().limit(end(index)).position(begin));
        E entry = codec.readEntry(in, size);
        in.expectEnd();
        return entry;
      } catch (IOException | RuntimeException e) {
        throw RalphException.damaged(
            "a state that the store keeps, below derived/snapshots, is not what was written; delete"
                + " that folder, and it is made again",
            e);
      }
    }

    void copy(int index, StateCodec.Output out) {
      int begin = end(index - 1);
      out.raw(bytes.array(), bytes.arrayOffset() + begin, end(index) - begin);
    }
  }
}

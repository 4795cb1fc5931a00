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
 * The state of a fold of numbered entries, in the order in which they were added. The index of an
 * entry changes only when an earlier entry is removed. Not thread-safe, like each state of a fold.
 *
 * @param <E> the entries, which are immutable because threads share them
 */
public final class NumberedState<E extends Numbered> {

  /**
   * The highest accepted number, far above real numbers. A higher claim would exhaust the range.
   */
  private static final int HIGHEST_ACCEPTED = 1_000_000_000;

  /** The action of a frame that only records an assigned number. */
  private static final String NUMBERED = "numbered";

  /** The number of lookups of a short command, which need no table. */
  private static final int FEW_LOOKUPS = 8;

  /**
   * The number of entries whose insertion into the table takes as long as one lookup without it.
   */
  private static final int THINGS_PER_LOOKUP = 500;

  private final PieceList<E> entries;
  private int highestNumber;

  /** The number of lookups without the table. */
  private int lookups;

  /** Whether each id is greater than the id before, like ids that a store creates. */
  private boolean increasing = true;

  /** The table; null until the first lookup of an older id. */
  private @Nullable IdTable table;

  /**
   * The sorted ids; null until a frame of another program abbreviates an id although ids do not
   * increase.
   */
  private @Nullable TreeMap<String, Integer> idsInOrder;

  /** The index of the present ids, shared with the references. */
  private IdIndex ids = new IdIndex(true);

  /** The snapshot with entries that were not read yet; null after a removal. */
  private @Nullable Saved<E> saved;

  /** Creates an empty state, whose first number is 1. */
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
   * Assigns a number to the entry of a frame. Call the method once per frame.
   *
   * <p>Numbers increase from 1. The number {@code n} of the frame is used if it is higher than all
   * earlier numbers. Otherwise, and for frames without a number, the next number is used. So the
   * number of an entry never changes, and two entries never have the same number.
   */
  public int takeNumber(Frame frame) {
    highestNumber = Math.max(highestNumber + 1, givenNumber(frame.meta()));
    return highestNumber;
  }

  /**
   * Reserves the number of an erased entry, so that it is not assigned again. {@link
   * dev.ralph.log.FrameLog#erase(java.util.Collection)} of {@link dev.ralph.Ralph#log()} appends a
   * frame {@code {action:numbered, n}} for that purpose. Other frames have no effect.
   *
   * <p>Call the method with each frame, or with each frame whose action the fold does not know.
   * Otherwise the fold would assign the number of an erased entry again.
   */
  public void keepNumber(Frame frame) {
    Meta meta = frame.meta();
    if (NUMBERED.equals(meta.string("action"))) {
      highestNumber = Math.max(highestNumber, givenNumber(meta));
    }
  }

  /**
   * Returns the frame to append to a topic before some of its frames are erased, which reserves
   * their numbers for {@link #keepNumber}; empty if the frames have no numbers.
   *
   * @param erased the frames to erase
   */
  public static Optional<Draft> keepingNumbers(Topic topic, Collection<Frame> erased) {
    int highest = erased.stream().mapToInt(frame -> givenNumber(frame.meta())).max().orElse(0);
    return highest == 0
        ? Optional.empty()
        : Optional.of(Draft.of(topic, Meta.of("action", NUMBERED).with("n", highest)));
  }

  /** Returns the number that a frame claims, or 0 if it is missing or invalid. */
  private static int givenNumber(Meta meta) {
    long own = meta.integer("n").orElse(0);
    return own > 0 && own <= HIGHEST_ACCEPTED ? (int) own : 0;
  }

  /** Returns the highest number assigned so far, or 0. */
  public int highestNumber() {
    return highestNumber;
  }

  /** Adds an entry with a new id. */
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

  /** Returns whether the id is greater than all ids. Known only if the ids increase. */
  private boolean isNewest(String id) {
    return entries.size() == 0 || entries.get(entries.size() - 1).id().compareTo(id) < 0;
  }

  /** Removes an entry. The indexes of later entries decrease; their numbers stay. */
  public void remove(int index) {
    entries.remove(index);
    saved = null;
    table = null;
    idsInOrder = null;
    ids = new IdIndex(increasing);
  }

  /** Returns whether an entry has an id. */
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

  /** Returns the hash code of an entry's id, without reading the entry from a snapshot. */
  private int hash(int index) {
    return saved == null || entries.isRead(index)
        ? entries.get(index).id().hashCode()
        : saved.hash(index);
  }

  /**
   * Returns the index of the entry to which a frame refers.
   *
   * @param id the id or a prefix of at least 8 characters; null if the frame has none
   * @return -1 if no entry or several entries match
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

  /** Searches without the table for the first lookups, which are faster than building the table. */
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

  /** Returns the entry at an index. */
  public E get(int index) {
    return entries.get(index);
  }

  /** Replaces an entry by an entry with the same id. */
  public void set(int index, E entry) {
    entries.set(index, entry);
  }

  /** Returns the number of entries. */
  public int size() {
    return entries.size();
  }

  /** Returns immutable references to the present entries. */
  References<E> references(String kind, char letter) {
    return new References<>(kind, letter, entries.copy(), ids);
  }

  /**
   * Encodes the state for snapshots, each entry as a few values. Entries are decoded on demand, so
   * reading few of many entries is fast.
   *
   * @param <E> the entries
   */
  public abstract static class Codec<E extends Numbered> implements Fold.Codec<NumberedState<E>> {

    /** Creates a codec; keep it in a constant. */
    protected Codec() {}

    /** Writes the values of an entry. */
    protected abstract void writeEntry(E entry, StateCodec.Output out);

    /**
     * Reads the values of an entry in the same order.
     *
     * @param size the number of all entries, to check indexes in the entry
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
     * Reads a state from the end of an array.
     *
     * @param bytes the array, which must not change because entries are read from it later
     * @param from the start of the state, which extends to the end of the array
     */
    public final NumberedState<E> decode(byte[] bytes, int from) {
      Saved<E> saved = new Saved<>(this, ByteBuffer.wrap(bytes, from, bytes.length - from).slice());
      NumberedState<E> state = new NumberedState<>(saved);
      if (saved.size > 0) {
        // An incompatible snapshot of another program fails here, not when an entry is read later.
        state.get(0);
        state.get(saved.size - 1);
      }
      return state;
    }
  }

  /** An encoded state: the end of each entry, the hash code of each id, then the entries. */
  private static final class Saved<E extends Numbered> implements PieceList.Source<E> {

    /** The first number of this encoding. */
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
        throw new IllegalArgumentException("not a state of " + size + " entries");
      }
    }

    /** Returns the number of bytes before the entries. */
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
            "a snapshot below derived/snapshots is damaged; delete this folder, and the"
                + " snapshots are created again",
            e);
      }
    }

    void copy(int index, StateCodec.Output out) {
      int begin = end(index - 1);
      out.raw(bytes.array(), bytes.arrayOffset() + begin, end(index) - begin);
    }
  }
}

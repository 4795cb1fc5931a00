package dev.ralph.tx;

import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The observations of a folder's files up to a frame of the log. All instances share one growing
 * state: each reads only up to its own size. Immutable; safe for use by many threads.
 */
final class FileObservations implements ObservationIndex {

  /** Increase this version if the format of {@link PackedIndex} changes, including new kinds. */
  private static final int VERSION = 3;

  /** Folds frames. */
  static final Fold<State, FileObservations> FOLD =
      Fold.of("ralph.tx.files", VERSION, State::new, State::add, State::result, PackedIndex.CODEC);

  /** The kinds after which a repaired file is observed again. */
  private static final Set<TxEvent.Kind> OPEN =
      EnumSet.of(
          TxEvent.Kind.UNREADABLE,
          TxEvent.Kind.FAILED,
          TxEvent.Kind.REFUSED,
          TxEvent.Kind.EXPIRED,
          TxEvent.Kind.OTHER_TEXT,
          TxEvent.Kind.RENAMED);

  private final State state;
  private final AtomicReferenceArray<FileObservation> all;
  private final int size;

  private FileObservations(State state, AtomicReferenceArray<FileObservation> all, int size) {
    this.state = state;
    this.all = all;
    this.size = size;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public FileObservation get(int index) {
    int before = state.before.size();
    return index < before
        ? state.before.get(index)
        : all.get(Objects.checkIndex(index, size) - before);
  }

  @Override
  public TxEvent.Kind kind(int index) {
    return index < state.before.size() ? state.before.kind(index) : get(index).kind();
  }

  @Override
  public int ofFile(String name) {
    int[] indexes = state.byFile.getOrDefault(name, NONE);
    for (int i = indexes.length - 1; i >= 0; i--) {
      if (indexes[i] < size) {
        return indexes[i];
      }
    }
    return state.before.ofFile(name);
  }

  @Override
  public int taken(String id) {
    int before = state.before.taken(id);
    int index = before < 0 ? state.taken.getOrDefault(id, -1) : before;
    return index < size ? index : -1;
  }

  @Override
  public int refused(String id) {
    int before = state.before.refused(id);
    int index = before < 0 ? state.refused.getOrDefault(id, -1) : before;
    return index < size ? index : -1;
  }

  @Override
  public int[] answering(String id) {
    int[] before = state.before.answering(id);
    int[] later = state.answers.getOrDefault(id, NONE);
    return IntStream.concat(IntStream.of(before), IntStream.of(later).filter(i -> i < size))
        .toArray();
  }

  /**
   * Returns the last observation of each file that was not ingested, or changed since, oldest
   * first.
   */
  List<FileObservation> steppedOver() {
    int[] indexes =
        IntStream.range(0, size)
            .filter(i -> kind(i) != TxEvent.Kind.TAKEN && ofFile(get(i).file()) == i)
            .toArray();
    return new AbstractList<>() {
      @Override
      public FileObservation get(int i) {
        return FileObservations.this.get(indexes[i]);
      }

      @Override
      public int size() {
        return indexes.length;
      }
    };
  }

  /** Returns the last observation of a file name, or null. */
  @Nullable FileObservation lastOfFile(String name) {
    int index = ofFile(name);
    return index < 0 ? null : get(index);
  }

  /** Returns the observation of the first ingested message with a msg-id, or null. */
  @Nullable FileObservation firstTaken(String id) {
    int index = taken(id);
    return index < 0 ? null : get(index);
  }

  /** Returns the observations that come from a snapshot; none without a snapshot. */
  PackedIndex kept() {
    return state.before instanceof PackedIndex kept ? kept : PackedIndex.NONE;
  }

  /**
   * Returns whether the observations of a file are final. A file that was not delivered may still
   * be repaired.
   */
  boolean knows(String name) {
    int last = ofFile(name);
    return last >= 0 && !OPEN.contains(kind(last));
  }

  /** Returns whether a file is to be ingested: its present content was not observed yet. */
  boolean isNews(TxFile file) {
    FileObservation last = lastOfFile(file.name());
    if (last == null) {
      return true;
    }
    FileObservation taken = firstTaken(file.id());
    if (!OPEN.contains(last.kind()) || (taken != null && taken.file().equals(file.name()))) {
      return false;
    }
    return last.kind() == TxEvent.Kind.UNREADABLE
        || last.kind() == TxEvent.Kind.FAILED
        || !file.sha256().equals(last.sha256());
  }

  /**
   * Returns the route counts of a message's thread. Rejected messages belong to the thread too;
   * otherwise an answer to them would restart the count.
   */
  TxIterations before(TxMessage message) {
    String answered = message.inReplyTo();
    String id = message.id();
    TreeSet<Integer> thread = new TreeSet<>();
    Set<String> seen = new HashSet<>();
    Deque<String> next = new ArrayDeque<>();
    for (String begin : Arrays.asList(answered, id)) {
      if (begin != null && seen.add(begin)) {
        next.add(begin);
      }
    }
    while (!next.isEmpty()) {
      String at = next.remove();
      List<String> linked = new ArrayList<>();
      int taken = taken(at);
      int index = taken < 0 ? refused(at) : taken;
      if (index >= 0) {
        thread.add(index);
        String parent = get(index).message().inReplyTo();
        linked.add(parent == null ? at : parent);
      }
      for (int answer : answering(at)) {
        thread.add(answer);
        String child = get(answer).id();
        linked.add(child == null ? at : child);
      }
      linked.stream().filter(seen::add).forEach(next::add);
    }
    TxIterations iterations = TxIterations.NONE;
    for (int index : thread) {
      FileObservation sighting = get(index);
      boolean went = sighting.kind() == TxEvent.Kind.TAKEN;
      if (went || TxIterations.isRefusal(String.valueOf(sighting.why()))) {
        iterations = iterations.with(sighting.message());
      }
    }
    return iterations;
  }

  private static final int[] NONE = {};

  /**
   * The growing state of the fold, and the observations before it. Changed by one thread at a time.
   */
  static final class State {
    private final ObservationIndex before;
    private AtomicReferenceArray<FileObservation> all = new AtomicReferenceArray<>(64);

    /** The number of observations, including the earlier observations. */
    private int size;

    /** The indexes of observations, by file name. */
    private final Map<String, int[]> byFile = new ConcurrentHashMap<>();

    /** The index of the first ingested message, by msg-id. */
    private final Map<String, Integer> taken = new ConcurrentHashMap<>();

    /** The index of the first rejected message, by msg-id. */
    private final Map<String, Integer> refused = new ConcurrentHashMap<>();

    /** The indexes of ingested or rejected answers, by the msg-id of the answered message. */
    private final Map<String, int[]> answers = new ConcurrentHashMap<>();

    State() {
      this(PackedIndex.NONE);
    }

    /** Creates a state with earlier observations, which no longer change. */
    State(ObservationIndex before) {
      this.before = before;
      this.size = before.size();
    }

    void add(Frame frame) {
      FileObservation sighting = FileObservation.of(frame);
      if (sighting != null) {
        add(sighting);
      }
    }

    void add(FileObservation sighting) {
      int own = size - before.size();
      if (own == all.length()) {
        AtomicReferenceArray<FileObservation> larger = new AtomicReferenceArray<>(2 * own);
        for (int i = 0; i < own; i++) {
          larger.setPlain(i, all.getPlain(i));
        }
        all = larger;
      }
      all.set(own, sighting);
      index(byFile, sighting.file());
      String id = sighting.id();
      boolean isTaken = sighting.kind() == TxEvent.Kind.TAKEN;
      if (id != null && (isTaken || sighting.kind() == TxEvent.Kind.REFUSED)) {
        (isTaken ? taken : refused).putIfAbsent(id, size);
        String answered = sighting.message().inReplyTo();
        if (answered != null) {
          index(answers, answered);
        }
      }
      size++;
    }

    private void index(Map<String, int[]> map, String key) {
      int[] known = map.getOrDefault(key, NONE);
      int[] more = Arrays.copyOf(known, known.length + 1);
      more[known.length] = size;
      map.put(key, more);
    }

    FileObservations result() {
      return new FileObservations(this, all, size);
    }
  }
}

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
 * What was found out about the files of a folder up to one frame of the log. Any number of these
 * share what they are made of, because that only grows: each looks no further than its own end.
 * Immutable; safe for use by many threads.
 */
final class Sightings implements Sighted {

  /** To be raised whenever what {@link KeptSightings} keeps changes, also by a kind more. */
  private static final int VERSION = 3;

  /** Folds frames. */
  static final Fold<State, Sightings> FOLD =
      Fold.of(
          "ralph.tx.files", VERSION, State::new, State::add, State::result, KeptSightings.CODEC);

  /** The files whose last finding may be mended. */
  private static final Set<TxEvent.Kind> OPEN =
      EnumSet.of(
          TxEvent.Kind.UNREADABLE,
          TxEvent.Kind.FAILED,
          TxEvent.Kind.REFUSED,
          TxEvent.Kind.EXPIRED,
          TxEvent.Kind.OTHER_TEXT,
          TxEvent.Kind.RENAMED);

  private final State state;
  private final AtomicReferenceArray<Sighting> all;
  private final int size;

  private Sightings(State state, AtomicReferenceArray<Sighting> all, int size) {
    this.state = state;
    this.all = all;
    this.size = size;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Sighting get(int index) {
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

  /** Returns the last of each file that was not taken up, or not as it was, oldest first. */
  List<Sighting> steppedOver() {
    int[] indexes =
        IntStream.range(0, size)
            .filter(i -> kind(i) != TxEvent.Kind.TAKEN && ofFile(get(i).file()) == i)
            .toArray();
    return new AbstractList<>() {
      @Override
      public Sighting get(int i) {
        return Sightings.this.get(indexes[i]);
      }

      @Override
      public int size() {
        return indexes.length;
      }
    };
  }

  /** Returns the last one of a file of that name, or null. */
  @Nullable Sighting lastOfFile(String name) {
    int index = ofFile(name);
    return index < 0 ? null : get(index);
  }

  /** Returns the first one that was taken up under that msg-id, or null. */
  @Nullable Sighting firstTaken(String id) {
    int index = taken(id);
    return index < 0 ? null : get(index);
  }

  /** Returns those of a snapshot that it begins with; none if it begins with no snapshot. */
  KeptSightings kept() {
    return state.before instanceof KeptSightings kept ? kept : KeptSightings.NONE;
  }

  /**
   * Returns whether nothing remains to be found out about the file of that name. One that was not
   * delivered may be mended.
   */
  boolean knows(String name) {
    int last = ofFile(name);
    return last >= 0 && !OPEN.contains(kind(last));
  }

  /** Returns whether a file is to be taken up as it is now: what it says was not looked at yet. */
  boolean isNews(TxFile file) {
    Sighting last = lastOfFile(file.name());
    if (last == null) {
      return true;
    }
    Sighting taken = firstTaken(file.id());
    if (!OPEN.contains(last.kind()) || (taken != null && taken.file().equals(file.name()))) {
      return false;
    }
    return last.kind() == TxEvent.Kind.UNREADABLE
        || last.kind() == TxEvent.Kind.FAILED
        || !file.sha256().equals(last.sha256());
  }

  /**
   * Returns how often the thread of a message has gone each way. What was refused is of the thread
   * as well, or an answer to it would begin to count from zero.
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
      Sighting sighting = get(index);
      boolean went = sighting.kind() == TxEvent.Kind.TAKEN;
      if (went || TxIterations.isRefusal(String.valueOf(sighting.why()))) {
        iterations = iterations.with(sighting.message());
      }
    }
    return iterations;
  }

  private static final int[] NONE = {};

  /** What grows with the log, and what was there before it. Changed by one thread at a time. */
  static final class State {
    private final Sighted before;
    private AtomicReferenceArray<Sighting> all = new AtomicReferenceArray<>(64);

    /** With those before. */
    private int size;

    /** Where the sightings of a name are. */
    private final Map<String, int[]> byFile = new ConcurrentHashMap<>();

    /** Where a message of that id was taken up first. */
    private final Map<String, Integer> taken = new ConcurrentHashMap<>();

    /** Where a message of that id was refused first. */
    private final Map<String, Integer> refused = new ConcurrentHashMap<>();

    /** Where what answers a message of that id was taken up or refused. */
    private final Map<String, int[]> answers = new ConcurrentHashMap<>();

    State() {
      this(KeptSightings.NONE);
    }

    /** Begins with those; they do not change any more. */
    State(Sighted before) {
      this.before = before;
      this.size = before.size();
    }

    void add(Frame frame) {
      Sighting sighting = Sighting.of(frame);
      if (sighting != null) {
        add(sighting);
      }
    }

    void add(Sighting sighting) {
      int own = size - before.size();
      if (own == all.length()) {
        AtomicReferenceArray<Sighting> larger = new AtomicReferenceArray<>(2 * own);
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

    Sightings result() {
      return new Sightings(this, all, size);
    }
  }
}

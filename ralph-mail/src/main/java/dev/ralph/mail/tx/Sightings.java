package dev.ralph.mail.tx;

import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What was found out about the files of a folder up to one frame of the log. Any number of these
 * share what they are made of, because that only grows: each looks no further than its own end.
 * Immutable; safe for use by many threads.
 */
final class Sightings {

  /** Folds frames. */
  static final Fold<State, Sightings> FOLD =
      Fold.of("ralph.tx.files", State::new, State::add, State::result);

  private final State state;
  private final AtomicReferenceArray<Sighting> all;
  private final int size;

  private Sightings(State state, AtomicReferenceArray<Sighting> all, int size) {
    this.state = state;
    this.all = all;
    this.size = size;
  }

  /** Returns all, oldest first. */
  List<Sighting> all() {
    List<Sighting> found = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      found.add(all.get(i));
    }
    return found;
  }

  /** Returns the last one of a file of that name, or null. */
  @Nullable Sighting ofFile(String name) {
    return last(state.byFile.getOrDefault(name, NONE));
  }

  /** Returns the first one that was taken up under that msg-id, or null. */
  @Nullable Sighting taken(String id) {
    int[] found = state.taken.get(id);
    return found == null || found[0] >= size ? null : all.get(found[0]);
  }

  /** Returns the agents that something was taken up for, in the order of their first message. */
  List<TxAddress> agents() {
    return state.agents.entrySet().stream()
        .filter(agent -> agent.getValue() < size)
        .sorted(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .toList();
  }

  private @Nullable Sighting last(int[] indexes) {
    for (int i = indexes.length - 1; i >= 0; i--) {
      if (indexes[i] < size) {
        return all.get(indexes[i]);
      }
    }
    return null;
  }

  /**
   * Returns whether nothing remains to be found out about the file of that name. One of which
   * nothing was delivered may be mended.
   */
  boolean knows(String name) {
    Sighting last = ofFile(name);
    return last != null && (last.kind() == TxEvent.Kind.ORPHAN || wasTaken(name));
  }

  /** Returns whether a message was taken up out of the file of that name. */
  boolean wasTaken(String name) {
    for (int index : state.byFile.getOrDefault(name, NONE)) {
      if (index < size && all.get(index).kind() == TxEvent.Kind.TAKEN) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a file is to be taken up as it is now: what it says was not looked at yet. */
  boolean isNews(TxFile file) {
    Sighting last = ofFile(file.name());
    if (last == null) {
      return true;
    }
    boolean isAgain = last.kind() == TxEvent.Kind.UNREADABLE || last.kind() == TxEvent.Kind.FAILED;
    return !knows(file.name()) && (isAgain || !file.sha256().equals(last.sha256()));
  }

  /** Returns how often the thread of a message has gone each way. */
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
      for (int index : state.taken.getOrDefault(at, NONE)) {
        if (index < size) {
          thread.add(index);
          String parent = all.get(index).message().inReplyTo();
          linked.add(parent == null ? at : parent);
        }
      }
      for (int index : state.answers.getOrDefault(at, NONE)) {
        if (index < size) {
          String child = all.get(index).id();
          linked.add(child == null ? at : child);
        }
      }
      linked.stream().filter(seen::add).forEach(next::add);
    }
    TxIterations iterations = TxIterations.NONE;
    for (int index : thread) {
      iterations = iterations.with(all.get(index).message());
    }
    return iterations;
  }

  private static final int[] NONE = {};

  /** What grows with the log. Changed by one thread at a time. */
  static final class State {
    private AtomicReferenceArray<Sighting> all = new AtomicReferenceArray<>(64);
    private int size;

    /** Where the sightings of a name are. */
    private final Map<String, int[]> byFile = new ConcurrentHashMap<>();

    /** Where a message of that id was taken up: once. */
    private final Map<String, int[]> taken = new ConcurrentHashMap<>();

    /** Where what answers a message of that id was taken up. */
    private final Map<String, int[]> answers = new ConcurrentHashMap<>();

    /** Where the first message of an agent was taken up. */
    private final Map<TxAddress, Integer> agents = new ConcurrentHashMap<>();

    void add(Frame frame) {
      Sighting sighting = Sighting.of(frame);
      if (sighting == null) {
        return;
      }
      if (size == all.length()) {
        AtomicReferenceArray<Sighting> larger = new AtomicReferenceArray<>(2 * size);
        for (int i = 0; i < size; i++) {
          larger.setPlain(i, all.getPlain(i));
        }
        all = larger;
      }
      all.set(size, sighting);
      index(byFile, sighting.file());
      String id = sighting.id();
      if (sighting.kind() == TxEvent.Kind.TAKEN && id != null) {
        taken.putIfAbsent(id, new int[] {size});
        TxAddress to = sighting.message().to();
        if (to != null) {
          agents.putIfAbsent(to, size);
        }
        String answered = sighting.message().inReplyTo();
        if (answered != null) {
          index(answers, answered);
        }
      }
      size++;
    }

    private void index(Map<String, int[]> map, String key) {
      int[] before = map.getOrDefault(key, NONE);
      int[] after = Arrays.copyOf(before, before.length + 1);
      after[before.length] = size;
      map.put(key, after);
    }

    Sightings result() {
      return new Sightings(this, all, size);
    }
  }
}

package dev.ralph.core.internal.task;

import dev.ralph.Claim;
import dev.ralph.Task;
import dev.ralph.Task.Status;
import dev.ralph.TaskList;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.domain.IndexSet;
import dev.ralph.domain.NumberedList;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Meta;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** All tasks of a session at one moment. Immutable; safe for use by many threads. */
public final class Tasks extends NumberedList<TaskEntry, Task> {

  private final TaskSets sets;
  private final TextSource texts;

  /**
   * @param sets a copy
   * @param texts reads long task texts from the log
   */
  Tasks(NumberedState<TaskEntry> state, TaskSets sets, TextSource texts) {
    super(state, "task", 't');
    this.sets = sets;
    this.texts = texts;
  }

  // ---- views

  @Override
  public Task view(int index) {
    return new TaskView(index);
  }

  /** Returns all tasks, as a list with selections. */
  public TaskList all() {
    return new Selection(IndexSet.below(size()), false);
  }

  /** Returns the ready tasks, the most urgent first. */
  public TaskList ready(Instant now) {
    return all().ready(now);
  }

  /** Returns whether all tasks are settled: cancelled, or completed with nothing left to merge. */
  public boolean areSettled() {
    return all().open().isEmpty() && sets.unmerged().size() == 0;
  }

  /**
   * Returns the tasks blocked by the attempt limit if they block all open tasks: each open task is
   * one of them or waits for one. Returns an empty list otherwise.
   */
  public List<Task> allOutOfAttempts() {
    List<Task> outOfAttempts = new ArrayList<>();
    IndexSet blocked = sets.of(Status.BLOCKED);
    for (int i = blocked.next(0); i >= 0; i = blocked.next(i + 1)) {
      if (!entry(i).isOutOfAttempts()) {
        return List.of();
      }
      outOfAttempts.add(view(i));
    }
    IndexSet others = sets.of(Status.REMAINING).or(sets.of(Status.IN_PROGRESS));
    boolean isEach =
        !outOfAttempts.isEmpty() && sets.unmerged().size() == 0 && allWaitForOutOfAttempts(others);
    return isEach ? outOfAttempts : List.of();
  }

  /** Returns whether each task of a set waits, directly or not, for a task at its attempt limit. */
  private boolean allWaitForOutOfAttempts(IndexSet some) {
    IndexSet waiting = new IndexSet();
    boolean isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (int i = some.next(0); i >= 0; i = some.next(i + 1)) {
        if (!waiting.contains(i) && waits(i, waiting)) {
          waiting.put(i, true);
          isChanged = true;
        }
      }
    }
    return waiting.size() == some.size();
  }

  private boolean waits(int index, IndexSet waiting) {
    for (int other : awaited(index)) {
      if (entry(other).isOutOfAttempts() || waiting.contains(other)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the indexes of the unsettled tasks with failed attempts that a text names, as {@code
   * t12}.
   */
  List<Integer> triedAndNamedIn(String text) {
    Set<String> numbers = namedIn(text);
    List<Integer> named = new ArrayList<>();
    for (int i = 0; i < size(); i++) {
      TaskEntry task = entry(i);
      if (task.attempts.count() > 0
          && !task.isSettled()
          && numbers.contains(String.valueOf(task.number()))) {
        named.add(i);
      }
    }
    return named;
  }

  /** Returns the numbers of the tasks named in a text, as {@code t12}. */
  static Set<String> namedIn(String text) {
    Set<String> numbers = new HashSet<>();
    for (int i = 0; i + 1 < text.length(); i++) {
      int end = i + 1;
      while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
        end++;
      }
      boolean isRef = end > i + 1 && "tT".indexOf(text.charAt(i)) >= 0;
      if (isRef && !isWordAt(text, i - 1) && !isWordAt(text, end)) {
        numbers.add(text.substring(i + 1, end));
      }
    }
    return numbers;
  }

  private static boolean isWordAt(String text, int index) {
    return index >= 0
        && index < text.length()
        && (Character.isLetterOrDigit(text.charAt(index)) || text.charAt(index) == '_');
  }

  /**
   * Returns the numbers and texts of the first tasks of a list.
   *
   * @param most the maximum number of tasks
   */
  public List<String> names(List<Task> some, int most) {
    return some.stream().limit(most).map(task -> describe(find(task.id()))).toList();
  }

  // ---- for decisions

  /** Returns whether a task's text equals a given text. */
  boolean hasText(int index, String text) {
    TaskEntry task = entry(index);
    return texts.is(task.textFrame(), task.text(), text);
  }

  /** Returns the ids of tasks added with a key, by key. Scans all tasks. */
  Map<String, String> keys() {
    Map<String, String> ids = new HashMap<>();
    for (TaskEntry task : entries()) {
      if (task.key != null) {
        ids.putIfAbsent(task.key, task.id());
      }
    }
    return ids;
  }

  /**
   * Returns the held claims of iterations, including expired claims.
   *
   * @param iteration selects iterations by number
   */
  List<Claim> heldFor(IntPredicate iteration) {
    List<Claim> held = new ArrayList<>();
    for (int i = sets.held().next(0); i >= 0; i = sets.held().next(i + 1)) {
      Claim claim = entry(i).claim();
      if (claim != null && iteration.test(claim.iteration())) {
        held.add(claim);
      }
    }
    return held;
  }

  /** Returns the index of the most urgent ready task, or -1. */
  int nextReady(Instant now) {
    IndexSet kept = leased(now);
    kept = kept.or(overlapping(kept));
    for (int priority = 0; priority <= TaskFold.LEAST_URGENT; priority++) {
      IndexSet urgent = sets.ofPriority(priority);
      int next = IndexSet.nextOfBoth(sets.free(), urgent, 0);
      while (next >= 0 && kept.contains(next)) {
        next = IndexSet.nextOfBoth(sets.free(), urgent, next + 1);
      }
      if (next >= 0) {
        return next;
      }
    }
    return -1;
  }

  /**
   * Returns the number of tasks that wait only because a task in the merge queue may touch the same
   * files.
   */
  int heldUpByMerge(Instant now) {
    IndexSet leased = leased(now);
    IndexSet byWork = overlapping(leased, leased);
    return overlapping(leased, sets.unmerged()).without(byWork).size();
  }

  private IndexSet leased(Instant now) {
    IndexSet leased = new IndexSet();
    for (int i = sets.held().next(0); i >= 0; i = sets.held().next(i + 1)) {
      leased.put(i, entry(i).isLeased(now));
    }
    return leased;
  }

  /**
   * Returns the free tasks that may touch the files of a leased task or of a task that waits to be
   * merged.
   */
  private IndexSet overlapping(IndexSet leased) {
    return overlapping(leased, leased.or(sets.unmerged()));
  }

  /**
   * Returns the free tasks, without the leased ones, that may touch the files of tasks of a set.
   */
  private IndexSet overlapping(IndexSet leased, IndexSet others) {
    IndexSet overlapping = new IndexSet();
    IndexSet busy = sets.touching().and(others);
    if (busy.size() == 0) {
      return overlapping;
    }
    IndexSet asked = sets.touching().and(sets.free()).without(leased);
    for (int i = asked.next(0); i >= 0; i = asked.next(i + 1)) {
      for (int other = busy.next(0); other >= 0; other = busy.next(other + 1)) {
        if (PathPatterns.overlap(entry(i).touches, entry(other).touches)) {
          overlapping.put(i, true);
          break;
        }
      }
    }
    return overlapping;
  }

  /** Returns the indexes of a task's unsettled dependencies. */
  List<Integer> awaited(int index) {
    List<Integer> awaited = new ArrayList<>();
    for (int dependency : entry(index).dependencies) {
      if (!entry(dependency).isSettled()) {
        awaited.add(dependency);
      }
    }
    return awaited;
  }

  /**
   * Returns the indexes on a path along dependencies from one task to another, both included, or an
   * empty list if no path exists.
   */
  List<Integer> path(int from, int to) {
    int[] cameFrom = new int[size()];
    Arrays.fill(cameFrom, -1);
    cameFrom[from] = from;
    int[] queue = new int[size()];
    int end = 0;
    queue[end++] = from;
    for (int at = 0; at < end && cameFrom[to] < 0; at++) {
      for (int next : entry(queue[at]).dependencies) {
        if (cameFrom[next] < 0) {
          cameFrom[next] = queue[at];
          queue[end++] = next;
        }
      }
    }
    List<Integer> path = new ArrayList<>();
    if (cameFrom[to] >= 0) {
      for (int at = to; at != from; at = cameFrom[at]) {
        path.add(0, at);
      }
      path.add(0, from);
    }
    return path;
  }

  /**
   * A position in a selection.
   *
   * @param priority the present priority, if the selection is sorted by urgency
   */
  private record Step(int place, int index, int priority) {}

  private static final Step START = new Step(-1, -1, 0);

  /** A selection of tasks, by number or by urgency. */
  private final class Selection extends AbstractList<Task> implements TaskList {

    private final IndexSet members;
    private final boolean urgentFirst;

    /** The indexes by place; null before the first access out of order. */
    private volatile int @Nullable [] indexes;

    /** The position of the last access by place. */
    private volatile Step last = START;

    Selection(IndexSet members, boolean urgentFirst) {
      this.members = members;
      this.urgentFirst = urgentFirst;
    }

    @Override
    public int size() {
      return members.size();
    }

    @Override
    public Task get(int place) {
      if (members.size() == Tasks.this.size() && !urgentFirst) {
        return view(place);
      }
      int[] known = indexes;
      if (known != null) {
        return view(known[place]);
      }
      Step before = place == 0 ? START : last;
      if (before.place + 1 == place && place < size()) {
        Step step = next(before);
        last = step;
        return view(step.index);
      }
      known = indexesByPlace();
      indexes = known; // concurrent threads compute equal arrays
      return view(known[place]);
    }

    private int[] indexesByPlace() {
      int[] all = new int[size()];
      Step step = START;
      for (int place = 0; place < all.length; place++) {
        step = next(step);
        all[place] = step.index;
      }
      return all;
    }

    /** Returns the next position. The position before must not be the last. */
    private Step next(Step before) {
      int index =
          urgentFirst
              ? IndexSet.nextOfBoth(members, sets.ofPriority(before.priority), before.index + 1)
              : members.next(before.index + 1);
      int priority = before.priority;
      while (index < 0) {
        priority++;
        index = IndexSet.nextOfBoth(members, sets.ofPriority(priority), 0);
      }
      return new Step(before.place + 1, index, priority);
    }

    /** {@inheritDoc} Computes positions only as far as the caller iterates. */
    @Override
    public Iterator<Task> iterator() {
      return new Iterator<>() {
        private Step at = START;

        @Override
        public boolean hasNext() {
          return at.place + 1 < size();
        }

        @Override
        public Task next() {
          if (!hasNext()) {
            throw new NoSuchElementException();
          }
          at = Selection.this.next(at);
          return view(at.index);
        }
      };
    }

    @Override
    public Map<Task.Status, Integer> counts() {
      Map<Task.Status, Integer> counts = new EnumMap<>(Task.Status.class);
      boolean all = members.size() == Tasks.this.size();
      for (Task.Status status : Task.Status.values()) {
        IndexSet those = sets.of(status);
        counts.put(status, (all ? those : those.and(members)).size());
      }
      return counts;
    }

    @Override
    public TaskList of(Task.Status... statuses) {
      IndexSet wanted = new IndexSet();
      for (Task.Status status : Objects.requireNonNull(statuses, "statuses")) {
        wanted = wanted.or(sets.of(Objects.requireNonNull(status, "status")));
      }
      return new Selection(members.and(wanted), urgentFirst);
    }

    @Override
    public TaskList toMerge() {
      return new Selection(members.and(sets.unmerged()), urgentFirst);
    }

    @Override
    public TaskList ready(Instant now) {
      return new Selection(readyMembers(Objects.requireNonNull(now, "now")), true);
    }

    private IndexSet readyMembers(Instant now) {
      IndexSet leased = leased(now);
      return members.and(sets.free()).without(leased).without(overlapping(leased));
    }

    @Override
    public TaskList waiting(Instant now) {
      Objects.requireNonNull(now, "now");
      IndexSet begins = sets.of(Task.Status.REMAINING).or(sets.of(Task.Status.IN_PROGRESS));
      return new Selection(members.and(begins).without(readyMembers(now)), false);
    }
  }

  /** The view of a task. */
  private final class TaskView extends Shown implements Task {

    TaskView(int index) {
      super(index);
    }

    @Override
    public Meta json() {
      return SessionJson.task(this, JsonProfile.FULL, Instant.now());
    }

    @Override
    public String content() {
      return texts.whole(entry.textFrame(), entry.text());
    }

    @Override
    public String beginning(int characters) {
      return texts.beginning(entry.textFrame(), entry.text(), characters);
    }

    @Override
    public int length() {
      return entry.text().length();
    }

    @Override
    public Status status() {
      return entry.status;
    }

    @Override
    public int priority() {
      return entry.priority();
    }

    @Override
    public List<String> dependencies() {
      String[] ids = new String[entry.dependencies.length];
      Arrays.setAll(ids, i -> entry(entry.dependencies[i]).id());
      return List.of(ids);
    }

    @Override
    public List<Task> awaited() {
      if (entry.status.isTerminal() || entry.dependencies.length == 0) {
        return List.of();
      }
      List<Task> awaited = new ArrayList<>();
      for (int other : Tasks.this.awaited(index)) {
        awaited.add(view(other));
      }
      return List.copyOf(awaited);
    }

    @Override
    public Instant added() {
      return entry.added();
    }

    @Override
    public int iteration() {
      return entry.iteration;
    }

    @Override
    public @Nullable Claim claim() {
      return entry.claim();
    }

    @Override
    public List<String> touches() {
      return entry.touches;
    }

    @Override
    public @Nullable String branch() {
      TaskBranch branch = entry.branch;
      return branch == null || branch.merged() != null ? null : branch.name();
    }

    @Override
    public boolean isSettled() {
      return entry.status == Status.COMPLETED && !entry.waitsForMerge();
    }

    @Override
    public @Nullable Instant mergedAt() {
      return entry.branch == null ? null : entry.branch.merged();
    }

    @Override
    public @Nullable String commit() {
      return entry.branch == null ? null : entry.branch.commit();
    }

    @Override
    public int attempts() {
      return entry.attempts.count();
    }

    @Override
    public int attemptLimit() {
      return entry.attempts.limit();
    }

    @Override
    public @Nullable String key() {
      return entry.key;
    }

    @Override
    public @Nullable String reason() {
      return entry.reason;
    }

    @Override
    protected List<?> values() {
      return Arrays.asList(
          entry.text(),
          entry.textFrame(),
          status(),
          priority(),
          dependencies(),
          added(),
          key(),
          iteration(),
          claim(),
          reason(),
          touches(),
          entry.branch,
          entry.attempts);
    }

    @Override
    public String toString() {
      return describe(index) + " (" + entry.status.word() + ")";
    }
  }
}

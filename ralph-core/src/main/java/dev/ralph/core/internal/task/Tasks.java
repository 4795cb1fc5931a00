package dev.ralph.core.internal.task;

import dev.ralph.Claim;
import dev.ralph.Task;
import dev.ralph.domain.NumberedList;
import dev.ralph.domain.NumberedState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All tasks of a session as they stand at one moment. Immutable; safe for use by many threads. */
public final class Tasks extends NumberedList<TaskEntry, Task> {

  Tasks(NumberedState<TaskEntry> state) {
    super(state, "task", 't');
  }

  // ---- what is shown

  @Override
  public Task view(int index) {
    return new TaskView(index);
  }

  /** Returns the tasks that can be worked on, the most urgent first. */
  public List<Task> ready(Instant now) {
    List<Integer> ready = new ArrayList<>();
    for (int i = 0; i < size(); i++) {
      if (isReady(i, now)) {
        ready.add(i);
      }
    }
    ready.sort((one, other) -> compareUrgency(entry(one), entry(other)));
    Task[] shown = new Task[ready.size()];
    Arrays.setAll(shown, i -> view(ready.get(i)));
    return List.of(shown);
  }

  /** The most urgent first. Those that {@code Comparator} makes are in no class-data archive. */
  private static int compareUrgency(TaskEntry one, TaskEntry other) {
    int byPriority = Integer.compare(one.priority(), other.priority());
    return byPriority != 0 ? byPriority : Integer.compare(one.number(), other.number());
  }

  /** Returns the tasks that are neither completed nor cancelled, each as number and text. */
  public List<String> open() {
    List<String> open = new ArrayList<>();
    for (int i = 0; i < size(); i++) {
      if (!entry(i).status.isTerminal()) {
        open.add(describe(i));
      }
    }
    return open;
  }

  // ---- what decisions are made on

  /** Returns the claims made for an iteration that were not ended, whether they run or not. */
  List<Claim> heldFor(int iteration) {
    List<Claim> held = new ArrayList<>();
    for (int i = 0; i < size(); i++) {
      Claim claim = entry(i).claim();
      if (claim != null && entry(i).isHeld() && claim.iteration() == iteration) {
        held.add(claim);
      }
    }
    return held;
  }

  /** Returns the index of the task to begin next, or -1 if none is ready. */
  int nextReady(Instant now) {
    int next = -1;
    for (int i = 0; i < size(); i++) {
      if ((next < 0 || compareUrgency(entry(i), entry(next)) < 0) && isReady(i, now)) {
        next = i;
      }
    }
    return next;
  }

  /** Returns the indexes of the tasks that this one still waits for. */
  List<Integer> awaited(int index) {
    List<Integer> awaited = new ArrayList<>();
    for (int dependency : entry(index).dependencies) {
      if (entry(dependency).status != Task.Status.COMPLETED) {
        awaited.add(dependency);
      }
    }
    return awaited;
  }

  private boolean isReady(int index, Instant now) {
    TaskEntry task = entry(index);
    if ((task.status != Task.Status.REMAINING && task.status != Task.Status.IN_PROGRESS)
        || task.isLeased(now)) {
      return false;
    }
    for (int dependency : task.dependencies) {
      if (entry(dependency).status != Task.Status.COMPLETED) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the indexes on a way along dependencies from one task to another, both included, or an
   * empty list if there is none.
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

  /** One task, with its place among the others. */
  private final class TaskView extends Shown implements Task {

    TaskView(int index) {
      super(index);
    }

    @Override
    public String content() {
      return entry.content();
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
      return entry.status.isTerminal()
          ? List.of()
          : Tasks.this.awaited(index).stream().map(Tasks.this::view).toList();
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
    public @Nullable String reason() {
      return entry.reason;
    }

    @Override
    protected List<?> values() {
      return Arrays.asList(
          content(), status(), priority(), dependencies(), added(), iteration(), claim(), reason());
    }

    @Override
    public String toString() {
      return describe(index) + " (" + entry.status.word() + ")";
    }
  }
}

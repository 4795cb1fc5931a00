package dev.ralph.core.internal.task;

import dev.ralph.domain.NumberedState;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Fold;
import java.nio.ByteBuffer;

/**
 * The state of the task fold: the tasks, and the sets for counts and selections. Each change
 * updates the sets, so that no selection has to scan all tasks. Not thread-safe, as every state of
 * a fold.
 */
final class TaskState {

  private final NumberedState<TaskEntry> tasks;
  private final TaskSets sets;
  private final DependentIndex dependents;

  TaskState() {
    this(new NumberedState<>(), new TaskSets(), new DependentIndex());
  }

  private TaskState(NumberedState<TaskEntry> tasks, TaskSets sets, DependentIndex dependents) {
    this.tasks = tasks;
    this.sets = sets;
    this.dependents = dependents;
  }

  /** Returns the tasks; only {@link #add} and {@link #set} change them. */
  NumberedState<TaskEntry> tasks() {
    return tasks;
  }

  /** Returns a view of the present tasks. */
  Tasks result(TextSource texts) {
    return new Tasks(tasks, sets.copy(), texts);
  }

  void add(TaskEntry task) {
    int index = tasks.size();
    tasks.add(task);
    sets.change(index, null, task);
    sets.judge(index, task);
    for (int dependency : task.dependencies) {
      dependents.add(dependency, index);
    }
  }

  /** Records that the session's branch has moved, in all completed tasks that wait to be merged. */
  void branchMoved() {
    for (int i = sets.unmerged().next(0); i >= 0; i = sets.unmerged().next(i + 1)) {
      tasks.set(i, tasks.get(i).behind());
    }
  }

  /** Replaces a task by its changed entry. */
  void set(int index, TaskEntry before, TaskEntry task) {
    if (task == before) {
      return;
    }
    tasks.set(index, task);
    sets.change(index, before, task);
    if (task.dependencies != before.dependencies) {
      link(index, before.dependencies, task.dependencies);
      sets.judge(index, task);
    } else if (task.isToDo() != before.isToDo()) {
      sets.judge(index, task);
    }
    if (before.isSettled() != task.isSettled()) {
      for (int link = dependents.first(index); link >= 0; link = dependents.next(link)) {
        int other = dependents.task(link);
        sets.judge(other, tasks.get(other));
      }
    }
  }

  /** Adds the new dependencies of a task to the index of dependents. */
  private void link(int index, int[] before, int[] now) {
    int same = 0;
    while (same < before.length && same < now.length && before[same] == now[same]) {
      same++;
    }
    for (int i = same; i < now.length; i++) {
      boolean known = false;
      for (int k = same; k < before.length && !known; k++) {
        known = before[k] == now[i];
      }
      if (!known) {
        dependents.add(now[i], index);
      }
    }
  }

  /**
   * Encodes the state: the sizes of the sets and of the dependents in bytes, the sets, the
   * dependents, then the tasks. Tasks are decoded on demand.
   */
  static final class Codec implements Fold.Codec<TaskState> {

    private final NumberedState.Codec<TaskEntry> tasks;

    Codec(NumberedState.Codec<TaskEntry> tasks) {
      this.tasks = tasks;
    }

    @Override
    public byte[] encode(TaskState state) {
      byte[] entries = tasks.encode(state.tasks);
      int sets = state.sets.numbers() * Long.BYTES;
      int links = state.dependents.numbers() * Integer.BYTES;
      ByteBuffer bytes =
          ByteBuffer.allocate(2 * Integer.BYTES + sets + links + entries.length)
              .putInt(sets)
              .putInt(links);
      state.sets.write(bytes.slice().asLongBuffer());
      bytes.position(bytes.position() + sets);
      state.dependents.write(bytes.slice().asIntBuffer());
      bytes.position(bytes.position() + links);
      return bytes.put(entries).array();
    }

    @Override
    public TaskState decode(byte[] encoded) {
      ByteBuffer bytes = ByteBuffer.wrap(encoded);
      int sets = bytes.getInt();
      int links = bytes.getInt();
      TaskSets readSets = TaskSets.read(bytes.slice().asLongBuffer());
      bytes.position(bytes.position() + sets);
      DependentIndex readLinks = DependentIndex.read(bytes.slice().asIntBuffer());
      bytes.position(bytes.position() + links);
      return new TaskState(tasks.decode(encoded, bytes.position()), readSets, readLinks);
    }
  }
}

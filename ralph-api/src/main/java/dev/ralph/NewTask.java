package dev.ralph;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A task to be added. */
public final class NewTask {

  private final String content;
  private final Task.Status status;
  private final int priority;
  private final List<String> dependencies;
  private final int iteration;

  private NewTask(
      String content, Task.Status status, int priority, List<String> dependencies, int iteration) {
    this.content = content;
    this.status = status;
    this.priority = priority;
    this.dependencies = dependencies;
    this.iteration = iteration;
  }

  /** Returns a new task of default priority, remaining, that depends on nothing. */
  public static NewTask of(String content) {
    Objects.requireNonNull(content, "content");
    return new NewTask(content, Task.Status.REMAINING, TaskLog.DEFAULT_PRIORITY, List.of(), 0);
  }

  /** Returns this task with the status it begins in. */
  public NewTask status(Task.Status status) {
    Objects.requireNonNull(status, "status");
    return new NewTask(content, status, priority, dependencies, iteration);
  }

  /** Returns this task with that priority, 0 (first) to 4 (last). */
  public NewTask priority(int priority) {
    return new NewTask(content, status, priority, dependencies, iteration);
  }

  /** Returns this task, to wait for the one referred to as well. */
  public NewTask dependsOn(String ref) {
    List<String> more = new ArrayList<>(dependencies);
    more.add(Objects.requireNonNull(ref, "ref"));
    return new NewTask(content, status, priority, List.copyOf(more), iteration);
  }

  /** Returns this task, marked as added in that iteration. */
  public NewTask iteration(int iteration) {
    return new NewTask(content, status, priority, dependencies, iteration);
  }

  /** Returns what is to be done. */
  public String content() {
    return content;
  }

  /** Returns the status it begins in. */
  public Task.Status status() {
    return status;
  }

  /** Returns its priority. */
  public int priority() {
    return priority;
  }

  /** Returns references to the tasks it waits for. */
  public List<String> dependencies() {
    return dependencies;
  }

  /** Returns the iteration it is added in, or 0. */
  public int iteration() {
    return iteration;
  }
}

package dev.ralph;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A task to add. Immutable. */
public final class NewTask {

  private final String content;
  private final Task.Status status;
  private final int priority;
  private final List<String> dependencies;
  private final int iteration;
  private final @Nullable String key;
  private final List<String> touches;

  private NewTask(
      String content,
      Task.Status status,
      int priority,
      List<String> dependencies,
      int iteration,
      @Nullable String key,
      List<String> touches) {
    this.content = content;
    this.status = status;
    this.priority = priority;
    this.dependencies = dependencies;
    this.iteration = iteration;
    this.key = key;
    this.touches = touches;
  }

  /** Returns a task with default priority, the status remaining, and no dependencies. */
  public static NewTask of(String content) {
    Objects.requireNonNull(content, "content");
    return new NewTask(
        content, Task.Status.REMAINING, TaskLog.DEFAULT_PRIORITY, List.of(), 0, null, List.of());
  }

  /** Returns a copy with another content. */
  public NewTask content(String content) {
    Objects.requireNonNull(content, "content");
    return new NewTask(content, status, priority, dependencies, iteration, key, touches);
  }

  /** Returns a copy with an initial status. */
  public NewTask status(Task.Status status) {
    Objects.requireNonNull(status, "status");
    return new NewTask(content, status, priority, dependencies, iteration, key, touches);
  }

  /** Returns a copy with a priority, 0 (first) to 4 (last). */
  public NewTask priority(int priority) {
    return new NewTask(content, status, priority, dependencies, iteration, key, touches);
  }

  /** Returns a copy with one more dependency. */
  public NewTask dependsOn(String ref) {
    List<String> more = new ArrayList<>(dependencies);
    more.add(Objects.requireNonNull(ref, "ref"));
    return new NewTask(content, status, priority, List.copyOf(more), iteration, key, touches);
  }

  /** Returns a copy with the iteration that adds the task. */
  public NewTask iteration(int iteration) {
    return new NewTask(content, status, priority, dependencies, iteration, key, touches);
  }

  /**
   * Returns a copy with an idempotency key, for example the task's number in an external plan. If a
   * task with the key exists, that task is returned unchanged, and no task is added.
   */
  public NewTask key(@Nullable String key) {
    return new NewTask(content, status, priority, dependencies, iteration, key, touches);
  }

  /**
   * Returns a copy with one more pattern of files that the task changes: a path in the repository,
   * which includes all files below it, or a path with {@code *}, such as {@code src/login/**}. Two
   * tasks that may change the same file are not assigned at the same time. Patterns are compared up
   * to the first wildcard. A task has up to 50 patterns of up to 500 characters.
   */
  public NewTask touches(String glob) {
    List<String> more = new ArrayList<>(touches);
    more.add(Objects.requireNonNull(glob, "glob"));
    return new NewTask(content, status, priority, dependencies, iteration, key, List.copyOf(more));
  }

  /** Returns the content: the work to do. */
  public String content() {
    return content;
  }

  /** Returns the initial status. */
  public Task.Status status() {
    return status;
  }

  /** Returns the priority. */
  public int priority() {
    return priority;
  }

  /** Returns references to the dependencies. */
  public List<String> dependencies() {
    return dependencies;
  }

  /** Returns the iteration that adds the task, or 0. */
  public int iteration() {
    return iteration;
  }

  /** Returns the idempotency key, or null. */
  public @Nullable String key() {
    return key;
  }

  /** Returns patterns of the files that the task changes; empty if unknown. */
  public List<String> touches() {
    return touches;
  }
}

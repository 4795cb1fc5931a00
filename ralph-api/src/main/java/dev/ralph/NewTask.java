package dev.ralph;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A task to be added. */
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

  /** Returns a new task of default priority, remaining, that depends on nothing. */
  public static NewTask of(String content) {
    Objects.requireNonNull(content, "content");
    return new NewTask(
        content, Task.Status.REMAINING, TaskLog.DEFAULT_PRIORITY, List.of(), 0, null, List.of());
  }

  /** Returns this task with another content. */
  public NewTask content(String content) {
    Objects.requireNonNull(content, "content");
    return new NewTask(content, status, priority, dependencies, iteration, key, touches);
  }

  /** Returns this task with the status it begins in. */
  public NewTask status(Task.Status status) {
    Objects.requireNonNull(status, "status");
    return new NewTask(content, status, priority, dependencies, iteration, key, touches);
  }

  /** Returns this task with that priority, 0 (first) to 4 (last). */
  public NewTask priority(int priority) {
    return new NewTask(content, status, priority, dependencies, iteration, key, touches);
  }

  /** Returns this task, to wait for the one referred to as well. */
  public NewTask dependsOn(String ref) {
    List<String> more = new ArrayList<>(dependencies);
    more.add(Objects.requireNonNull(ref, "ref"));
    return new NewTask(content, status, priority, List.copyOf(more), iteration, key, touches);
  }

  /** Returns this task, marked as added in that iteration. */
  public NewTask iteration(int iteration) {
    return new NewTask(content, status, priority, dependencies, iteration, key, touches);
  }

  /**
   * Returns this task, to be added only if none was added under the same key before: such as the
   * number that it has in a plan outside. The task of that key is returned then, as it is.
   */
  public NewTask key(@Nullable String key) {
    return new NewTask(content, status, priority, dependencies, iteration, key, touches);
  }

  /**
   * Returns this task, to say that it touches files as well that a pattern means: a path in the
   * repository, which stands for all that is below it too, or one with {@code *}, such as {@code
   * src/login/**}. Two tasks that may touch the same file are not given out at once. That is told
   * from how the patterns begin, up to the first wildcard; up to 50 of 500 characters.
   */
  public NewTask touches(String glob) {
    List<String> more = new ArrayList<>(touches);
    more.add(Objects.requireNonNull(glob, "glob"));
    return new NewTask(content, status, priority, dependencies, iteration, key, List.copyOf(more));
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

  /** Returns the key under which only one task is added, or null. */
  public @Nullable String key() {
    return key;
  }

  /** Returns patterns of the files that it touches; empty where it does not say. */
  public List<String> touches() {
    return touches;
  }
}

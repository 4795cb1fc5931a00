package dev.ralph;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A change of a task's text, priority, dependencies, touched files, or several of them at once. */
public final class TaskEdit {

  private static final TaskEdit NOTHING = new TaskEdit(null, null, null, null, null);

  private final @Nullable String content;
  private final @Nullable Integer priority;
  private final @Nullable List<String> dependencies;
  private final @Nullable List<String> touches;
  private final @Nullable String owner;

  private TaskEdit(
      @Nullable String content,
      @Nullable Integer priority,
      @Nullable List<String> dependencies,
      @Nullable List<String> touches,
      @Nullable String owner) {
    this.content = content;
    this.priority = priority;
    this.dependencies = dependencies;
    this.touches = touches;
    this.owner = owner;
  }

  /** Returns an edit that changes nothing yet. */
  public static TaskEdit of() {
    return NOTHING;
  }

  /** Returns this edit, with that as the new text. */
  public TaskEdit content(String content) {
    Objects.requireNonNull(content, "content");
    return new TaskEdit(content, priority, dependencies, touches, owner);
  }

  /** Returns this edit, with that as the new priority, 0 (first) to 4 (last). */
  public TaskEdit priority(int priority) {
    return new TaskEdit(content, priority, dependencies, touches, owner);
  }

  /**
   * Returns this edit, to let the task wait for those referred to, and for no others; an empty list
   * lets it wait for none.
   */
  public TaskEdit dependencies(List<String> refs) {
    Objects.requireNonNull(refs, "refs");
    return new TaskEdit(content, priority, List.copyOf(refs), touches, owner);
  }

  /**
   * Returns this edit, with those as all patterns of what the task {@linkplain NewTask#touches
   * touches}; an empty list says nothing of it.
   */
  public TaskEdit touches(List<String> globs) {
    Objects.requireNonNull(globs, "globs");
    return new TaskEdit(content, priority, dependencies, List.copyOf(globs), owner);
  }

  /**
   * Returns this edit on behalf of somebody who may claim tasks: it is refused while another one's
   * lease on the task runs. An edit without an owner is an operator's.
   */
  public TaskEdit owner(@Nullable String owner) {
    return new TaskEdit(content, priority, dependencies, touches, owner);
  }

  /** Returns the new text, or null if it stays. */
  public @Nullable String content() {
    return content;
  }

  /** Returns the new priority, or null if it stays. */
  public @Nullable Integer priority() {
    return priority;
  }

  /** Returns references to all tasks it is to wait for, or null if these stay. */
  public @Nullable List<String> dependencies() {
    return dependencies;
  }

  /** Returns all patterns of what it touches, or null if these stay. */
  public @Nullable List<String> touches() {
    return touches;
  }

  /** Returns on whose behalf it is made, or null for an operator's. */
  public @Nullable String owner() {
    return owner;
  }
}

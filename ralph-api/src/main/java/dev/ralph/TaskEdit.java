package dev.ralph;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A change of a task's content, priority, dependencies or touched files. Immutable. */
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

  /** Returns an edit without changes. */
  public static TaskEdit of() {
    return NOTHING;
  }

  /** Returns a copy with a new content. */
  public TaskEdit content(String content) {
    Objects.requireNonNull(content, "content");
    return new TaskEdit(content, priority, dependencies, touches, owner);
  }

  /** Returns a copy with a new priority, 0 (first) to 4 (last). */
  public TaskEdit priority(int priority) {
    return new TaskEdit(content, priority, dependencies, touches, owner);
  }

  /** Returns a copy that replaces all dependencies; an empty list removes them. */
  public TaskEdit dependencies(List<String> refs) {
    Objects.requireNonNull(refs, "refs");
    return new TaskEdit(content, priority, List.copyOf(refs), touches, owner);
  }

  /**
   * Returns a copy that replaces all patterns of {@linkplain NewTask#touches touched} files; an
   * empty list removes them.
   */
  public TaskEdit touches(List<String> globs) {
    Objects.requireNonNull(globs, "globs");
    return new TaskEdit(content, priority, dependencies, List.copyOf(globs), owner);
  }

  /**
   * Returns a copy with an owner of claims. The edit is refused while another owner has a live
   * lease on the task. An edit without an owner is an operator's.
   */
  public TaskEdit owner(@Nullable String owner) {
    return new TaskEdit(content, priority, dependencies, touches, owner);
  }

  /** Returns the new content, or null for no change. */
  public @Nullable String content() {
    return content;
  }

  /** Returns the new priority, or null for no change. */
  public @Nullable Integer priority() {
    return priority;
  }

  /** Returns references to the new dependencies, or null for no change. */
  public @Nullable List<String> dependencies() {
    return dependencies;
  }

  /** Returns the new patterns of touched files, or null for no change. */
  public @Nullable List<String> touches() {
    return touches;
  }

  /** Returns the owner, or null for an operator's edit. */
  public @Nullable String owner() {
    return owner;
  }
}

package dev.ralph.openspec.internal;

/**
 * A task of a story, as it is in {@code tasks.md}.
 *
 * @param id the number, such as {@code 2.1}; a task without a number has its place among all tasks
 *     of its story, {@code 2.#3}. While a session works on the change, this is the place at which
 *     the task was first seen
 * @param key identifies the task for the whole session, even if lines are inserted, removed or
 *     renumbered. The key equals the id unless the task was renumbered
 * @param description the task on one line, without the number
 * @param details the lines below the task, such as sub-items, code and paragraphs, without the
 *     indentation of the task; empty if there are none
 * @param done whether the task is ticked
 * @param line the number of its line, from 1
 */
public record StoryTask(
    String id, String key, String description, String details, boolean done, int line) {

  /** Returns the description, followed by the details on separate lines. */
  public String text() {
    return details.isEmpty() ? description : description + "\n" + details;
  }

  /** Returns this task as ticked. */
  public StoryTask ticked() {
    return new StoryTask(id, key, description, details, true, line);
  }

  /** Returns whether the task has a number in the file. */
  boolean isNumbered() {
    return id.indexOf('#') < 0;
  }

  StoryTask as(String id, String key) {
    return new StoryTask(id, key, description, details, done, line);
  }
}

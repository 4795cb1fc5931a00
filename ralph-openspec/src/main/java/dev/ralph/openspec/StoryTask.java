package dev.ralph.openspec;

/**
 * A task of a story, as {@code tasks.md} has it.
 *
 * @param id its number, such as {@code 2.1}; a task without a number has its place among all tasks
 *     of its story, {@code 2.#3}. While a session works on the change that place is the one at
 *     which the task was first seen
 * @param key identifies the task for as long as a session works on the change, also where lines
 *     were inserted, removed or renumbered; the same as the id unless the task was renumbered
 * @param description the task on one line, without the number
 * @param details the lines below the task as the file has them, such as sub-items, code and
 *     paragraphs, without the indentation of the task; empty if there are none
 * @param done whether it is ticked
 * @param line the number of its line, from 1
 */
public record StoryTask(
    String id, String key, String description, String details, boolean done, int line) {

  /** Returns the description, followed by the details on lines of their own. */
  public String text() {
    return details.isEmpty() ? description : description + "\n" + details;
  }

  /** Returns the same task as ticked. */
  public StoryTask ticked() {
    return new StoryTask(id, key, description, details, true, line);
  }

  /** Returns whether the file has a number for the task. */
  boolean isNumbered() {
    return id.indexOf('#') < 0;
  }

  StoryTask as(String id, String key) {
    return new StoryTask(id, key, description, details, done, line);
  }
}

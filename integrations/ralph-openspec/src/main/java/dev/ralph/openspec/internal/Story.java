package dev.ralph.openspec.internal;

import java.util.List;

/**
 * A section of {@code tasks.md}, worked on as a unit.
 *
 * @param id the number of the section, without leading zeros; a section without a number has its
 *     place among the stories: {@code #2}
 * @param title the rest of the heading
 * @param tasks the tasks, in the order of the file
 */
public record Story(String id, String title, List<StoryTask> tasks) {

  public Story {
    tasks = List.copyOf(tasks);
  }

  Story as(String id) {
    return new Story(id, title, tasks);
  }

  /** Returns the number of ticked tasks. */
  public int done() {
    return (int) tasks.stream().filter(StoryTask::done).count();
  }

  /** Returns whether all tasks are ticked. */
  public boolean isComplete() {
    return tasks.stream().allMatch(StoryTask::done);
  }
}

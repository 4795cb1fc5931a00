package dev.ralph.openspec;

import java.util.List;

/**
 * A part of a change that is worked on at once: a section of {@code tasks.md}.
 *
 * @param id the section's number, without leading zeros; one without a number has its place among
 *     the stories: {@code #2}
 * @param title the rest of its heading
 * @param tasks in the order in which they stand there
 */
public record Story(String id, String title, List<StoryTask> tasks) {

  public Story {
    tasks = List.copyOf(tasks);
  }

  Story as(String id) {
    return new Story(id, title, tasks);
  }

  /** Returns how many tasks are ticked. */
  public int done() {
    return (int) tasks.stream().filter(StoryTask::done).count();
  }

  /** Returns whether all tasks are ticked. */
  public boolean isComplete() {
    return tasks.stream().allMatch(StoryTask::done);
  }
}

package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Meta;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Edits between assignment and tick. A list is written as {@code story: task, task; story: task},
 * and the number of a task is part of its text.
 */
class TaskPlanTest {

  private static final String UNCHANGED = "1. Work: Alpha, Beta, Gamma";

  private static String file(String list) {
    StringBuilder text = new StringBuilder("# Tasks\n");
    for (String story : list.split("; ")) {
      String[] parts = story.split(": ", 2);
      text.append("\n## ").append(parts[0]).append("\n\n");
      for (String task : parts[1].split(", ")) {
        text.append("- [ ] ").append(task).append('\n');
      }
    }
    return text.toString();
  }

  private static List<Story> read(String text) {
    return TaskFile.of(text.getBytes(StandardCharsets.UTF_8)).stories();
  }

  private static TaskPlan plan(String list) {
    return TaskPlan.NONE.next(TaskPlan.NONE.applyTo(read(file(list))));
  }

  private static List<StoryTask> tasks(List<Story> stories) {
    return stories.stream().flatMap(story -> story.tasks().stream()).toList();
  }

  /** Returns the text of the line that is ticked for each task of the earlier list, or a dash. */
  private static String ticked(String before, String now) {
    TaskPlan plan = plan(before);
    List<String> ticked = new ArrayList<>();
    for (TaskPlan.Line line : plan.lines()) {
      String text = TaskFile.ticked(file(now), line.key(), plan);
      List<String> lines = text.lines().filter(each -> each.contains("[x]")).toList();
      assertThat(lines).hasSizeLessThan(2);
      ticked.add(lines.isEmpty() ? "-" : lines.get(0).substring("- [x] ".length()));
    }
    return String.join(", ", ticked);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # the same
          1. W: Alpha, Beta, Gamma       | 1. W: Alpha, Beta, Gamma              | Alpha, Beta, Gamma
          1. W: Test, Test, Test         | 1. W: Test, Test, Test                | Test, Test, Test
          # removed, inserted, moved
          1. W: Alpha, Beta, Gamma       | 1. W: Beta, Gamma                     | -, Beta, Gamma
          1. W: Alpha, Beta, Gamma       | 1. W: Alpha, Gamma                    | Alpha, -, Gamma
          1. W: Alpha, Beta, Gamma       | 1. W: Alpha, Beta                     | Alpha, Beta, -
          1. W: Alpha, Beta, Gamma       | 1. W: New, Alpha, Beta, Gamma         | Alpha, Beta, Gamma
          1. W: Alpha, Beta, Gamma       | 1. W: Alpha, New, Beta, Gamma         | Alpha, Beta, Gamma
          1. W: Alpha, Beta, Gamma       | 1. W: Gamma, Beta, Alpha              | Alpha, Beta, Gamma
          1. W: Alpha, Beta; 2. X: Gamma | 1. W: Alpha; 2. X: Beta, Gamma        | Alpha, Beta, Gamma
          1. W: Alpha, Beta; 2. X: Gamma | 1. X: Gamma; 2. W: Alpha, Beta        | Alpha, Beta, Gamma
          # reworded
          1. W: Alpha, Beta, Gamma       | 1. W: Alpha (see notes), Beta, Gamma  | Alpha (see notes), Beta, Gamma
          1. W: Alpha, Beta, Gamma       | 1. W: Alpha, Beth, Gamma              | Alpha, Beth, Gamma
          1. W: Alpha, Beta, Gamma       | 1. W: Alpha, Beta, Gimel              | Alpha, Beta, Gimel
          1. W: Alpha                    | 1. W: Aleph                           | Aleph
          1. W: Alpha, Beta, Gamma       | 1. W: Aleph, Beth, Gamma              | -, -, Gamma
          1. W: Alpha, Beta, Gamma       | 1. W: Aleph, Gamma                    | -, -, Gamma
          1. W: Alpha, Beta, Gamma       | 1. W: Alpha one, Alpha two, Beta, Gamma | -, Beta, Gamma
          1. W: Alpha, Beta, Gamma       | 1. W: Beta, Beta, Gamma               | -, Beta, Gamma
          1. W: Alpha, Beta, Gamma       | 1. W: Alpha, Alpha, Gamma             | Alpha, -, Gamma
          # numbers
          1. W: 1.1 Alpha, 1.2 Beta      | 1. W: 1.1 Aleph, 1.2 Beth             | 1.1 Aleph, 1.2 Beth
          1. W: 1.1 Alpha, 1.2 Beta      | 1. W: 1.1 Beta, 1.2 Alpha             | 1.2 Alpha, 1.1 Beta
          1. W: 1.1 Alpha, 1.2 Beta      | 1. W: 1.2 Alpha, 1.1 Beta             | 1.2 Alpha, 1.1 Beta
          1. W: 1.1 Alpha, 1.2 Beta, 1.3 C | 1. W: 1.1 Beta, 1.2 C               | -, 1.1 Beta, 1.2 C
          1. W: 1.1 Alpha, 1.2 Beta, 1.3 C | 1. W: 1.1 New, 1.2 Aleph, 1.3 Beta, 1.4 C | -, 1.3 Beta, 1.4 C
          1. W: 1.1 Alpha, 1.2 Beta      | 1. W: 1.1 Beta                        | -, 1.1 Beta
          1. W: 1.1 door, 1.2 door, 1.3 C | 1. W: 1.2 door, 1.3 C                | -, 1.2 door, 1.3 C
          1. W: 1.1 door, 1.2 door, 1.3 C | 1. W: 1.1 door, 1.2 C                | -, -, 1.2 C
          1. W: Alpha, Beta              | 1. W: 1.1 Alpha, 1.2 Beta             | 1.1 Alpha, 1.2 Beta
          # equal lines
          1. W: Test, Test, Gamma        | 1. W: Test (done), Test, Gamma        | Test (done), Test, Gamma
          1. W: Test, Test, Gamma        | 1. W: Test, Gamma                     | -, -, Gamma
          1. W: A, Test, B, Test         | 1. W: B, Test, A, Test                | A, Test, B, Test
          1. W: A, Test; 2. X: B, Test   | 1. W: A, C, Test; 2. X: B, Test       | A, Test, B, Test
          # stories without numbers
          W: Alpha; X: Beta              | Notes: N; W: Alpha; X: Beta           | Alpha, Beta
          W: Test; X: Test               | X: Test; W: Test                      | Test, Test
          """)
  void editedList_ticksTheTaskOrNothing(String before, String now, String expected) {
    assertThat(ticked(before, now)).isEqualTo(expected);
  }

  @Test
  void equalTasks_areTickedInTheirOwnPlace() {
    TaskPlan plan = plan("1. W: A, Test, B, Test");
    String now = file("1. W: B, Test, A, Test");
    String key = plan.lines().get(1).key();
    assertThat(TaskFile.ticked(now, key, plan)).endsWith("- [ ] A\n- [x] Test\n");
  }

  @Test
  void equalStories_keepTheirOwnTasks() {
    TaskPlan plan = plan("W: Test; X: Test");
    String now = file("X: Test; W: Test");
    assertThat(TaskFile.ticked(now, plan.lines().get(0).key(), plan))
        .endsWith("## W\n\n- [x] Test\n");
  }

  @Test
  void keys_stayAcrossEditsAndAreNeverReused() {
    TaskPlan plan = plan(UNCHANGED);
    for (String edit : List.of("Beta, Gamma", "New, Gamma", "New, Gamma, Alpha", "Alpha, Beta")) {
      plan = plan.next(plan.applyTo(read(file("1. Work: " + edit))));
    }
    assertThat(plan.lines()).extracting(TaskPlan.Line::key).containsExactly("1.#1", "1.#4");
    assertThat(plan.gone())
        .extracting(TaskPlan.Line::text, TaskPlan.Line::key)
        .contains(tuple("Gamma", "1.#3"), tuple("New", "1.#2"));
  }

  private static org.assertj.core.groups.Tuple tuple(Object... values) {
    return org.assertj.core.groups.Tuple.tuple(values);
  }

  @Test
  void unnumberedTask_keepsItsIdAfterAnEdit() {
    TaskPlan plan = plan(UNCHANGED);
    assertThat(tasks(plan.applyTo(read(file("1. Work: Beta, Gamma")))))
        .extracting(StoryTask::id)
        .containsExactly("1.#2", "1.#3");
  }

  @Test
  void unnumberedStory_keepsItsIdAfterAnEdit() {
    TaskPlan plan = plan("Setup: Alpha; Build: Beta");
    List<Story> now = plan.applyTo(read(file("Notes: N; Setup: Alpha; Build: Beta")));
    assertThat(now).extracting(Story::title).containsExactly("Notes", "Setup", "Build");
    assertThat(now.get(1).id()).isEqualTo(plan.lines().get(0).story());
    assertThat(now.get(2).id()).isEqualTo(plan.lines().get(1).story());
    assertThat(now).extracting(Story::id).doesNotHaveDuplicates();
  }

  @Test
  void duplicateNumbers_getDifferentKeys() {
    TaskPlan plan = plan("1. W: 1.1 Alpha, 1.1 Beta");
    assertThat(plan.lines()).extracting(TaskPlan.Line::key).doesNotHaveDuplicates();
    assertThat(plan.lines()).extracting(TaskPlan.Line::id).containsExactly("1.1", "1.1");
  }

  @Test
  void plan_isReadBackFromItsFrame() {
    TaskPlan plan = plan("1. W: 1.1 Alpha, Beta; Notes: Test, Test");
    plan = plan.next(plan.applyTo(read(file("1. W: Beta; Notes: Test, Test"))));
    assertThat(TaskPlan.of(plan.addTo(Meta.empty()))).isEqualTo(plan);
  }

  @Test
  void manyEqualLines_areMatchedInReasonableTime() {
    List<String> equal = new ArrayList<>(java.util.Collections.nCopies(5_000, "Test"));
    TaskPlan plan = plan("1. W: " + String.join(", ", equal));
    equal.set(0, "Alpha");
    List<Story> now = plan.applyTo(read(file("1. W: " + String.join(", ", equal))));
    assertThat(tasks(now)).extracting(StoryTask::key).endsWith("1.#5000");
  }

  @Test
  void tickedSince_followsTheTaskNotThePlace() {
    String before = file("1. W: Alpha, Beta, Gamma");
    String now = before.replace("[ ] Beta", "[x] Beta");
    assertThat(TaskFile.tickedSince(file("1. W: Beta, Gamma"), before, now))
        .isEqualTo(file("1. W: Beta, Gamma").replace("[ ] Beta", "[x] Beta"));
  }
}

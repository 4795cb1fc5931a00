package dev.ralph.openspec.internal;

import dev.ralph.core.internal.text.TaskAlignment;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the tasks in {@code tasks.md} at their assignment. Comparing a plan with the
 * present file gives each task the same key before and after an edit. So a completed task is ticked
 * on its own line and on no other line. Immutable.
 *
 * @param lines the tasks in the order of the file
 * @param gone tasks of earlier plans whose lines were removed, the newest last. A restored line
 *     gets its old key
 */
record TaskPlan(List<Line> lines, List<Line> gone) {

  /** The maximum number of removed lines in a plan. Only a file with endless edits has more. */
  private static final int MOST_GONE = 1_000;

  /** The plan of a change before the first assignment. */
  static final TaskPlan NONE = new TaskPlan(List.of(), List.of());

  private static final String LINES = "lines";
  private static final String GONE = "gone";

  /**
   * A task of a plan.
   *
   * @param key the key of the task, which no other task of the change has or had
   * @param story the id of the task's story
   * @param title the title of that story
   * @param id the id of the task in the file: its number, or the key of a task without a number
   * @param isNumbered whether the task had a number in the file
   * @param text the description without the number
   */
  record Line(String key, String story, String title, String id, boolean isNumbered, String text) {

    /** Returns whether both tasks are in the same story with the same title. */
    boolean isBeside(Line other) {
      return story.equals(other.story) && title.equals(other.title);
    }

    /** Returns whether both lines are equal except for their keys. */
    private boolean isSame(Line other) {
      return isBeside(other)
          && text.equals(other.text)
          && isNumbered == other.isNumbered
          && (!isNumbered || id.equals(other.id));
    }

    private boolean isEqual(Line other) {
      return key.equals(other.key) && isSame(other);
    }

    private Meta json() {
      return Meta.of("key", key)
          .with("story", story)
          .with("title", title)
          .with("id", isNumbered ? id : null)
          .with("text", text);
    }

    private static @Nullable Line of(Meta meta) {
      String key = meta.string("key");
      if (key == null) {
        return null;
      }
      String id = meta.string("id");
      return new Line(
          key,
          Objects.requireNonNullElse(meta.string("story"), ""),
          Objects.requireNonNullElse(meta.string("title"), ""),
          id == null ? key : id,
          id != null,
          Objects.requireNonNullElse(meta.string("text"), ""));
    }
  }

  TaskPlan {
    lines = List.copyOf(lines);
    gone = List.copyOf(gone);
  }

  /**
   * Returns whether both plans have the same lines. The generated {@code equals} of a record would
   * cost short commands 15 ms, because the virtual machine links it at run time.
   */
  boolean isEqual(TaskPlan other) {
    return isEqual(lines, other.lines) && isEqual(gone, other.gone);
  }

  private static boolean isEqual(List<Line> lines, List<Line> others) {
    if (lines.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).isEqual(others.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static List<Line> lines(List<Story> stories) {
    List<Line> lines = new ArrayList<>();
    for (Story story : stories) {
      for (StoryTask task : story.tasks()) {
        lines.add(
            new Line(
                task.key(),
                story.id(),
                story.title(),
                task.id(),
                task.isNumbered(),
                task.description()));
      }
    }
    return lines;
  }

  /** Returns the metadata with the plan as members. */
  Meta addTo(Meta meta) {
    return meta.with(LINES, lines.stream().map(Line::json).toList())
        .with(GONE, gone.stream().map(Line::json).toList());
  }

  /** Returns the plan of a frame, without members that can't be read. */
  static TaskPlan of(Meta meta) {
    return new TaskPlan(lines(meta, LINES), lines(meta, GONE));
  }

  private static List<Line> lines(Meta meta, String member) {
    return meta.objects(member).stream().map(Line::of).filter(Objects::nonNull).toList();
  }

  /** Returns the key of the task that had an id when the plan was made, or null. */
  @Nullable String key(String id) {
    return lines.stream()
        .filter(line -> line.id().equals(id))
        .map(Line::key)
        .findFirst()
        .orElse(null);
  }

  /**
   * Returns the stories of a file with the ids and keys of this plan. A story or task with a number
   * in the file keeps the number as its id; all others keep the ids of the plan.
   *
   * @param read the stories with the ids of the file alone
   */
  List<Story> applyTo(List<Story> read) {
    List<Line> now = lines(read);
    if (isUnchanged(now)) {
      return keyed(read, lines);
    }
    List<Story> stories = withStoryIds(read);
    now = lines(stories);
    int[] matches = TaskAlignment.match(compared(lines), compared(gone), compared(now));
    Set<String> used = new HashSet<>();
    lines.forEach(line -> used.add(line.key()));
    gone.forEach(line -> used.add(line.key()));
    for (int i = 0; i < now.size(); i++) {
      now.set(i, keyed(now.get(i), matches[i], used));
    }
    return keyed(stories, now);
  }

  private Line keyed(Line line, int match, Set<String> used) {
    String key = match < 0 ? newKey(line, used) : old(match).key();
    return new Line(
        key,
        line.story(),
        line.title(),
        line.isNumbered() ? line.id() : key,
        line.isNumbered(),
        line.text());
  }

  private Line old(int index) {
    return index < lines.size() ? lines.get(index) : gone.get(index - lines.size());
  }

  private boolean isUnchanged(List<Line> now) {
    if (now.size() != lines.size()) {
      return false;
    }
    for (int i = 0; i < now.size(); i++) {
      Line before = lines.get(i);
      boolean hasOwnStory = before.story().startsWith("#") && now.get(i).story().startsWith("#");
      Line same = hasOwnStory ? inStory(now.get(i), before.story()) : now.get(i);
      if (!before.isSame(same)) {
        return false;
      }
    }
    return true;
  }

  private static Line inStory(Line line, String story) {
    return new Line(line.key(), story, line.title(), line.id(), line.isNumbered(), line.text());
  }

  private static List<TaskAlignment.Line> compared(List<Line> lines) {
    return lines.stream()
        .map(
            line ->
                new TaskAlignment.Line(
                    line.story(), line.title(), line.id(), line.isNumbered(), line.text()))
        .toList();
  }

  private static String newKey(Line line, Set<String> used) {
    String key = line.id();
    for (int n = 1; !used.add(key); n++) {
      key = line.isNumbered() ? line.id() + "#" + (n + 1) : line.story() + ".#" + n;
    }
    return key;
  }

  /** Gives stories without a number the id of the plan's story with the same title. */
  private List<Story> withStoryIds(List<Story> read) {
    Map<String, Set<String>> idsByTitle = new HashMap<>();
    Set<String> used = new HashSet<>();
    for (Line line : lines) {
      used.add(line.story());
      if (line.story().startsWith("#")) {
        idsByTitle.computeIfAbsent(line.title(), title -> new HashSet<>()).add(line.story());
      }
    }
    gone.forEach(line -> used.add(line.story()));
    Map<String, Integer> titles = new HashMap<>();
    read.forEach(story -> titles.merge(story.title(), 1, Integer::sum));
    List<Story> stories = new ArrayList<>();
    for (Story story : read) {
      Set<String> ids = idsByTitle.getOrDefault(story.title(), Set.of());
      if (!story.id().startsWith("#")) {
        stories.add(story);
      } else if (ids.size() == 1 && titles.getOrDefault(story.title(), 0) == 1) {
        stories.add(story.as(ids.iterator().next()));
      } else {
        String id = story.id();
        for (int n = 1; !used.add(id); n++) {
          id = "#" + n;
        }
        stories.add(story.as(id));
      }
    }
    return stories;
  }

  private static List<Story> keyed(List<Story> stories, List<Line> lines) {
    List<Story> keyed = new ArrayList<>();
    int at = 0;
    for (Story story : stories) {
      List<StoryTask> tasks = new ArrayList<>();
      String id = story.id();
      for (StoryTask task : story.tasks()) {
        Line line = lines.get(at++);
        tasks.add(task.as(line.id(), line.key()));
        id = line.story();
      }
      keyed.add(new Story(id, story.title(), tasks));
    }
    return keyed;
  }

  /**
   * Returns the plan after {@link #applyTo} has compared a file with this plan. Tasks without a
   * line in the file are kept as gone.
   */
  TaskPlan next(List<Story> stories) {
    List<Line> now = lines(stories);
    Set<String> there = new HashSet<>();
    now.forEach(line -> there.add(line.key()));
    List<Line> left = new ArrayList<>(gone);
    left.addAll(lines);
    left.removeIf(line -> there.contains(line.key()));
    return new TaskPlan(now, left.subList(Math.max(0, left.size() - MOST_GONE), left.size()));
  }
}

package dev.ralph.core.internal.text;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the tasks of an earlier task list in an edited list. A wrong match would complete a task
 * without work, so a task without sufficient evidence is not matched.
 *
 * <p>The order of evidence is: unique texts; equal numbers, unless neighbouring tasks were
 * renumbered; equal texts with matched neighbours; the only changed line between unchanged lines. A
 * reworded task never has a text of another task of the earlier list.
 */
public final class TaskAlignment {

  private static final int NONE = -1;

  /**
   * A task of a list.
   *
   * @param story the id of the task's story, or of the headings above it
   * @param title the title of the story
   * @param id the number of the task, if it has one; other ids are ignored
   * @param isNumbered whether the task has a number
   * @param text the description without the number
   */
  public record Line(String story, String title, String id, boolean isNumbered, String text) {

    /** Returns whether both tasks are in the same story with the same title. */
    boolean isBeside(Line other) {
      return story.equals(other.story) && title.equals(other.title);
    }
  }

  private final List<Line> before;
  private final List<Line> now;
  private final int[] newOf;
  private final int[] oldOf;
  private final Set<String> oldTexts = new HashSet<>();

  /** The indexes of the first and the last line of each story of the present list. */
  private final Map<List<String>, Integer> firstLines = new HashMap<>();

  private final Map<List<String>, Integer> lastLines = new HashMap<>();

  private TaskAlignment(List<Line> before, List<Line> now) {
    this.before = before;
    this.now = now;
    this.newOf = new int[before.size()];
    this.oldOf = new int[now.size()];
    Arrays.fill(newOf, NONE);
    Arrays.fill(oldOf, NONE);
    before.forEach(line -> oldTexts.add(line.text()));
    for (int current = 0; current < now.size(); current++) {
      firstLines.putIfAbsent(story(now.get(current)), current);
      lastLines.put(story(now.get(current)), current);
    }
  }

  /**
   * Matches two lists.
   *
   * @param before the earlier list
   * @param gone lines of still earlier lists that were removed; they are matched by text only
   * @param now the present list
   * @return for each line of the present list the index of the same task in {@code before}, or
   *     {@code before.size()} plus the index in {@code gone}; -1 for a new task
   */
  public static int[] match(List<Line> before, List<Line> gone, List<Line> now) {
    TaskAlignment alignment = new TaskAlignment(before, now);
    alignment.matchUniqueTexts();
    alignment.matchNumbers();
    alignment.matchEqualTexts();
    alignment.matchReworded();
    alignment.matchGone(gone);
    return alignment.oldOf;
  }

  private void match(int old, int current) {
    newOf[old] = current;
    oldOf[current] = old;
  }

  /** Returns the index of each unique text of a list, and -1 for repeated texts. */
  private static Map<String, Integer> uniqueTexts(List<Line> lines) {
    Map<String, Integer> unique = new HashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      unique.merge(lines.get(i).text(), i, (first, second) -> NONE);
    }
    return unique;
  }

  private void matchUniqueTexts() {
    Map<String, Integer> present = uniqueTexts(now);
    uniqueTexts(before)
        .forEach(
            (text, old) -> {
              int current = present.getOrDefault(text, NONE);
              if (old != NONE && current != NONE) {
                match(old, current);
              }
            });
  }

  /** Matches equal texts whose previous or next line is matched, until no match is found. */
  private void matchEqualTexts() {
    boolean isNew = true;
    while (isNew) {
      isNew = false;
      int[] candidates = new int[before.size()];
      int[] claims = new int[now.size()];
      for (int old = 0; old < before.size(); old++) {
        candidates[old] = equalNeighbor(old);
        if (candidates[old] != NONE) {
          claims[candidates[old]]++;
        }
      }
      for (int old = 0; old < before.size(); old++) {
        if (candidates[old] != NONE && claims[candidates[old]] == 1) {
          match(old, candidates[old]);
          isNew = true;
        }
      }
    }
  }

  /**
   * Returns the unmatched line with the same text next to a matched line; -1 if no line or two
   * lines qualify.
   */
  private int equalNeighbor(int old) {
    int after = free(old, afterPrevious(old));
    int ahead = free(old, beforeNext(old));
    if (after == NONE || ahead == NONE) {
      return Math.max(after, ahead);
    }
    return after == ahead ? after : NONE;
  }

  private int free(int old, int current) {
    return newOf[old] == NONE
            && current != NONE
            && oldOf[current] == NONE
            && now.get(current).text().equals(before.get(old).text())
        ? current
        : NONE;
  }

  /**
   * Returns the line after the previous task's match, or the first of the story for its first task.
   */
  private int afterPrevious(int old) {
    Line line = before.get(old);
    if (old == 0 || !before.get(old - 1).isBeside(line)) {
      return firstLines.getOrDefault(story(line), NONE);
    }
    int current = newOf[old - 1] == NONE ? now.size() : newOf[old - 1] + 1;
    return current < now.size() && now.get(current).isBeside(now.get(current - 1)) ? current : NONE;
  }

  /** Returns the line before the next task's match, or the last of the story for its last task. */
  private int beforeNext(int old) {
    Line line = before.get(old);
    if (old + 1 == before.size() || !before.get(old + 1).isBeside(line)) {
      return lastLines.getOrDefault(story(line), NONE);
    }
    int current = newOf[old + 1] == NONE ? NONE : newOf[old + 1] - 1;
    return current >= 0 && now.get(current).isBeside(now.get(current + 1)) ? current : NONE;
  }

  private static List<String> story(Line line) {
    return List.of(line.story(), line.title());
  }

  /** Matches tasks by number, in stories without other renumbered tasks. */
  private void matchNumbers() {
    Set<String> renumbered = new HashSet<>();
    for (int old = 0; old < before.size(); old++) {
      if (newOf[old] != NONE && !isSameNumber(before.get(old), now.get(newOf[old]))) {
        renumbered.add(before.get(old).story());
        renumbered.add(now.get(newOf[old]).story());
      }
    }
    Map<String, Integer> numbers = new HashMap<>();
    for (int current = 0; current < now.size(); current++) {
      if (now.get(current).isNumbered()) {
        numbers.merge(now.get(current).id(), current, (first, second) -> NONE);
      }
    }
    for (int old = 0; old < before.size(); old++) {
      Line line = before.get(old);
      int current =
          newOf[old] == NONE && line.isNumbered() ? numbers.getOrDefault(line.id(), NONE) : NONE;
      boolean isEqual = current != NONE && now.get(current).text().equals(line.text());
      if ((isReworded(current) || isEqual && oldOf[current] == NONE)
          && !renumbered.contains(line.story())
          && !renumbered.contains(now.get(current).story())) {
        match(old, current);
      }
    }
  }

  private static boolean isSameNumber(Line old, Line current) {
    return old.isNumbered()
        ? current.isNumbered() && old.id().equals(current.id())
        : !current.isNumbered();
  }

  /** Returns whether a line is unmatched and its text is new. */
  private boolean isReworded(int current) {
    return current != NONE && oldOf[current] == NONE && !oldTexts.contains(now.get(current).text());
  }

  /** Matches a changed line between matched neighbours that are still adjacent to it. */
  private void matchReworded() {
    int[] found = new int[before.size()];
    for (int old = 0; old < before.size(); old++) {
      int current = newOf[old] == NONE ? afterPrevious(old) : NONE;
      found[old] = isReworded(current) && current == beforeNext(old) ? current : NONE;
    }
    for (int old = 0; old < before.size(); old++) {
      if (found[old] != NONE) {
        match(old, found[old]);
      }
    }
  }

  private void matchGone(List<Line> gone) {
    Map<String, Integer> present = uniqueTexts(now);
    uniqueTexts(gone)
        .forEach(
            (text, index) -> {
              int current = present.getOrDefault(text, NONE);
              if (index != NONE
                  && current != NONE
                  && oldOf[current] == NONE
                  && !oldTexts.contains(text)) {
                oldOf[current] = before.size() + index;
              }
            });
  }
}

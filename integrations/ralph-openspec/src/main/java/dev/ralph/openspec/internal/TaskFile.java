package dev.ralph.openspec.internal;

import dev.ralph.core.internal.text.BoxPlace;
import dev.ralph.log.RalphException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The stories and tasks of a {@code tasks.md}, and the place of each task's box in its bytes. */
final class TaskFile {

  static final String NAME = "tasks.md";

  private final List<Story> stories = new ArrayList<>();
  private final List<Change.Problem> problems = new ArrayList<>();

  /** By the line of the task: the first hash of a record costs a process some milliseconds. */
  private final Map<Integer, BoxPlace> places = new HashMap<>();

  /** The line of the first task with an id, to detect duplicates. */
  private final Map<String, Integer> firstLines = new LinkedHashMap<>();

  private TaskFile() {}

  static TaskFile of(byte[] bytes) {
    TaskFile file = new TaskFile();
    file.new Reader(bytes).read();
    return file;
  }

  List<Story> stories() {
    return stories;
  }

  List<Change.Problem> problems() {
    return problems;
  }

  /** Returns the place of a task's box. */
  BoxPlace place(StoryTask task) {
    BoxPlace place = places.get(task.line());
    if (place == null) {
      throw RalphException.invalid("task is not in this file: " + task);
    }
    return place;
  }

  /**
   * Returns a text with a task ticked, or the same text if it has no such task or the task can't be
   * ticked.
   *
   * @param plan the tasks of the assignment
   */
  static String ticked(String text, String key, TaskPlan plan) {
    return ticked(text, Set.of(key), plan);
  }

  /**
   * Returns a text with additional ticks: those that a list contains now and did not contain
   * before.
   */
  static String tickedSince(String text, String before, String now) {
    TaskFile old = of(before.getBytes(StandardCharsets.UTF_8));
    TaskPlan plan = TaskPlan.NONE.next(TaskPlan.NONE.applyTo(old.stories));
    Set<String> ticked = ticked(plan.applyTo(of(now.getBytes(StandardCharsets.UTF_8)).stories));
    ticked.removeAll(ticked(plan.applyTo(old.stories)));
    return ticked(text, ticked, plan);
  }

  private static String ticked(String text, Set<String> keys, TaskPlan plan) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    TaskFile file = of(bytes);
    Map<String, List<StoryTask>> found =
        plan.applyTo(file.stories).stream()
            .flatMap(story -> story.tasks().stream())
            .filter(task -> keys.contains(task.key()))
            .collect(Collectors.groupingBy(StoryTask::key));
    for (List<StoryTask> tasks : found.values()) {
      BoxPlace place = file.place(tasks.get(0));
      if (tasks.size() == 1 && !tasks.get(0).done() && place.mark() >= 0) {
        place.tick(bytes);
      }
    }
    return found.isEmpty() ? text : new String(bytes, StandardCharsets.UTF_8);
  }

  private static Set<String> ticked(List<Story> stories) {
    return stories.stream()
        .flatMap(story -> story.tasks().stream())
        .filter(StoryTask::done)
        .map(StoryTask::key)
        .collect(Collectors.toCollection(HashSet::new));
  }

  /** A section that is being read. */
  private static final class Section {

    final String id;
    final String title;
    final int line;
    final List<StoryTask> tasks = new ArrayList<>();

    Section(String id, String title, int line) {
      this.id = id;
      this.title = title;
      this.line = line;
    }
  }

  /** Reads the file from its first line to its last. */
  private final class Reader {

    private final byte[] bytes;
    private final List<Section> sections = new ArrayList<>();
    private final Map<String, Section> byNumber = new LinkedHashMap<>();
    private Section section = new Section("", "", 0);
    private int lineNumber;

    /** The description of the present task, to which the next line may belong. */
    private @Nullable StringBuilder description;

    /** The lines below the present task; null while the next line may belong to its description. */
    private @Nullable StringBuilder details;

    /** The indentation of the present task in characters. */
    private int indent;

    private @Nullable CheckBox box;
    private @Nullable BoxPlace place;
    private int taskLine;

    Reader(byte[] bytes) {
      this.bytes = bytes;
    }

    void read() {
      sections.add(section);
      List<byte[]> lines = new ArrayList<>();
      List<String> texts = new ArrayList<>();
      for (int begin = 0; begin <= bytes.length; ) {
        int end = begin;
        while (end < bytes.length && bytes[end] != '\n') {
          end++;
        }
        byte[] line = Arrays.copyOfRange(bytes, begin, end);
        lines.add(line);
        texts.add(new String(line, StandardCharsets.UTF_8));
        begin = end + 1;
      }
      BitSet code = MarkdownLine.code(texts);
      long begin = 0;
      for (int i = 0; i < lines.size(); i++) {
        lineNumber++;
        take(begin, lines.get(i), texts.get(i), code.get(i));
        begin += lines.get(i).length + 1;
      }
      endTask();
      for (Section each : sections) {
        if (!each.tasks.isEmpty() || byNumber.containsValue(each)) {
          stories.add(new Story(each.id, each.title, each.tasks));
          if (each.tasks.isEmpty() && !places.isEmpty()) {
            problem(each.line, "story " + each.id + " has no tasks and is therefore complete");
          }
        }
      }
      if (places.isEmpty()) {
        problem(0, "no tasks; add lines such as '- [ ] 1.1 DESCRIPTION'");
      }
    }

    private void take(long begin, byte[] bytes, String line, boolean isCode) {
      CheckBox found = CheckBox.of(line);
      if (found != null) {
        endTask();
        box = found;
        place = new BoxPlace(begin, bytes, mark(line, found));
        taskLine = lineNumber;
        indent = MarkdownLine.skipSpace(line, 0);
        description = new StringBuilder(found.text());
        details = null;
      } else if (!isCode && headingLevel(line) > 0) {
        endTask();
        if (headingLevel(line) == 2) {
          beginSection(MarkdownLine.headingText(line));
        }
      } else if (description != null) {
        addToTask(description, line);
      }
    }

    /**
     * Adds a line to the present task: to its description, or to its details after the description
     * has ended.
     */
    private void addToTask(StringBuilder description, String line) {
      if (details == null && goesOn(line)) {
        description.append(description.length() == 0 ? "" : " ").append(MarkdownLine.strip(line));
        return;
      }
      details = details == null ? new StringBuilder() : details;
      if (details.length() == 0 && MarkdownLine.isBlank(line)) {
        return;
      }
      String text = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
      int from = Math.min(indent, MarkdownLine.skipSpace(text, 0));
      details.append(text, from, text.length()).append('\n');
    }

    /** Returns the level of a heading. Ignores a byte order mark in the first line. */
    private int headingLevel(String line) {
      boolean marked = lineNumber == 1 && line.startsWith("\uFEFF");
      return MarkdownLine.headingLevel(marked ? line.substring(1) : line);
    }

    /** Returns whether a line can continue the description of a task. */
    private boolean goesOn(String line) {
      return !MarkdownLine.isBlank(line)
          && MarkdownLine.afterBullet(line) < 0
          && MarkdownLine.fence(line).isEmpty()
          && !line.stripLeading().startsWith("<!--");
    }

    /** Returns the offset of the byte to tick, or -1 if the character is not a single byte. */
    private int mark(String line, CheckBox box) {
      if (box.mark() < 0 || line.charAt(box.mark()) >= 0x80) {
        return -1;
      }
      return line.substring(0, box.mark()).getBytes(StandardCharsets.UTF_8).length;
    }

    private void beginSection(String heading) {
      int end = MarkdownLine.skipDigits(heading, 0);
      boolean numbered =
          end > 0
              && end < heading.length()
              && heading.charAt(end) == '.'
              && (end + 1 == heading.length() || MarkdownLine.isSpace(heading.charAt(end + 1)));
      if (!numbered) {
        section = new Section("#" + (sections.size()), heading, lineNumber);
        sections.add(section);
        return;
      }
      String id = withoutZeros(heading.substring(0, end));
      Section known = byNumber.get(id);
      if (known != null) {
        problem(
            lineNumber, "a second story " + id + ", merged with the story on line " + known.line);
        section = known;
        return;
      }
      section = new Section(id, MarkdownLine.strip(heading.substring(end + 1)), lineNumber);
      byNumber.put(id, section);
      sections.add(section);
    }

    private void endTask() {
      if (description == null || box == null || place == null) {
        return;
      }
      String text = description.toString();
      TaskNumber number = TaskNumber.of(text);
      if (section.id.isEmpty()) {
        section = new Section("#0", "Tasks", taskLine);
        sections.set(0, section);
      }
      if (section.id.startsWith("#") && section.tasks.isEmpty()) {
        problem(
            section.line,
            "a story without a number, named "
                + section.id
                + " here; change its heading to '## 1. "
                + section.title
                + "'");
      }
      String id = number == null ? section.id + ".#" + (section.tasks.size() + 1) : number.number();
      if (number != null && !section.id.startsWith("#") && !isOf(section.id, id)) {
        problem(taskLine, "task " + id + " is listed under story " + section.id);
      }
      Integer first = firstLines.putIfAbsent(id, taskLine);
      if (first != null) {
        problem(taskLine, "a second task " + id + "; the first is on line " + first);
      }
      String plain = MarkdownLine.strip(number == null ? text : number.rest());
      section.tasks.add(new StoryTask(id, id, plain, below(), box.done(), taskLine));
      places.put(taskLine, place);
      description = null;
      box = null;
      place = null;
    }

    /** Returns the lines below a task, without leading and trailing blank lines. */
    private String below() {
      return details == null ? "" : details.toString().stripTrailing();
    }

    private void problem(int line, String message) {
      problems.add(new Change.Problem(Path.of(NAME), line, message));
    }
  }

  private static boolean isOf(String story, String task) {
    return withoutZeros(task.substring(0, task.indexOf('.'))).equals(story);
  }

  private static String withoutZeros(String number) {
    int at = 0;
    while (at < number.length() - 1 && number.charAt(at) == '0') {
      at++;
    }
    return number.substring(at);
  }
}

package dev.ralph.openspec;

import dev.ralph.log.RalphException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The stories and tasks of a {@code tasks.md}, and where in its bytes each task is ticked. */
final class TaskFile {

  static final String NAME = "tasks.md";

  /**
   * Where a task is ticked.
   *
   * @param begin the offset of its line's first byte
   * @param line the line's bytes, without the line feed
   * @param mark the offset, within the line, of the byte that becomes an x; -1 if there is none
   */
  record Place(long begin, byte[] line, int mark) {}

  private final List<Story> stories = new ArrayList<>();
  private final List<Change.Problem> problems = new ArrayList<>();

  /** By the tasks' lines: the first hash of a record costs a process some milliseconds. */
  private final Map<Integer, Place> places = new HashMap<>();

  /** Ids that several tasks have. */
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

  /** Returns where that task of this file is ticked. */
  Place place(StoryTask task) {
    Place place = places.get(task.line());
    if (place == null) {
      throw RalphException.invalid("no task of this file: " + task);
    }
    return place;
  }

  /**
   * Returns a text with a task ticked, or the same text if it has no task of that id, or one whose
   * box can't be ticked.
   */
  static String ticked(String text, String id) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    TaskFile file = of(bytes);
    List<StoryTask> found =
        file.stories.stream()
            .flatMap(story -> story.tasks().stream())
            .filter(task -> task.id().equals(id))
            .toList();
    if (found.size() != 1 || found.get(0).done()) {
      return text;
    }
    Place place = file.place(found.get(0));
    if (place.mark() < 0) {
      return text;
    }
    bytes[Math.toIntExact(place.begin() + place.mark())] = 'x';
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Returns a text with those tasks ticked that are ticked in a list now, and were not before. */
  static String tickedSince(String text, String before, String now) {
    Set<String> old = ticked(before);
    String ticked = text;
    for (String id : ticked(now)) {
      ticked = old.contains(id) ? ticked : ticked(ticked, id);
    }
    return ticked;
  }

  private static Set<String> ticked(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8)).stories.stream()
        .flatMap(story -> story.tasks().stream())
        .filter(StoryTask::done)
        .map(StoryTask::id)
        .collect(Collectors.toSet());
  }

  /** A section while its tasks are read. */
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

    /** The task that the next line may go on with. */
    private @Nullable StringBuilder description;

    private @Nullable CheckBox box;
    private @Nullable Place place;
    private int taskLine;

    Reader(byte[] bytes) {
      this.bytes = bytes;
    }

    void read() {
      sections.add(section);
      int begin = 0;
      while (begin <= bytes.length) {
        int end = begin;
        while (end < bytes.length && bytes[end] != '\n') {
          end++;
        }
        byte[] line = new byte[end - begin];
        System.arraycopy(bytes, begin, line, 0, line.length);
        lineNumber++;
        take(begin, line, new String(line, StandardCharsets.UTF_8));
        begin = end + 1;
      }
      endTask();
      for (Section each : sections) {
        if (!each.tasks.isEmpty() || byNumber.containsValue(each)) {
          stories.add(new Story(each.id, each.title, each.tasks));
          if (each.tasks.isEmpty() && !places.isEmpty()) {
            problem(each.line, "story " + each.id + " has no tasks, so it counts as complete");
          }
        }
      }
      if (places.isEmpty()) {
        problem(0, "no tasks; write each as '- [ ] 1.1 What is to be done'");
      }
    }

    private void take(long begin, byte[] bytes, String line) {
      CheckBox found = CheckBox.of(line);
      if (found != null) {
        endTask();
        box = found;
        place = new Place(begin, bytes, mark(line, found));
        taskLine = lineNumber;
        description = new StringBuilder(found.text());
      } else if (headingLevel(line) > 0) {
        endTask();
        if (headingLevel(line) == 2) {
          beginSection(MarkdownLine.headingText(line));
        }
      } else if (goesOn(line)) {
        if (description != null) {
          description.append(description.length() == 0 ? "" : " ").append(MarkdownLine.strip(line));
        }
      } else {
        endTask();
      }
    }

    /** A mark of the byte order may stand before the first one. */
    private int headingLevel(String line) {
      boolean marked = lineNumber == 1 && line.startsWith("\uFEFF");
      return MarkdownLine.headingLevel(marked ? line.substring(1) : line);
    }

    /** Returns whether the line can be a further one of a task's text. */
    private boolean goesOn(String line) {
      return !MarkdownLine.isBlank(line)
          && MarkdownLine.afterBullet(line) < 0
          && MarkdownLine.fence(line).isEmpty()
          && !line.stripLeading().startsWith("<!--");
    }

    /** Returns the offset of the byte to tick, or -1 if the mark is not one byte. */
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
            lineNumber,
            "a second story " + id + ", taken for a part of the one on line " + known.line);
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
      int end = numberEnd(text);
      String own = text.substring(0, end);
      if (section.id.isEmpty()) {
        section = new Section("#0", "Tasks", taskLine);
        sections.set(0, section);
      }
      if (section.id.startsWith("#") && section.tasks.isEmpty()) {
        problem(
            section.line,
            "a story without a number, called "
                + section.id
                + " here; write its heading as '## 1. "
                + section.title
                + "'");
      }
      String id = end > 0 ? own : section.id + ".#" + (section.tasks.size() + 1);
      if (end > 0 && !section.id.startsWith("#") && !isOf(section.id, own)) {
        problem(taskLine, "task " + own + " stands under story " + section.id);
      }
      Integer first = firstLines.putIfAbsent(id, taskLine);
      if (first != null) {
        problem(taskLine, "a second task " + id + "; the first is on line " + first);
      }
      StoryTask task =
          new StoryTask(id, MarkdownLine.strip(afterNumber(text, end)), box.done(), taskLine);
      section.tasks.add(task);
      places.put(taskLine, place);
      description = null;
      box = null;
      place = null;
    }

    private void problem(int line, String message) {
      problems.add(new Change.Problem(Path.of(NAME), line, message));
    }
  }

  /** Returns where the number of a task ends that its text begins with, 0 if it has none. */
  private static int numberEnd(String text) {
    int at = MarkdownLine.skipDigits(text, 0);
    int parts = at > 0 ? 1 : 0;
    while (parts > 0 && at < text.length() && text.charAt(at) == '.') {
      int next = MarkdownLine.skipDigits(text, at + 1);
      if (next == at + 1) {
        break;
      }
      at = next;
      parts++;
    }
    if (parts < 2) {
      return 0;
    }
    while (at < text.length() && isLetter(text.charAt(at))) {
      at++;
    }
    int behind = at < text.length() && ".:)".indexOf(text.charAt(at)) >= 0 ? at + 1 : at;
    return behind == text.length() || MarkdownLine.isSpace(text.charAt(behind)) ? at : 0;
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
  }

  private static String afterNumber(String text, int end) {
    boolean marked = end > 0 && end < text.length() && ".:)".indexOf(text.charAt(end)) >= 0;
    return text.substring(marked ? end + 1 : end);
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

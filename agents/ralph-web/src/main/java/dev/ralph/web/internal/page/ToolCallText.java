package dev.ralph.web.internal.page;

import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Renders the arguments of a tool call as one line: the command, or the file and the size of the
 * change, such as {@code LoginForm.java +3 -1}. Agent clients have different names for the same
 * argument.
 */
final class ToolCallText {

  private static final int LONGEST = 600;

  /** The largest product of changed lines for which the exact difference is computed. */
  private static final int MOST_COMPARED = 250_000;

  private static final List<String> FILES =
      List.of("file_path", "filePath", "path", "notebook_path", "file", "filename", "abs_path");
  private static final List<String> SUBJECTS =
      List.of("command", "pattern", "query", "url", "prompt", "description");
  private static final List<String> OLD =
      List.of("old_string", "oldString", "old_str", "oldText", "old_source");
  private static final List<String> NEW =
      List.of("new_string", "newString", "new_str", "newText", "new_source");
  private static final List<String> CONTENTS = List.of("content", "contents", "file_text");
  private static final List<String> PATCHES =
      List.of("patch", "patchText", "diff", "unified_diff", "input");

  private final List<String> files = new ArrayList<>();
  private long added;
  private long removed;
  private boolean isChange;

  private ToolCallText() {}

  /** Returns the line, or an empty string without arguments. */
  static String of(Meta arguments) {
    ToolCallText text = new ToolCallText();
    text.read(arguments);
    for (String name : List.of("edits", "changes")) {
      text.readAll(arguments, name);
    }
    return PageJson.cut(text.line(arguments), LONGEST);
  }

  private void read(Meta arguments) {
    String file = first(arguments, FILES);
    if (file != null) {
      add(file);
    }
    String old = first(arguments, OLD);
    String replacement = first(arguments, NEW);
    String content = file == null ? null : first(arguments, CONTENTS);
    if (old != null || replacement != null) {
      compare(old == null ? "" : old, replacement == null ? "" : replacement);
    } else if (content != null) {
      compare("", content);
    }
    String patch = first(arguments, PATCHES);
    if (patch != null && isPatch(patch)) {
      readPatch(patch);
    }
  }

  /** Reads changes in a list, or in an object whose member names are the files. */
  private void readAll(Meta arguments, String name) {
    for (Meta each : arguments.objects(name)) {
      read(each);
    }
    Meta byFile = arguments.object(name);
    if (byFile != null) {
      for (String file : byFile.keys()) {
        add(file);
        Meta change = byFile.object(file);
        if (change != null) {
          read(change);
        }
      }
    }
  }

  private void add(String path) {
    String end = path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
    String file = end.isEmpty() ? path : end;
    if (!files.contains(file)) {
      files.add(file);
    }
  }

  private static boolean isPatch(String text) {
    return text.startsWith("*** Begin Patch")
        || text.startsWith("--- ")
        || text.startsWith("@@")
        || text.startsWith("diff ");
  }

  private void readPatch(String patch) {
    isChange = true;
    for (String line : lines(patch)) {
      if (line.startsWith("*** ") && line.indexOf("File: ") > 0) {
        add(line.substring(line.indexOf("File: ") + "File: ".length()).strip());
      } else if (line.startsWith("+++ b/")) {
        add(line.substring("+++ b/".length()).strip());
      } else if (line.startsWith("+") && !line.startsWith("+++ ")) {
        added++;
      } else if (line.startsWith("-") && !line.startsWith("--- ")) {
        removed++;
      }
    }
  }

  /** Counts added and removed lines by the longest common subsequence. */
  private void compare(String old, String replacement) {
    isChange = true;
    List<String> before = lines(old);
    List<String> after = lines(replacement);
    int start = 0;
    while (start < Math.min(before.size(), after.size())
        && before.get(start).equals(after.get(start))) {
      start++;
    }
    int same = 0;
    while (same < Math.min(before.size(), after.size()) - start
        && before.get(before.size() - 1 - same).equals(after.get(after.size() - 1 - same))) {
      same++;
    }
    before = before.subList(start, before.size() - same);
    after = after.subList(start, after.size() - same);
    int common = common(before, after);
    removed += before.size() - common;
    added += after.size() - common;
  }

  private static int common(List<String> before, List<String> after) {
    if ((long) before.size() * after.size() > MOST_COMPARED) {
      return 0;
    }
    int[] row = new int[after.size() + 1];
    for (String line : before) {
      int diagonal = 0;
      for (int i = 1; i < row.length; i++) {
        int above = row[i];
        row[i] = line.equals(after.get(i - 1)) ? diagonal + 1 : Math.max(above, row[i - 1]);
        diagonal = above;
      }
    }
    return row[row.length - 1];
  }

  private static List<String> lines(String text) {
    return text.lines().toList();
  }

  private String line(Meta arguments) {
    String subject = first(arguments, SUBJECTS);
    if (isChange || (!files.isEmpty() && subject == null)) {
      String more = files.size() > 1 ? " and " + (files.size() - 1) + " more" : "";
      String size = (added > 0 ? " +" + added : "") + (removed > 0 ? " -" + removed : "");
      return ((files.isEmpty() ? "" : files.get(0) + more) + size).strip();
    }
    if (subject != null) {
      return firstLine(subject) + (files.isEmpty() ? "" : " in " + files.get(0));
    }
    for (String key : arguments.keys()) {
      String text = arguments.string(key);
      if (text != null && !text.isBlank()) {
        return firstLine(text);
      }
    }
    return arguments.keys().isEmpty() ? "" : firstLine(arguments.json());
  }

  private static String firstLine(String text) {
    String stripped = text.strip();
    int end = stripped.indexOf('\n');
    return end < 0 ? stripped : stripped.substring(0, end).stripTrailing() + " …";
  }

  private static @Nullable String first(Meta arguments, List<String> names) {
    for (String name : names) {
      String text = arguments.string(name);
      if (text != null) {
        return text;
      }
    }
    return null;
  }
}

package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A corpus of lists that are edited between the assignment of a task and its tick. The tick changes
 * one byte, in the line of the task; a task without a line ticks nothing.
 */
class EditedFilesTest {

  private static final List<String> WORDS = List.of("Alpha", "Beta", "Gamma");

  /** In each list, the tasks to tick are the lines with an open box and one of the words. */
  private static final Map<String, String> LISTS = new LinkedHashMap<>();

  private static final Map<String, UnaryOperator<String>> EDITS = new LinkedHashMap<>();

  static {
    list("plain", "## 1. Work", "- [ ] Alpha", "- [ ] Beta", "- [ ] Gamma");
    list("odd bullets", "## 1. Work", "* [ ] Alpha", "+ [ ] Beta", "-\t[ ]  Gamma");
    list("numbered items", "## 1. Work", "1. [ ] Alpha", "2) [ ] Beta", "10. [ ] Gamma");
    list("indented", "## 1. Work", "  - [ ] Alpha", "   - [ ] Beta", "  * [ ] Gamma");
    list("details", "## 1. Work", "- [ ] Alpha", "- [ ] Beta", "- [ ] Gamma", "  more", "  - a");
    list("ticked", "## 1. Work", "- [x] Done", "- [ ] Alpha", "- [X] Did", "- [ ] Beta");
    list(
        "code fences",
        "## 1. Work",
        "```md",
        "## 9. Example",
        "- [ ] example",
        "```",
        "- [ ] Alpha",
        "~~~~",
        "- [ ] Test",
        "```",
        "~~~~",
        "- [ ] Beta",
        "- [ ] Gamma");
    list("comments", "## 1. Work", "<!-- - [ ] hidden -->", "- [ ] Alpha", "- [ ] Beta");
    list("Chinese", "## 1. 工作", "- [ ] 编写 Alpha 测试", "- [ ] 修复 Beta 🚀", "- [ ] Gamma");
    list("German", "## 1. Ü", "- [ ] größer als Alpha", "- [ ] weiß Beta", "- [ ] Gamma ẞ");
    list("Arabic", "## 1. عمل", "- [ ] اختبار Alpha", "- [ ] Beta إصلاح", "- [ ] Gamma");
    list("numbers", "## 1. Work", "- [ ] 1.1 Alpha", "- [ ] 1.2 Beta", "- [ ] 1.10 Gamma");
    list("bold", "## 1. Work", "- [ ] **1.1** Alpha", "- [ ] **1.2** Beta", "- [ ] **1.3** Gamma");
    list("code", "## 1. Work", "- [ ] `1.1` Alpha", "- [ ] `1.2` Beta", "- [ ] `1.3` Gamma");
    list("mixed", "## 1. Work", "- [ ] **1.1:** Alpha", "- [ ] 1.2) Beta", "- [ ] _1.3_ Gamma");
    list("equal", "## 1. Work", "- [ ] Test", "- [ ] Alpha", "- [ ] Test", "- [ ] Beta");
    list(
        "stories",
        "## 1. A",
        "- [ ] Alpha",
        "",
        "## 2. B",
        "- [ ] Beta",
        "",
        "## 3. C",
        "- [ ] Gamma");
    list("unnumbered", "## Work", "- [ ] Alpha", "", "## Rest", "- [ ] Beta", "- [ ] Gamma");
    list(
        "front matter",
        "---",
        "title: '- [ ] x'",
        "---",
        "## 1. Work",
        "- [ ] Alpha",
        "- [ ] Beta");
    LISTS.put("CRLF", LISTS.get("details").replace("\n", "\r\n"));
    LISTS.put("mixed line breaks", LISTS.get("plain").replace("Alpha\n", "Alpha\r\n"));
    LISTS.put("no last line break", "## 1. Work\n- [ ] Alpha\n- [ ] Beta\n- [ ] Gamma");
    LISTS.put("byte order mark", "\uFEFF" + LISTS.get("numbers"));

    EDITS.put("none", text -> text);
    EDITS.put("removed", text -> without(text, "Alpha"));
    EDITS.put("inserted", text -> before(text, "Alpha", "- [ ] Novum"));
    EDITS.put("inserted later", text -> before(text, "Beta", "- [ ] Novum"));
    EDITS.put("swapped", text -> swapped(text, "Alpha", "Beta"));
    EDITS.put("annotated", text -> text.replace("Beta", "Beta (see notes)"));
    EDITS.put("ticked by the agent", text -> text.replaceFirst("\\[ ](?=[^\n]*Alpha)", "[x]"));
    EDITS.put("section above", text -> before(text, "## ", "## Notes"));
    EDITS.put("other line breaks", text -> text.replace("\r\n", "\n"));
  }

  private static void list(String name, String... lines) {
    LISTS.put(name, String.join("\n", lines) + "\n");
  }

  /** Returns the start of the line that contains a text. */
  private static int start(String text, String part) {
    return text.lastIndexOf('\n', text.indexOf(part)) + 1;
  }

  /** Returns the line that contains a text, with its line break. */
  private static String line(String text, String part) {
    int start = start(text, part);
    int end = text.indexOf('\n', start);
    return text.substring(start, end < 0 ? text.length() : end + 1);
  }

  private static String without(String text, String part) {
    return text.replace(line(text, part), "");
  }

  private static String before(String text, String part, String added) {
    int start = Math.max(text.indexOf("\n---\n") + 1, start(text, part));
    start = start == 0 && text.startsWith("\uFEFF") ? 1 : start;
    return text.substring(0, start) + added + "\n" + text.substring(start);
  }

  private static String swapped(String text, String one, String other) {
    String first = line(text, one).strip();
    String second = line(text, other).strip();
    return text.replace(first, "\0").replace(second, first).replace("\0", second);
  }

  static Stream<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    LISTS.forEach(
        (list, text) ->
            EDITS.forEach((edit, edits) -> cases.add(Arguments.of(list, edit, text, edits))));
    return cases.stream();
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("cases")
  void editedList_ticksTheLineOfTheTask(
      String list, String edit, String text, UnaryOperator<String> edits, @TempDir Path project)
      throws IOException {
    Path folder = Files.createDirectories(project.resolve("openspec/changes/add-login"));
    Files.writeString(folder.resolve("proposal.md"), "## Why\n");
    Path tasks = folder.resolve("tasks.md");
    for (String word : WORDS) {
      if (!text.contains(word)) {
        continue;
      }
      Files.writeString(tasks, text);
      try (Ralph ralph = Ralph.builder().store("memory").open()) {
        ChangeSession work = ChangeSession.begin(ralph, project, "add-login", null);
        List<Story> stories = work.assign().stories();
        String edited = edits.apply(text);
        Files.writeString(tasks, edited);
        String expected = ticked(edited, word);

        String task = task(story(stories, word), word).id();
        if (expected == null) {
          String story = story(stories, word).id();
          assertThatThrownBy(() -> work.done(story, task)).isInstanceOf(RalphException.class);
        } else {
          work.done(story(work.change().stories(), word).id(), task);
        }
        byte[] bytes = (expected == null ? edited : expected).getBytes(StandardCharsets.UTF_8);
        assertThat(tasks).as("%s in %s, %s", word, list, edit).hasBinaryContent(bytes);
      }
    }
  }

  private static Story story(List<Story> stories, String word) {
    return stories.stream()
        .filter(each -> each.tasks().stream().anyMatch(task -> task.text().contains(word)))
        .findFirst()
        .orElseThrow();
  }

  private static StoryTask task(Story story, String word) {
    return story.tasks().stream()
        .filter(each -> each.text().contains(word))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the text with the box of a word ticked, or null if no line contains the word. */
  private static String ticked(String text, String word) {
    int at = text.indexOf(word);
    if (at < 0) {
      return null;
    }
    int start = start(text, word);
    String line = text.substring(start, at);
    return text.substring(0, start) + line.replace("[ ]", "[x]") + text.substring(at);
  }
}

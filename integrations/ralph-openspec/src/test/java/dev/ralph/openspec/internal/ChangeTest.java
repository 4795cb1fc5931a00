package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.ralph.log.NotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeTest {

  @TempDir Path project;
  private Path folder;

  @BeforeEach
  void makeAChange() throws IOException {
    folder = Files.createDirectories(project.resolve("openspec/changes/add-login"));
    Files.writeString(folder.resolve("proposal.md"), "## Why\nPeople want in.\n");
  }

  private Change tasks(String text) throws IOException {
    Files.writeString(folder.resolve("tasks.md"), text);
    return Change.read(folder);
  }

  private static List<String> messages(Change change) {
    return change.problems().stream().map(Change.Problem::toString).toList();
  }

  // ---- stories and tasks

  @Test
  void storiesAndTasks_haveNumbers() throws IOException {
    Change change =
        tasks(
            """
            # Tasks

            ## 1. The form
            - [x] 1.1 Draw it
            - [ ] 1.2 Check it,
                  on every key

              - [ ] 1.2.1 Nested

            ## 2. The door
            * [X] 2.1 Open it
            1. [ ] 2.10a Close it
            """);

    assertThat(change.problems()).isEmpty();
    assertThat(change.stories())
        .containsExactly(
            new Story(
                "1",
                "The form",
                List.of(
                    new StoryTask("1.1", "1.1", "Draw it", "", true, 4),
                    new StoryTask("1.2", "1.2", "Check it, on every key", "", false, 5),
                    new StoryTask("1.2.1", "1.2.1", "Nested", "", false, 8))),
            new Story(
                "2",
                "The door",
                List.of(
                    new StoryTask("2.1", "2.1", "Open it", "", true, 11),
                    new StoryTask("2.10a", "2.10a", "Close it", "", false, 12))));
    assertThat(change.nextStory()).map(Story::id).contains("1");
  }

  @Test
  void byteOrderMark_isNotPartOfHeading() throws IOException {
    Change change = tasks("\uFEFF## 1. A\n- [ ] 1.1 a\n\uFEFF## 2. B\n");
    assertThat(change.stories())
        .extracting(Story::id, Story::title)
        .containsExactly(tuple("1", "A"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1.1 a        | 1.1    | a",
        "1.1. a       | 1.1    | a",
        "1.1: a       | 1.1    | a",
        "1.1) a       | 1.1    | a",
        "1.1\u00a0a  | 1.1    | a",
        "1.2.3.4 a    | 1.2.3.4 | a",
        "1.10 a       | 1.10   | a",
        "1.1azAZ a    | 1.1azAZ | a",
        "1.1a: b      | 1.1a   | b",
        "1.1          | 1.1    | ''",
        "1.1:         | 1.1    | ''",
        "1.1b         | 1.1b   | ''",
        "1 a          | 1.#1   | 1 a",
        "1. a         | 1.#1   | 1. a",
        ".1 a         | 1.#1   | .1 a",
        "1..1 a       | 1.#1   | 1..1 a",
        "1.1.. a      | 1.#1   | 1.1.. a",
        "1.1:: a      | 1.#1   | 1.1:: a",
        "1.1:a        | 1.#1   | 1.1:a",
        "1.1-a        | 1.#1   | 1.1-a",
        "1.1a2 b      | 1.#1   | 1.1a2 b",
        "1.1@ a       | 1.#1   | 1.1@ a",
        "1.1[ a       | 1.#1   | 1.1[ a",
        "1.1` a       | 1.#1   | 1.1` a",
        "1.1{ a       | 1.#1   | 1.1{ a",
        "a 1.1        | 1.#1   | a 1.1",
      })
  void taskNumber_hasTwoOrMoreParts(String text, String id, String description) throws IOException {
    assertThat(tasks("## 1. A\n- [ ] " + text + "\n").stories().get(0).tasks())
        .containsExactly(new StoryTask(id, id, description, "", false, 2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "b|a b",
        "  b  |a b",
        "b~c|a b c",
        "####### b|a ####### b",
        "#b|a #b",
        "``b|a ``b",
        "b <!-- c -->|a b <!-- c -->",
        "~b|a",
        " \t~b|a",
        "- b|a",
        "  * b~c|a",
        "+ b|a",
        "1. b|a",
        "2) b|a",
        "# b|a",
        "```~b|a",
        "  ```~b|a",
        "<!-- b -->|a",
        "\t<!-- b -->~c|a",
      })
  void task_endsAtBlankLineItemOrHeading(String lines, String description) throws IOException {
    String behind = lines.replace('~', '\n');
    assertThat(tasks("## 1. A\n- [ ] 1.1 a\n" + behind + "\n").stories().get(0).tasks())
        .extracting(StoryTask::id, StoryTask::description)
        .containsExactly(tuple("1.1", description));
  }

  @Test
  void linesBelowATask_areItsDetails() throws IOException {
    String text =
        """
        ## 1. A
          - [ ] 1.1 Do it,
            all of it
            - with care

            ```sh
            ## no heading
            run
            ```

        A paragraph.

        - [ ] **1.2** Next
        """;
    List<StoryTask> tasks = tasks(text.replace("\n", "\r\n")).stories().get(0).tasks();
    assertThat(tasks)
        .extracting(StoryTask::id, StoryTask::description)
        .containsExactly(tuple("1.1", "Do it, all of it"), tuple("1.2", "Next"));
    assertThat(tasks.get(0).details())
        .isEqualTo(
            "  - with care\n\n  ```sh\n## no heading\n  run\n  ```\n\nA paragraph."
                .replace("\n## no", "\n  ## no"));
    assertThat(tasks.get(1).text()).isEqualTo("Next");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          **1.3** text    | 1.3  | text
          **1.3 text**    | 1.3  | **text**
          **1.3:** text   | 1.3  | text
          **1.3**: text   | 1.3  | text
          `1.3` text      | 1.3  | text
          _1.3_ text      | 1.3  | text
          ~~1.3~~ text    | 1.3  | text
          (1.3) text      | 1.3  | text
          **`1.3b`** text | 1.3b | text
          **1.3 text      | 1.3  | **text
          **1.3** text, 2 | 1.3  | text, 2
          `1.3 text`      | 1.#1 | `1.3 text`
          **3** text      | 1.#1 | **3** text
          """)
  void decoratedNumber_isTheNumberOfTheTask(String line, String id, String text)
      throws IOException {
    assertThat(tasks("## 1. A\n- [ ] " + line + "\n").stories().get(0).tasks())
        .extracting(StoryTask::id, StoryTask::description)
        .containsExactly(tuple(id, text));
  }

  @ParameterizedTest
  @CsvSource({"```,2", "~~~,2", "````,3", "'``` ',2"})
  void headingInACodeBlock_beginsNoStory(String fence, int stories) throws IOException {
    String text = "## 1. A\n- [ ] 1.1 a\n" + fence + "\n## 9. B\n```\n~~~\n## 2. C\n- [ ] 2.1 c\n";
    assertThat(tasks(text).stories()).hasSize(stories);
  }

  @Test
  void boxWithoutText_takesNextLine() throws IOException {
    assertThat(tasks("## 1. A\n- [ ]\n  a\n\nb\n").stories().get(0).tasks())
        .containsExactly(new StoryTask("1.#1", "1.#1", "a", "b", false, 2));
  }

  @Test
  void unnumberedTask_isNamedByPosition() throws IOException {
    Change change = tasks("## 1. One\n- [ ] a\n- [ ] 1.1 b\n- [x] 3 c\n\n## Later\n- [ ] d\n");

    assertThat(change.stories())
        .extracting(Story::id, story -> story.tasks().stream().map(StoryTask::id).toList())
        .containsExactly(tuple("1", List.of("1.#1", "1.1", "1.#3")), tuple("#2", List.of("#2.#1")));
    assertThat(messages(change))
        .containsExactly(
            "tasks.md:6: a story without a number, named #2 here; change its heading to '## 1."
                + " Later'");
  }

  @Test
  void problems_areListedTogether() throws IOException {
    Files.delete(folder.resolve("proposal.md"));
    Change change =
        tasks(
            "- [ ] loose\n## 1. A\n- [ ] 2.1 astray\n- [ ] 1.1 b\n- [ ] 1.1 c\n## 01. Again\n## 2. B\n");

    assertThat(messages(change))
        .containsExactly(
            "tasks.md:1: a story without a number, named #0 here; change its heading to '## 1."
                + " Tasks'",
            "tasks.md:3: task 2.1 is listed under story 1",
            "tasks.md:5: a second task 1.1; the first is on line 4",
            "tasks.md:6: a second story 1, merged with the story on line 2",
            "tasks.md:7: story 2 has no tasks and is therefore complete",
            "proposal.md: missing");
  }

  /** Lines that OpenSpec's own tool counts or does not count as tasks. */
  @ParameterizedTest
  @FieldSource("dev.ralph.openspec.internal.TaskLines#COUNTED")
  void lineCountedByOpenSpec_isTask(String line) throws IOException {
    assertThat(tasks("## 1. A\n```\n" + line + "\r\n```\n").stories().get(0).tasks()).hasSize(1);
  }

  @ParameterizedTest
  @FieldSource("dev.ralph.openspec.internal.TaskLines#OTHERS")
  void lineNotCountedByOpenSpec_isNoTask(String line) throws IOException {
    Change change = tasks("## 1. A\n" + line + "\n");
    assertThat(change.stories()).allMatch(story -> story.tasks().isEmpty());
    assertThat(messages(change))
        .containsExactly("tasks.md: no tasks; add lines such as '- [ ] 1.1 DESCRIPTION'");
  }

  @Test
  void unknownChange_isNamedWithExistingChanges() throws IOException {
    assertThatThrownBy(() -> Change.read(project, "add-logout"))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("'add-logout'")
        .hasMessageContaining("available: add-login");
    Files.createDirectories(project.resolve("openspec/changes/archive/2026-01-01-old"));
    Files.createDirectories(project.resolve("openspec/changes/.hidden"));
    for (String name :
        List.of(
            "",
            ".",
            "..",
            "../changes/add-login",
            "add-login/",
            "add-login/.",
            "/etc",
            "archive",
            ".hidden")) {
      assertThatThrownBy(() -> Change.read(project, name)).isInstanceOf(NotFoundException.class);
    }
    assertThat(Change.read(project, "add-login").name()).isEqualTo("add-login");
  }

  // ---- ticks

  @ParameterizedTest
  @CsvSource({"1.1, 2", "1.10, 3", "1.#3, 4", "2.1, 7"})
  void tick_changesSingleByte(String id, int line) throws IOException {
    String text =
        "## 1. Ä\r\n- [ ] 1.1 größer\r\n * [~] 1.10 b\r\n1) [  ] c\r\n\r\n## 2. B\r\n- [ ] 2.1 d";
    Change change = tasks(text);

    assertThat(tick(change, id)).isTrue();

    byte[] before = text.getBytes(StandardCharsets.UTF_8);
    byte[] after = Files.readAllBytes(folder.resolve("tasks.md"));
    assertThat(after).hasSameSizeAs(before);
    int changed = 0;
    for (int i = 0; i < before.length; i++) {
      changed += before[i] == after[i] ? 0 : 1;
    }
    assertThat(changed).isEqualTo(1);
    List<StoryTask> done =
        Change.read(folder).stories().stream()
            .flatMap(story -> story.tasks().stream())
            .filter(StoryTask::done)
            .toList();
    assertThat(done).extracting(StoryTask::id).containsExactly(id);
    assertThat(done).extracting(StoryTask::line).containsExactly(line);
  }

  private boolean tick(Change change, String id) {
    StoryTask task = task(change, id);
    return TaskTick.set(folder.resolve("tasks.md"), task, change.taskFile().place(task));
  }

  private static StoryTask task(Change change, String id) {
    return change.stories().stream()
        .flatMap(story -> story.tasks().stream())
        .filter(each -> each.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  /** Editors may delete a file before they write the next version. */
  @Test
  void missingFile_isNotTickedOrCreated() throws IOException {
    Change change = tasks("## 1. A\n- [ ] 1.1 a\n");
    Path tasks = folder.resolve("tasks.md");
    Files.delete(tasks);

    assertThat(tick(change, "1.1")).isFalse();
    assertThat(tasks).doesNotExist();
  }

  @Test
  void movedLine_isNotTicked() throws IOException {
    Change change = tasks("## 1. A\n- [ ] 1.1 a\n- [ ] 1.2 b\n");
    for (String edited :
        List.of(
            "## 1. AB\n- [ ] 1.1 a\n- [ ] 1.2 b\n",
            "## 1. A\n- [ ] 1.1 ab\n- [ ] 1.2 b\n",
            "## 1. A\n- [ ] 1.2 b\n- [ ] 1.1 a\n",
            "## 1. A - [ ] 1.1 a\n- [ ] 1.2 b\n",
            "## 1. A\n- [ ] 1.1 ",
            "## 1. A\n",
            "")) {
      Files.writeString(folder.resolve("tasks.md"), edited);
      assertThat(tick(change, "1.1")).as(edited).isFalse();
      assertThat(folder.resolve("tasks.md")).hasContent(edited);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "- [ ] 1.1 a~- [ ] 1.2 b~ | - [ ] 1.1 a~- [ ] 1.2 c~- [ ] 1.3 d",
        "- [ ] 1.1 a~- [ ] 1.2 b~ | - [ ] 1.1 a",
        "## 1. A~- [ ] 1.1 a      | ## 1. A~- [ ] 1.1 a~more",
        "## 1. A~- [ ] 1.1 a~     | ## 1. B~- [ ] 1.1 a",
      })
  void editBesideLine_doesNotPreventTick(String read, String edited) throws IOException {
    Change change = tasks(read.replace('~', '\n'));
    Files.writeString(folder.resolve("tasks.md"), edited.replace('~', '\n'));
    assertThat(tick(change, "1.1")).isTrue();
    assertThat(folder.resolve("tasks.md"))
        .hasContent(edited.replace('~', '\n').replace("- [ ] 1.1", "- [x] 1.1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "[✓]", "[\u00A0]", "[ ](link)"})
  void boxWithoutRoom_isRefused(String box) throws IOException {
    Change change = tasks("## 1. A\n- " + box + " a\n");
    assertThatThrownBy(() -> tick(change, "1.#1"))
        .hasMessageContaining("task 1.#1 on line 2")
        .hasMessageContaining("'- [ ] '");
  }

  // ---- scenarios

  @Test
  void scenarios_areReadFromAllSpecs() throws IOException {
    Path spec = Files.createDirectories(folder.resolve("specs/auth/login")).resolve("spec.md");
    Files.writeString(
        spec,
        """
        ## ADDED Requirements

        ### Requirement: People sign in ###
        The system SHALL let people in.

        #### Scenario: The right word
        - **GIVEN** somebody with a word
        - **AND** a door
        - **WHEN** they say it
          aloud
        - AND: wait
        - **THEN** they are in
        * **AND** see the hall

        ```markdown
        #### Scenario: Not one
        - **WHEN** it stands in an example
        ```

        #### Scenario: Unfinished
        GIVEN nothing

        ## REMOVED Requirements
        ### Requirement: The key
        #### Scenario: Gone
        - **WHEN** x
        """);
    Change change = tasks("## 1. A\n- [ ] 1.1 a\n");

    assertThat(change.scenarios())
        .containsExactly(
            new Change.Scenario(
                "People sign in",
                "The right word",
                List.of("somebody with a word", "a door"),
                "they say it aloud and wait",
                List.of("they are in", "see the hall")),
            new Change.Scenario("People sign in", "Unfinished", List.of("nothing"), "", List.of()));
    assertThat(messages(change))
        .containsExactly(
            "specs/auth/login/spec.md:20: the scenario 'Unfinished' has no WHEN; write it as '-"
                + " **WHEN** …'");
    assertThat(change.requirements())
        .extracting(Change.Requirement::operation, Change.Requirement::title)
        .containsExactly(tuple("ADDED", "People sign in"), tuple("REMOVED", "The key"));
    assertThat(change.requirements().get(0).text())
        .startsWith("The system SHALL let people in.\n\n#### Scenario: The right word\n")
        .contains("```markdown\n#### Scenario: Not one\n")
        .endsWith("GIVEN nothing");
  }

  @Test
  void foreignLanguageSpec_losesNoLine() throws IOException {
    Path spec = Files.createDirectories(folder.resolve("specs/auth")).resolve("spec.md");
    Files.writeString(
        spec,
        """
        ## Purpose
        Words.
        ## MODIFIED Requirements
        ### Requirement: 登录
        系统必须允许用户登录。
        #### Scenario: 正确
        - **当** 用户登录
        - **那么** 显示首页
        #### Scenario: Marked up
        > *WHEN* it is quoted
        | **THEN** | it is a row |
        ## RENAMED Requirements
        - FROM: `### Requirement: Old`
        - TO: `### Requirement: New`
        """);
    Change change = tasks("## 1. A\n- [ ] 1.1 a\n");
    assertThat(change.requirements())
        .extracting(Change.Requirement::operation, Change.Requirement::title)
        .containsExactly(tuple("", ""), tuple("MODIFIED", "登录"), tuple("RENAMED", ""));
    assertThat(change.requirements().get(2).text()).contains("Requirement: Old").contains("New");
    assertThat(change.scenarios().get(0).given()).containsExactly("**当** 用户登录", "**那么** 显示首页");
    assertThat(change.scenarios().get(1).when()).isEqualTo("it is quoted");
    assertThat(change.scenarios().get(1).then()).containsExactly("it is a row |");
  }

  @Test
  void pipeOrLink_isNotRead() throws Exception {
    tasks("## 1. A\n- [ ] 1.1 a\n");
    Path specs = Files.createDirectories(folder.resolve("specs"));
    Files.createSymbolicLink(specs.resolve("all"), Path.of("/"));
    assertThatThrownBy(() -> Change.read(project, "add-login"))
        .hasMessageContaining(specs.resolve("all") + " is a symbolic link");
    Files.delete(specs.resolve("all"));
    for (String name : List.of("proposal.md", "design.md", "tasks.md")) {
      Path pipe = folder.resolve(name);
      Files.deleteIfExists(pipe);
      assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
      assertThatThrownBy(() -> Change.read(project, "add-login"))
          .hasMessageContaining(pipe + " is a pipe");
      Files.delete(pipe);
    }
  }
}

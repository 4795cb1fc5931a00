package dev.ralph.cli.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PRDs in the JSON of other loops. */
class PrdFileTest {

  /** The format of snarktank/ralph. */
  private static final String STORIES =
      """
      {
        "project": "Shop",
        "branchName": "ralph/task-priority",
        "description": "Priorities of tasks",
        "userStories": [
          {
            "id": "US-002",
            "title": "Show the priority",
            "description": "As a user, I want to see the priority.",
            "acceptanceCriteria": ["Each card has a badge", "Typecheck passes"],
            "priority": 2,
            "passes": false,
            "notes": ""
          },
          {
            "id": "US-001",
            "title": "Add a field",
            "description": "As a developer, I need to store the priority.",
            "acceptanceCriteria": ["Typecheck passes"],
            "priority": 1,
            "passes": false,
            "notes": "Use an enum"
          },
          {
            "id": "US-000",
            "title": "Create the table",
            "acceptanceCriteria": [],
            "priority": 0,
            "passes": true,
            "notes": ""
          }
        ]
      }
      """;

  @TempDir Path folder;

  @Test
  void stories_haveTextsInOrderOfPriority() {
    PrdFile file = PrdFile.parse("prd.json", STORIES);

    assertThat(file.stories())
        .containsExactly(
            new PrdFile.Story("US-000", "US-000: Create the table", true),
            new PrdFile.Story(
                "US-001",
                """
                US-001: Add a field

                As a developer, I need to store the priority.

                Acceptance criteria:
                - Typecheck passes

                Notes: Use an enum\
                """,
                false),
            new PrdFile.Story(
                "US-002",
                """
                US-002: Show the priority

                As a user, I want to see the priority.

                Acceptance criteria:
                - Each card has a badge
                - Typecheck passes\
                """,
                false));
    assertThat(file.summary())
        .isEqualTo(
            "prd.json: a PRD with 3 user stories, 2 open, 1 with passes = true; in the order of"
                + " priority; not used: project, branchName, description");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{{ title }}\n- [ ] one\n",
        "{#plan}\n\n- [ ] one\n",
        "{\n- [ ] one\n}\n",
        "[{a}](b)\n* [ ] one\n",
      })
  void markdownWithBraces_isNoPrd(String text) {
    assertThat(PrdFile.isPrd("", text)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"userStories\":[]}",
        " \n[ {\"title\":\"- [ ] one\"}]",
        "{\"userStories\":[{\"title\":\"a\",\"notes\":\n\"- [ ] b\"}]}",
        "{\"userStories\":",
      })
  void jsonOfStandardInput_isPrd(String text) {
    assertThat(PrdFile.isPrd("", text)).isTrue();
  }

  @Test
  void features_areUserStories() {
    PrdFile file =
        PrdFile.parse(
            "features.json",
            "[{\"category\": \"functional\", \"description\": \"Log in\","
                + " \"steps\": [\"Open the page\", \"Type\"], \"passes\": false}]");

    assertThat(file.stories())
        .containsExactly(new PrdFile.Story("", "Log in\n\nSteps:\n- Open the page\n- Type", false));
    assertThat(file.summary())
        .endsWith(
            "1 user story, 1 open, 0 with passes = true; in the order of the file; not used:"
                + " category");
  }

  @Test
  void listsOfOtherTypes_areKept() {
    PrdFile file =
        PrdFile.parse(
            "prd.json",
            "[{\"title\": \"a\", \"acceptanceCriteria\": \"One\\nTwo\","
                + " \"steps\": [1, {\"do\": \"it\"}, \"Type\"]}]");

    assertThat(file.stories().get(0).text())
        .isEqualTo(
            "a\n\nAcceptance criteria:\n- One\n- Two\n\nSteps:\n- 1\n- {\"do\":\"it\"}\n- Type");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[",
        "{}",
        "{\"userStories\": {}}",
        "{\"userStories\": [1]}",
        "[{\"title\": \"a\"}, \"b\"]",
        "[{\"title\": \"\"}]",
        "[{\"passes\": false}]",
        "{\"stories\": []}"
      })
  void invalidJson_isRejected(String json) {
    assertThatThrownBy(() -> PrdFile.parse("prd.json", json))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining(" in prd.json");
  }

  @ParameterizedTest
  @ValueSource(strings = {"- [ ] a", "[a link](b)", "", "# {", "[ ] a"})
  void markdown_isNoPrd(String text) {
    assertThat(PrdFile.isPrd("", text)).isFalse();
    assertThat(PrdFile.isPrd("plan.md", "{}")).isFalse();
    assertThat(PrdFile.isPrd("PRD.JSON", text)).isTrue();
  }

  @Test
  void addedTwice_isFoundById() throws IOException {
    Terminal terminal = new Terminal(folder).with("RALPH_SESSION", "s");
    Path prd = Files.writeString(folder.resolve("prd.json"), STORIES);
    Result first = terminal.call("task", "add", "--from", "prd.json");
    Files.writeString(prd, STORIES.replace("Show the priority", "Show a priority"));
    Result again = terminal.call("task", "add", "--from", "prd.json");

    assertThat(first.err()).contains("ralph: prd.json: a PRD with 3 user stories, 2 open");
    assertThat(again.code()).as(again.err()).isZero();
    List<String> tasks =
        terminal.call("tasks").out().lines().filter(each -> each.startsWith("t")).toList();
    assertThat(tasks).hasSize(2);
    assertThat(tasks.get(0)).contains("US-001: Add a field");
    assertThat(tasks.get(1)).contains("US-002: Show a priority");
    assertThat(prd).hasContent(STORIES.replace("Show the priority", "Show a priority"));
  }

  @Test
  void pipedPrd_isRead() {
    Terminal terminal = new Terminal(folder).with("RALPH_SESSION", "s");

    Result result = terminal.pipe(STORIES, "task", "add", "--create", "--from", "-");

    assertThat(result.err()).contains("ralph: standard input: a PRD with 3 user stories");
    assertThat(result.out().lines().filter(each -> each.startsWith("t"))).hasSize(2);
  }

  @Test
  void prdWithoutOpenStory_isReported() throws IOException {
    Terminal terminal = new Terminal(folder).with("RALPH_SESSION", "s");
    Files.writeString(folder.resolve("prd.json"), "[{\"title\": \"a\", \"passes\": true}]");

    Result result = terminal.call("task", "add", "--from", "prd.json");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("has no open user story");
  }

  /** A PRD is an input only: ticks would have to rewrite the JSON. */
  @Test
  void prdOfBuild_isNeverWritten() throws IOException {
    Terminal terminal = new Terminal(folder).with("RALPH_SESSION", "s");
    Path prd = Files.writeString(folder.resolve("prd.json"), STORIES);
    terminal.call("task", "add", "--from", "prd.json");
    terminal.call("task", "done", "t1");

    terminal.call("build", "--agent", "true", "-i", "1", "--tasks", "prd.json");

    assertThat(prd).hasContent(STORIES);
  }
}

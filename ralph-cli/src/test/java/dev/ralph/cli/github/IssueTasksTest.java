package dev.ralph.cli.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Ralph;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ralph task add --from gh:issues}. */
@Timeout(300)
class IssueTasksTest {

  @TempDir Path temporary;
  private GitHubFolder gitHub;
  private Terminal terminal;

  @BeforeEach
  void repository() throws Exception {
    gitHub = new GitHubFolder(temporary);
    terminal = gitHub.terminal();
  }

  private static String issue(int number, String association, String body) {
    return "{\"number\":"
        + number
        + ",\"title\":\"Title "
        + number
        + "\",\"body\":\""
        + body
        + "\",\"user\":{\"login\":\"ann\"},\"author_association\":\""
        + association
        + "\"}";
  }

  private Result add(String query, String... more) {
    List<String> words = new ArrayList<>(List.of("task", "add", "--from", query));
    words.addAll(List.of(more));
    return terminal.call(words.toArray(new String[0]));
  }

  private void issues(String... issues) throws Exception {
    gitHub.answer("issues-1.json", "[" + String.join(",", issues) + "]");
  }

  @Test
  void onlyTrustedAuthors_areAdded() throws Exception {
    String pull = issue(7, "OWNER", "").replace("{\"number\"", "{\"pull_request\":{},\"number\"");
    issues(
        issue(1, "OWNER", "One"),
        issue(2, "MEMBER", "Two\\r\\nlines"),
        issue(3, "COLLABORATOR", ""),
        issue(4, "CONTRIBUTOR", "Four"),
        issue(5, "NONE", "Five"),
        issue(6, "FIRST_TIMER", "Six"),
        pull);

    Result result = add("gh:issues?label=ralph&label=good first issue", "--priority", "1");

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err())
        .contains(
            "ralph: not added, by people who are not members or collaborators: #4, #5, #6; to add"
                + " them too: --from-anybody\n");
    assertThat(result.out().lines().filter(line -> line.startsWith("t"))).hasSize(3);
    assertThat(terminal.call("task", "show", "t2", "--json").out())
        .contains(
            "\"content\":\"Issue #2: Title 2\\n\\nTwo\\nlines\\n\\n"
                + "(https://github.com/ann/shop/issues/2, by ann)\"");
    assertThat(gitHub.calls())
        .containsExactly(
            "<repo><view><--json=url,defaultBranchRef><--><" + gitHub.origin() + ">",
            "<api><--hostname=github.com><--method=GET>"
                + "<--header=Accept: application/vnd.github+json><--raw-field=state=open>"
                + "<--raw-field=sort=created><--raw-field=direction=asc><--raw-field=per_page=100>"
                + "<--raw-field=page=1><--raw-field=labels=ralph,good first issue>"
                + "<repos/ann/shop/issues>");
  }

  @Test
  void fromAnybody_addsUntrustedIssues() throws Exception {
    issues(issue(1, "NONE", "One"), issue(2, "MEMBER", "Two"));

    Result result = add("gh:issues", "--from-anybody");

    assertThat(result.out().lines().filter(line -> line.startsWith("t"))).hasSize(2);
    assertThat(result.err()).doesNotContain("not added");
    assertThat(terminal.call("task", "add", "x", "--from-anybody").code()).isEqualTo(2);
    assertThat(add("plan.md", "--from-anybody").err())
        .contains("--from-anybody is for --from gh:issues");
  }

  @Test
  void laterPages_areRead() throws Exception {
    List<String> first = new ArrayList<>();
    for (int number = 1; number <= 100; number++) {
      first.add(issue(number, "OWNER", ""));
    }
    issues(first.toArray(new String[0]));
    gitHub.answer("issues-2.json", "[" + issue(101, "OWNER", "") + "]");

    assertThat(add("gh:issues").out()).contains("t101 ", "Issue #101: Title 101");
  }

  @Test
  void changedIssue_keepsTextOfImport() throws Exception {
    issues(issue(1, "OWNER", "One"));
    add("gh:issues");
    issues(issue(1, "OWNER", "Changed"), issue(2, "OWNER", "Two"));

    Result again = add("gh:issues");

    assertThat(again.err()).contains("issue #1 has changed since its import; t1 keeps the text");
    assertThat(terminal.call("task", "show", "t1").out()).contains("One").doesNotContain("Changed");
    assertThat(terminal.call("tasks").out()).contains("Issue #2: Title 2");
    assertThat(add("gh:issues").out().lines().filter(line -> line.startsWith("t"))).hasSize(2);
  }

  @Test
  void text_isShownBeforeFirstRun() throws Exception {
    issues(issue(1, "OWNER", "Visible\\n<!-- hidden -->\\u001b[2J"));
    add("gh:issues");

    Result first = terminal.call("build", "--agent", "true", "-i", "1");
    Result second = terminal.call("build", "--agent", "true", "-i", "1");

    assertThat(first.code()).as(first.err()).isEqualTo(3);
    assertThat(first.err())
        .contains(
            "Issues that an agent reads for the first time:\n\n"
                + "t1  Issue #1: Title 1\n"
                + "    \n"
                + "    Visible\n"
                + "    <!-- hidden --> [2J\n")
        .doesNotContain("\u001b");
    assertThat(second.err()).doesNotContain("Issue #1");
    issues(issue(2, "OWNER", "Two"));
    add("gh:issues");
    assertThat(terminal.call("build", "--agent", "true", "-i", "1").err())
        .contains("t2  Issue #2")
        .doesNotContain("t1  Issue #1");
  }

  /** A running loop would assign the tasks before the next build shows them. */
  @Test
  void issuesOfRunningLoop_areShownAtImport() throws Exception {
    issues(issue(1, "OWNER", "One"));
    List<Result> results = new ArrayList<>();
    try (Ralph ralph = Ralph.open(gitHub.shop().resolve(".ralph/store"))) {
      ralph
          .session("s")
          .loop(
              turn -> {
                results.add(add("gh:issues"));
                results.add(add("gh:issues"));
                return AgentResult.success();
              })
          .directory(gitHub.shop())
          .prompt("Work")
          .maxIterations(1)
          .build()
          .run();
    }

    assertThat(results.get(0).code()).as(results.get(0).err()).isZero();
    assertThat(results.get(0).err())
        .contains("Issues that an agent reads for the first time:", "Issue #1: Title 1\n", "One");
    assertThat(results.get(1).err()).doesNotContain("Issue #1");
  }

  /** Agents could read characters that no person sees. */
  @Test
  void hiddenCharacters_areNotAdded() throws Exception {
    issues(issue(1, "OWNER", "a\\u200b\\udb40\\udc61b\\r\\n\\u202ec"));

    add("gh:issues");

    assertThat(terminal.call("task", "show", "t1", "--json").out()).contains("\\n\\nab\\nc\\n\\n(");
    assertThat(add("gh:issues").err()).doesNotContain("has changed");
  }

  @Test
  void hugeIssue_isAddedWhole() throws Exception {
    String body = "y".repeat(65_536);
    issues(issue(1, "OWNER", body), issue(2, "OWNER", "Two"));

    assertThat(add("gh:issues").code()).isZero();

    assertThat(terminal.call("task", "show", "t1").out()).contains(body);
  }

  @Test
  void offeredSession_showsTexts() throws Exception {
    issues(issue(1, "OWNER", "One"));
    add("gh:issues");

    assertThat(terminal.call("build", "--detach").err()).contains("t1  Issue #1: Title 1");
  }

  /** A host may take the session before the next build shows the texts. */
  @Test
  void issuesOfOfferedSession_areShownAtImport() throws Exception {
    terminal.call("task", "add", "--create", "Write the form");
    Result offered = terminal.call("build", "--detach");
    assertThat(offered.code()).as(offered.err()).isZero();
    issues(issue(1, "OWNER", "One"));

    assertThat(add("gh:issues").err())
        .contains("Issues that an agent reads for the first time:", "Issue #1: Title 1\n");
    assertThat(add("gh:issues").err()).doesNotContain("Issue #1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "n\n", "yes\n", "--yes"})
  void person_isAskedOnTerminal(String answer) throws Exception {
    issues(issue(1, "OWNER", "One"));
    add("gh:issues");
    terminal.terminals("02");
    boolean isConfirmed = answer.equals("--yes");
    List<String> words =
        new ArrayList<>(
            List.of("build", "--agent", "touch " + gitHub.shop().resolve("ran"), "-i", "1"));
    if (isConfirmed) {
      words.add("--yes");
    }

    Result result = terminal.type(isConfirmed ? "" : answer, words.toArray(new String[0]));

    boolean runs = isConfirmed || answer.equals("yes\n");
    assertThat(result.err()).contains("Issue #1: Title 1");
    assertThat(result.err().contains("Run an agent on these texts? [y/N]"))
        .isNotEqualTo(isConfirmed);
    assertThat(result.code()).as(result.err()).isEqualTo(runs ? 3 : 2);
    assertThat(Files.exists(gitHub.shop().resolve("ran"))).isEqualTo(runs);
  }

  @Test
  void noTrustedIssue_isReported() throws Exception {
    issues();
    assertThat(add("gh:issues").err()).isEqualTo("ralph: no open issue found\n");
    issues(issue(4, "NONE", ""));
    Result result = add("gh:issues");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("all open issues found are by people", "#4");
    assertThat(gitHub.shop().resolve(".ralph")).doesNotExist();
  }

  @Test
  void missingProgram_isRefused() {
    terminal.with("PATH", temporary.toString());

    Result result = add("gh:issues");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .contains("--from gh:issues needs gh, GitHub's command line, which is not on the PATH;");
  }

  @Test
  void missingLogin_isRefused() throws Exception {
    gitHub.fail("repo", 4, "To get started with GitHub CLI, please run:  gh auth login\n");

    Result result = add("gh:issues");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .isEqualTo("ralph: gh is not logged in to GitHub; run: gh auth login\n");
  }

  @Test
  void tasksOfBuild_areNoIssues() {
    assertThat(terminal.call("build", "--agent", "true", "--tasks", "gh:issues").err())
        .isEqualTo("ralph: --tasks reads a file; to add issues: ralph task add --from gh:issues\n");
  }

  @Test
  void failedRequest_isReported() throws Exception {
    gitHub.fail("api", 1, "gh: Not Found (HTTP 404)\n");
    assertThat(add("gh:issues").err())
        .isEqualTo("ralph: gh api failed: gh: Not Found (HTTP 404)\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://ann:secret@", "HTTPS://ann:s@cret@", "https://secret@"})
  void password_isNoArgument(String login) throws Exception {
    gitHub.git("remote", "set-url", "origin", login + "github.com/ann/shop");
    issues(issue(1, "OWNER", ""));

    add("gh:issues");

    assertThat(gitHub.calls().get(0)).endsWithIgnoringCase("<--><https://github.com/ann/shop>");
  }
}

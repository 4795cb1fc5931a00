package dev.ralph.cli.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.web.GoldenFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The title and the description of a pull request. */
class PullRequestTextTest {

  private static final String GOLDEN = "src/test/resources/dev/ralph/cli/golden";
  private static final GitHubRepository SHOP =
      new GitHubRepository("github.com", "ann", "shop", "main");
  private static final GitHubRepository OTHER =
      new GitHubRepository("github.com", "ann", "other", "main");

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("auth");

  @BeforeEach
  void addTasks() {
    session.tasks().add("Write the form");
    session
        .tasks()
        .add(
            NewTask.of("Issue #12: Remember `users` of @ann, closes #5\n\nText")
                .key(IssueTasks.key(SHOP, 12)));
    session.tasks().add("Ship it\nto all users");
    session.tasks().add(NewTask.of("Issue #13: Open").key(IssueTasks.key(SHOP, 13)));
    session.tasks().add(NewTask.of("Issue #14: Elsewhere").key(IssueTasks.key(OTHER, 14)));
    session.tasks().add("Cancelled");
    for (String ref : List.of("t1", "t2", "t5")) {
      session.tasks().complete(ref);
    }
    session.tasks().status("t3", StatusChange.to(Task.Status.BLOCKED).because("no `key`"));
    session.tasks().status("t6", StatusChange.to(Task.Status.CANCELLED));
  }

  @AfterEach
  void close() {
    ralph.close();
  }

  private PullRequestText text() {
    return new PullRequestText("auth", "id", SHOP, session.tasks().list(), Redactor.none());
  }

  private static String section(PullRequestText text, StopReason reason) {
    return text.section(reason, List.of("mvn -q verify", "npm test"), "3 iterations, $1.20");
  }

  @Test
  void description_listsTasksGatesAndCost() throws Exception {
    new GoldenFile(GOLDEN, Path.of("/nowhere"))
        .compare(
            "pull-request.md",
            section(text(), StopReason.MAX_ITERATIONS)
                + "\n"
                + section(text(), StopReason.COMPLETED));
  }

  @Test
  void title_namesSettledTasks() {
    assertThat(text().title())
        .isEqualTo("Write the form; Remember `users` of @ ann, closes # 5; Elsewhere");
    try (Ralph empty = Ralph.inMemory()) {
      Session none = empty.session("none");
      none.tasks().add("Open");
      assertThat(
              new PullRequestText("none", "id", SHOP, none.tasks().list(), Redactor.none()).title())
          .isEqualTo("none");
      none.tasks().add("long ".repeat(100));
      none.tasks().complete("t2");
      assertThat(
              new PullRequestText("none", "id", SHOP, none.tasks().list(), Redactor.none()).title())
          .hasSizeLessThanOrEqualTo(101);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a | `a`",
        "a`b | `` a`b ``",
        "`a` | `` `a` ``",
        "``` | ```` ``` ````",
        "<!-- /ralph auth --> | `<!-- /ralph auth -->`",
      })
  void text_isShownAsCode(String text, String code) {
    assertThat(PullRequestText.code(text)).isEqualTo(code);
  }

  /** GitHub accepts at most 65,536 characters. */
  @Test
  void longDescription_isShortened() {
    try (Ralph large = Ralph.inMemory()) {
      Session many = large.session("many");
      for (int i = 1; i <= 150; i++) {
        many.tasks().add(NewTask.of("\u0085\u2028x".repeat(500)).key(IssueTasks.key(SHOP, i)));
        many.tasks()
            .status("t" + i, StatusChange.to(Task.Status.BLOCKED).because("\u0600\t`".repeat(200)));
      }

      String section =
          section(
              new PullRequestText("many", "id", SHOP, many.tasks().list(), Redactor.none()),
              StopReason.FAILURES);

      assertThat(section).hasSizeLessThan(65_536).contains("and 50 more");
    }
  }

  @Test
  void taskWithoutVisibleTitle_isLeftOut() {
    try (Ralph other = Ralph.inMemory()) {
      Session one = other.session("one");
      one.tasks().add(NewTask.of("Issue #1: \n\nText").key(IssueTasks.key(SHOP, 1)));
      one.tasks().complete("t1");

      assertThat(
              new PullRequestText("one", "id", SHOP, one.tasks().list(), Redactor.none()).title())
          .isNotBlank();
    }
  }

  /** A cut before the search would leave the beginning of a secret. */
  @Test
  void secrets_areRemovedBeforeCut() {
    String token = "ghp_" + "a1B2".repeat(9);
    String longText = "x ".repeat(50) + token;
    try (Ralph other = Ralph.inMemory()) {
      Session one = other.session("one");
      one.tasks().add("Deploy with " + token);
      one.tasks().add(longText);
      one.tasks().complete("t1");
      one.tasks().status("t2", StatusChange.to(Task.Status.BLOCKED).because("no " + token));
      PullRequestText text =
          new PullRequestText("one", "id", SHOP, one.tasks().list(), Redactor.builtIn());

      String section =
          text.section(StopReason.STOPPED, List.of("curl -H 'Authorization: " + token + "'"), "");

      assertThat(text.title()).isEqualTo("Deploy with [redacted: GitHub token]");
      assertThat(section).contains("- [x] t1 `Deploy with [redacted: GitHub token]`", "`curl -H ");
      assertThat(text.title() + section).doesNotContain("a1B2");
    }
  }

  @Test
  void controlCharacters_areEscaped() {
    assertThat(PullRequestText.code("a\u001b[2J\nb")).doesNotContain("\u001b", "\n");
    assertThat(PullRequestText.plain("a\tb")).isEqualTo("a\\tb");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "closes #5 | closes # 5",
        "fixes ann/shop#5 | fixes ann/shop# 5",
        "fixes gh-5 | fixes GH 5",
        "@ann and a@b | @ ann and a@ b",
        "fixes https://github.com/ann/shop/issues/5 | fixes https: //github.com/ann/shop/issues/5",
        "C# and #tag | C# and #tag",
      })
  void title_refersToNothing(String text, String plain) {
    assertThat(PullRequestText.plain(text)).isEqualTo(plain);
  }

  @Test
  void textAroundSection_isKept() {
    PullRequestText text = text();
    String old = section(text, StopReason.MAX_ITERATIONS);
    String now = section(text, StopReason.COMPLETED);

    assertThat(text.replaced("Before\n" + old + "After", now))
        .isEqualTo("Before\n" + now + "After");
    assertThat(text.replaced(old, now)).isEqualTo(now);
    assertThat(text.replaced("Rewritten", now)).isNull();
    assertThat(text.replaced("", now)).isNull();
    assertThat(
            text.replaced("<!-- /ralph auth a56145270ce6 --><!-- ralph auth a56145270ce6 -->", now))
        .isNull();
  }
}

package dev.ralph.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.session.StatusCommand;
import dev.ralph.cli.terminal.Screen.Size;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.TextWidth;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.mail.Mailboxes;
import dev.ralph.mail.NewMail;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WatchPageTest {

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("auth");
  private final AgentLines agent = new AgentLines();

  @AfterEach
  void close() {
    ralph.close();
  }

  private Frame append(String kind, Meta meta, String content) {
    Draft draft = Draft.of(Topic.of("ralph.auth." + kind), meta, content);
    return ralph
        .log()
        .append(Batch.of(UUID.randomUUID().toString(), List.of(draft)))
        .frames()
        .get(0);
  }

  private static Style style(boolean coloured) {
    Map<String, String> variables = coloured ? Map.of("TERM", "xterm") : Map.of();
    Environment environment =
        Environment.of(
            variables,
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            OutputStream.nullOutputStream(),
            Path.of(""),
            null,
            "1");
    return environment.style();
  }

  private List<String> page(int rows, int columns) {
    return WatchPage.of(session, null, agent, Instant.now(), new Size(rows, columns), style(false));
  }

  private void fill() {
    for (int i = 1; i <= 30; i++) {
      session.tasks().add("Aufgabe 日本語 \u001b[2J Nummer\n" + i);
    }
    session.tasks().complete("t1");
    session.inbox().send("API first \ud83d\ude00", "Ann\u0007", null);
    for (int i = 1; i <= 5; i++) {
      session.questions().ask("Welcher Port\n\u001b[2J 日本語 " + i + "?");
    }
    session.questions().answer("q1", "8080");
    append("iteration", Meta.of("action", "start").with("n", 1), "");
    Meta usage = Meta.of("input_tokens", 1200).with("output_tokens", 34).with("cost_usd", 0.5);
    append(
        "iteration",
        Meta.of("action", "complete").with("n", 1).with("status", "success").with("usage", usage),
        "");
    append("iteration", Meta.of("action", "start").with("n", 2), "");
    for (int i = 1; i <= 50; i++) {
      agent.add(
          append("output", Meta.of("iteration", 2), "line " + i + " 日本語 \u001b[31m".repeat(9)));
    }
  }

  @Test
  void emptySession_isShown() {
    assertThat(page(24, 80))
        .hasSize(24)
        .startsWith(
            "auth: idle",
            "  tasks       0 of 0 completed",
            "  inbox       0 unread",
            "  iterations  none yet")
        .endsWith(
            "q ends the view; arrow keys scroll; m(essage) a(nswer) t(ask) s(top); ? all keys");
  }

  @Test
  void activityBetweenIterations_isShown() {
    Meta loop = Meta.of("action", "loop_start").with("host", "there").with("pid", 42);
    append("control", loop.with("run", "one"), "");
    Meta begin = Meta.of("action", "begin").with("run", "one");
    append(
        "activity",
        begin.with("kind", "gate").with("about", "mvn \u001b[2J verify").with("ago", 80_000),
        "");
    assertThat(page(24, 80).get(1))
        .matches("  now         gate mvn \\\\u001b\\[2J verify, for 1m2\\ds");
    assertThat(StatusCommand.text(session, style(false))).contains("\n  now         gate mvn ");
    assertThat(StatusCommand.json(session))
        .contains("\"doing\":{\"text\":\"gate mvn \\u001b[2J verify\",\"since\":\"20");

    append("activity", begin.with("kind", "rate_limit").with("millis", 30_000), "");
    assertThat(page(24, 80).get(1))
        .matches("  now         waits because the client's limit was reached, (29|30)s more");
    assertThat(StatusCommand.json(session)).contains("\"until\":\"20");

    append("activity", begin.with("action", "end"), "");
    assertThat(page(24, 80).get(1)).startsWith("  tasks ");
    assertThat(StatusCommand.json(session)).doesNotContain("doing");
  }

  @Test
  void activityOfIdleWorker_isShown() {
    session.tasks().add("Write the form");
    Meta loop = Meta.of("action", "loop_start").with("host", "there").with("pid", 42);
    append("control", loop.with("run", "one").with("agents", 3), "");
    Meta start = Meta.of("action", "start").with("n", 1).with("agent", 1);
    append("iteration", start.with("task", session.tasks().get("t1").id()), "");
    Meta begin = Meta.of("action", "begin").with("run", "one");
    append("activity", begin.with("agent", 1).with("kind", "folder"), "");
    append("activity", begin.with("agent", 2).with("kind", "failure").with("millis", 90_000), "");
    append(
        "activity",
        begin.with("kind", "gate").with("about", "true").with("refs", List.of("t7")),
        "");

    assertThat(page(24, 100).subList(1, 5))
        .satisfiesExactly(
            row -> assertThat(row).matches("  now         gate true on t7, for \\ds"),
            row ->
                assertThat(row)
                    .matches(
                        "  agents      1: t1 Write the form, iteration 1, prepares its folder,"
                            + " for \\ds"),
            row ->
                assertThat(row)
                    .matches("              2: waits after a failure, 1m(30|29|28)s more"),
            row -> assertThat(row).isEqualTo("              3: waits for a task"));
    assertThat(StatusCommand.json(session))
        .contains("{\"agent\":2,\"doing\":{\"text\":\"waits after a failure\",\"since\":")
        .contains("{\"agent\":3,\"doing\":{\"text\":\"waits for a task\"}}");
  }

  @Test
  void assignmentOfEachWorker_isShown() {
    session.tasks().add("Write the form");
    session.tasks().add("Write the page");
    String form = session.tasks().get("t1").id();
    String page = session.tasks().get("t2").id();
    Meta loop = Meta.of("action", "loop_start").with("host", "there").with("pid", 42);
    append("control", loop.with("agents", 2), "");
    String until = Instant.now().plusSeconds(600).toString();
    Meta claim = Meta.of("action", "claim").with("until", until);
    for (int agent = 1; agent <= 2; agent++) {
      String task = agent == 1 ? form : page;
      Meta of = claim.with("id", task).with("owner", "agent-" + agent).with("iteration", agent);
      append("task", of.with("branch", "ralph/auth.t" + agent), "");
      Meta start = Meta.of("action", "start").with("n", agent).with("agent", agent);
      append("iteration", start.with("task", task), "");
    }
    assertThat(page(24, 80).subList(0, 6))
        .satisfies(
            rows -> {
              assertThat(rows.get(0)).isEqualTo("auth: running (2 agents, process 42 on there)");
              assertThat(rows.get(1))
                  .matches("  agents      1: t1 Write the form, iteration 1 \\d+s");
              assertThat(rows.get(2))
                  .matches("              2: t2 Write the page, iteration 2 \\d+s");
              assertThat(rows.get(3)).isEqualTo("  tasks       0 of 2 completed, 2 in_progress");
              assertThat(rows.get(4)).contains("t1 in_progress by agent-1 Write the form");
            });
    assertThat(StatusCommand.json(session))
        .contains("\"agents\":2}")
        .contains(
            "\"agents\":[{\"agent\":1,\"iteration\":1,\"task\":\"t1\",\"branch\":\"ralph/auth.t1\"");

    String token = session.tasks().get("t1").claim().token();
    append("task", Meta.of("action", "status").with("id", form).with("status", "completed"), "");
    assertThat(String.join("\n", page(24, 80)))
        .contains("1 of 2 completed (1 not merged yet), 1 in_progress")
        .contains("t1 completed not merged yet Write the form");
    assertThat(StatusCommand.json(session))
        .contains("\"to_merge\":[\"t1\"]")
        .contains("1 task is done and not merged yet: t1 Write the form");

    Meta merged = Meta.of("action", "landed").with("id", form).with("claim", token);
    append("task", merged.with("commit", "0123456789abcdef"), "");
    assertThat(String.join("\n", page(24, 80)))
        .contains("1 of 2 completed, 1 in_progress")
        .contains("t1 completed merged as 012345678 Write the form");
  }

  @Test
  void iterationCountAndLimit_areShown() {
    append("iteration", Meta.of("action", "start").with("n", 1), "");
    Meta loop = Meta.of("action", "loop_start").with("host", "there").with("pid", 42);
    append("control", loop.with("first", 2).with("from", 2).with("limit", 5), "");
    assertThat(page(24, 80)).startsWith("auth: running (0 of 5 iterations, process 42 on there)");
    append("iteration", Meta.of("action", "start").with("n", 2), "");
    append("iteration", Meta.of("action", "start").with("n", 3), "");
    assertThat(page(24, 80)).startsWith("auth: running (2 of 5 iterations, process 42 on there)");
    assertThat(StatusCommand.json(session)).contains("\"iterations\":2,\"limit\":5");
  }

  @Test
  void loopWithoutLimit_isShownWithoutLimit() {
    append("control", Meta.of("action", "loop_start").with("host", "there").with("pid", 42), "");
    assertThat(page(24, 80)).startsWith("auth: running (process 42 on there)");
    assertThat(StatusCommand.json(session))
        .contains("\"loop\":{\"host\":\"there\",\"pid\":42,\"live\":true}");
  }

  @Test
  void fullSession_isShown() {
    fill();
    List<String> page = page(30, 80);
    assertThat(page).hasSize(30);
    assertThat(String.join("\n", page))
        .contains("used        1200 tokens in, 34 out, $0.5")
        .contains("1 of 30 completed, 29 remaining")
        .contains("t2 remaining Aufgabe 日本語")
        .contains("23 more")
        .contains("2 unread")
        .contains("questions   4 open, to answer: ralph answer -n auth q2 TEXT")
        .contains("q2 Welcher Port \\u001b[2J 日本語 2?")
        .doesNotContain("      q1 ")
        .contains("m1 Ann\\u0007: API first")
        .contains("iterations  #2 interrupted")
        .contains("#1 success")
        .contains("line 50 日本語")
        .doesNotContain("line 1 ");
  }

  @Test
  void task_showsPriorityAndOwner() {
    session.tasks().add(NewTask.of("urgent").priority(0));
    session.tasks().add("usual");
    session.tasks().claim("t1", "Ann\u0007", Duration.ofMinutes(10));
    assertThat(page(24, 80))
        .contains(
            "              t1 in_progress (priority 0) by Ann\\u0007 urgent",
            "              t2 remaining usual");
  }

  @Test
  void mail_showsSenderAndHeadline() {
    Mailboxes.of(ralph, "shop")
        .box("bob")
        .send(NewMail.of("No port is free").headline("The API\u0007").to("session:auth"));
    assertThat(page(24, 80))
        .contains("              m1 mail from bob: The API\\u0007: No port is free");
  }

  @Test
  void fittingTasks_areNotCut() {
    for (int i = 1; i <= 15; i++) {
      session.tasks().add("task " + i);
    }
    String all = String.join("\n", page(24, 80));
    assertThat(all).contains("t15 remaining task 15").doesNotContain(" more");
    assertThat(String.join("\n", page(18, 80))).contains(" more");
  }

  @Test
  void spareRows_showTasks() {
    for (int i = 1; i <= 40; i++) {
      session.tasks().add("task " + i);
    }
    List<String> page = page(30, 80);
    assertThat(page).hasSize(30).doesNotContain("");
    assertThat(page.get(28)).isEqualTo("  iterations  none yet");
  }

  /** A page of 24 rows keeps rows for the output; the counts replace finished tasks. */
  @Test
  void shortPage_foldsFinishedTasksAndKeepsOutput() {
    for (int i = 1; i <= 20; i++) {
      session.tasks().add("task " + i);
    }
    for (int i = 1; i <= 12; i++) {
      session.tasks().complete("t" + i);
    }
    session.tasks().status("t13", StatusChange.to(Task.Status.CANCELLED));
    session.tasks().status("t14", StatusChange.to(Task.Status.IN_PROGRESS));
    append("iteration", Meta.of("action", "start").with("n", 1), "");
    for (int i = 1; i <= 50; i++) {
      agent.add(append("output", Meta.of("iteration", 1), "line " + i));
    }

    assertThat(String.join("\n", page(24, 80)) + "\n")
        .isEqualTo(
            """
            auth: idle
              tasks       12 of 20 completed, 6 remaining, 1 in_progress, 1 cancelled
                          t14 in_progress task 14
                          t15 remaining task 15
                          t16 remaining task 16
                          t17 remaining task 17
                          t18 remaining task 18
                          2 more
              inbox       0 unread
              iterations  #1 interrupted, in all 0s

            line 39
            line 40
            line 41
            line 42
            line 43
            line 44
            line 45
            line 46
            line 47
            line 48
            line 49
            line 50
            q ends the view; arrow keys scroll; m(essage) a(nswer) t(ask) s(top); ? all keys
            """);
    List<String> whole = WatchPage.whole(session, null, agent, Instant.now(), 80, style(false));
    assertThat(whole).contains("              t1 completed task 1");
  }

  @Test
  void answerCommand_isNotCut() {
    session.questions().ask("Which port?");
    List<String> page = page(24, 40);
    assertThat(page)
        .startsWith(
            "auth: idle", "  questions   1 open, to answer:", "ralph answer -n auth q1 TEXT");
    assertThat(page).hasSize(24);
  }

  @Test
  void wholePage_leavesNothingOut() {
    fill();
    List<String> whole = WatchPage.whole(session, null, agent, Instant.now(), 80, style(false));
    assertThat(String.join("\n", whole))
        .contains(
            "t2 remaining", "t30 remaining", "t1 completed", "q5 Welcher", "line 1 ", "line 50 ")
        .doesNotContain(" more\n", "ends the view");
    assertThat(whole).hasSizeGreaterThan(80).allMatch(row -> TextWidth.of(row) <= 80);
  }

  /** Questions are at the top, because a loop may wait for their answers. */
  @Test
  void openQuestions_areFirst() {
    session.questions().ask("Which port?");
    session.questions().ask("Which host?");
    assertThat(page(24, 80))
        .hasSize(24)
        .startsWith(
            "auth: idle",
            "  questions   2 open, to answer: ralph answer -n auth q1 TEXT",
            "              q1 Which port?",
            "              q2 Which host?",
            "  tasks       0 of 0 completed");
    assertThat(page(2, 80)).hasSize(2).last().asString().contains("2 open");
    session.questions().answer("q1", "8080");
    session.questions().answer("q2", "localhost");
    assertThat(String.join("\n", page(24, 80))).doesNotContain("questions");
  }

  /** On each terminal size, all rows fit and contain no active control characters. */
  @Test
  void page_fitsEverySize() {
    fill();
    for (int rows = 1; rows <= 60; rows++) {
      for (int columns = 1; columns <= 90; columns += 1 + columns / 10) {
        List<String> page = page(rows, columns);
        assertThat(page).hasSizeBetween(1, rows);
        for (String row : page) {
          assertThat(TextWidth.of(row)).as(row).isLessThanOrEqualTo(columns);
          assertThat(row).doesNotContainPattern("\\p{Cntrl}");
        }
      }
    }
    assertThat(page(1, 80)).containsExactly("auth: idle");
  }

  @Test
  void colors_takeNoColumns() {
    fill();
    for (int columns = 1; columns < 60; columns++) {
      Size size = new Size(20, columns);
      Instant now = Instant.now();
      List<String> plain = WatchPage.of(session, null, agent, now, size, style(false));
      List<String> coloured = WatchPage.of(session, null, agent, now, size, style(true));
      assertThat(coloured)
          .isNotEqualTo(plain)
          .extracting(row -> row.replaceAll("\u001b\\[\\d+m", ""))
          .isEqualTo(plain);
    }
  }
}

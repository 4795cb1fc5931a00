package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.NewMessage;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.log.Meta;
import dev.ralph.web.LivePage.Listening;
import dev.ralph.web.LivePage.Update;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compares the JSON that the page receives with a golden file. */
@Timeout(300)
class PageGoldenTest {

  @TempDir Path folder;

  private final Ralph ralph = Ralph.inMemory();
  private final Session auth = ralph.session("auth");
  private final RalphServer server = RalphServer.builder(ralph).build();
  private final StringBuilder all = new StringBuilder();

  @BeforeEach
  void session() {
    auth.tasks().add(NewTask.of("Write the form\n\nSee docs.").priority(1));
    auth.tasks().add(NewTask.of("Test it").dependsOn("t1"));
    auth.tasks().add("Ship it " + "x".repeat(5_000));
    auth.tasks().add("Paint it");
    auth.tasks().status("t3", StatusChange.to(Task.Status.BLOCKED).because("no key"));
    auth.tasks().status("t4", StatusChange.to(Task.Status.CANCELLED));
    auth.inbox().send(NewMessage.of("Please do the API first").by("Ann"));
    auth.inbox().send(NewMessage.of("Stop at noon").followUp(true));
    auth.inbox().markRead("m1");
    auth.notes().add("learning", "The port is 8080");
    auth.questions().ask("Which port?", "Ann", 1);
    auth.questions().ask("Which user?", null, 0);
    auth.questions().answer("q1", "8080", "Bob");
    auth.loop(PageGoldenTest::work)
        .directory(folder)
        .template("Work on it.")
        .maxIterations(2)
        .gate(Gate.named("form", context -> Verdict.failed("the form is missing")))
        .failurePause(Duration.ofMillis(1))
        .doneWhen(now -> true)
        .run();
    server.start();
  }

  @AfterEach
  void close() {
    server.close();
    ralph.close();
  }

  private static AgentResult work(Turn turn) {
    turn.record(RecordEntry.client("Scripted", "1", "none", List.of("--fast"), null));
    turn.record(RecordEntry.text("I look at the form"));
    turn.record(RecordEntry.toolCall("c1", "Edit", "{\"file_path\":\"Form.java\",\"new\":\"a\"}"));
    turn.record(RecordEntry.toolResult("c1", true, "no such file"));
    turn.record(RecordEntry.permission("c1", "Edit Form.java", "allowed"));
    turn.record(RecordEntry.retry("overloaded", 1, Duration.ofSeconds(1)));
    turn.record(RecordEntry.used("fast", Usage.of(1_200, 90, new BigDecimal("0.12"))));
    turn.record(RecordEntry.gate("form", false, 1, "the form is missing"));
    turn.output("Editing Form.java");
    turn.usage(Usage.of(1_200, 90, new BigDecimal("0.12")));
    if (turn.iteration() > 1) {
      return AgentResult.failure("no luck");
    }
    turn.session().tasks().complete("t1");
    return AgentResult.success().summary("Wrote the form");
  }

  @Test
  void jsonOfThePage() throws Exception {
    LivePage page = new LivePage(server, server.token("ann"));
    feed(page, "", "sessions");
    feed(page, "auth", "gates");
    add("hello", page.answer("api/hello"));
    for (String path :
        List.of(
            "span",
            "at?time=" + Instant.now(),
            "changes?time=" + Instant.EPOCH,
            "search?q=form",
            "record/1?prompt=1&output=1",
            "record/2",
            "record/3",
            "review?iteration=1",
            "review?task=t1",
            "list/tasks?status=ready",
            "list/tasks?status=all&from=1&limit=2",
            "list/iterations",
            "list/messages",
            "list/questions",
            "list/notes",
            "list/tasks/t1",
            "list/messages/m1",
            "list/questions/q1",
            "list/notes/n1",
            "list/other",
            "list/tasks/t9")) {
      add(path, page.answer("api/sessions/auth/" + path));
    }
    add("none/span", page.answer("api/sessions/none/span"));
    for (Meta order :
        List.of(
            Meta.of("order", "message").with("text", "Go on"),
            Meta.of("order", "add").with("text", "Deploy it").with("priority", 3),
            Meta.of("order", "edit").with("task", "t5").with("text", "Deploy it twice"),
            Meta.of("order", "status").with("task", "t5").with("status", "completed"),
            Meta.of("order", "answer").with("question", "q2").with("text", "root"),
            Meta.of("order", "dance"))) {
      add(order.json(), Meta.parse(page.order("auth", order).body()));
    }
    new GoldenFile("src/test/resources/dev/ralph/web/golden", folder)
        .compare("page.json", all.toString());
  }

  /** Adds the first value of each part, after the records are read. */
  private void feed(LivePage page, String name, String awaited) throws Exception {
    TreeMap<String, Meta> parts = new TreeMap<>();
    try (Listening listening = page.listen(name)) {
      Update update;
      do {
        update = listening.next();
        Meta changed = Objects.requireNonNull(update.data().object("parts"));
        for (String part : changed.keys()) {
          parts.put(part, Objects.requireNonNull(changed.object(part)));
        }
        for (Meta piece : update.data().objects("said")) {
          add("feed " + name + " said", piece);
        }
      } while (!parts.containsKey(awaited) || parts.get(awaited).has("reading"));
    }
    assertThat(parts).containsKey("mail");
    parts.forEach((part, value) -> add("feed " + name + " " + part, value));
  }

  private void add(String name, Meta json) {
    all.append(name).append('\n').append(json.json()).append('\n');
  }
}

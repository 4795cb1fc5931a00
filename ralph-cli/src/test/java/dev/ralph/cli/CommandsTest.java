package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.Claim;
import dev.ralph.Ralph;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.cli.call.Environment;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The output and exit codes of commands. */
class CommandsTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void beginASession() {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    assertThat(terminal.call("task", "add", "--create", "Write the login form").code()).isZero();
  }

  private Result done(String... words) {
    Result result = terminal.call(words);
    assertThat(result.err()).isEmpty();
    assertThat(result.code()).isZero();
    return result;
  }

  private JsonNode json(String... words) throws IOException {
    JsonNode answer = JSON.readTree(done(words).line());
    assertThat(answer.get("v").asInt()).isEqualTo(1);
    return answer;
  }

  // ---- piped text

  @Test
  void everyTextArgument_mayBePiped() throws IOException {
    String text = "it's \"quoted\"\nand long";
    assertThat(terminal.pipe(text + "\n", "task", "block", "t1", "-").code()).isZero();
    assertThat(json("task", "show", "t1", "--json").at("/task/reason").asText()).isEqualTo(text);
    assertThat(terminal.pipe("why", "task", "status", "t1", "cancelled", "--reason", "-").code())
        .isZero();
    assertThat(json("task", "show", "t1", "--json").at("/task/reason").asText()).isEqualTo("why");
    assertThat(terminal.pipe("a task", "task", "add", "-").line()).endsWith("a task");
    assertThat(terminal.pipe("a note", "note", "add", "--type", "tip", "-").line())
        .endsWith("a note");
    assertThat(terminal.pipe("enough", "stop", "--reason", "-").code()).isZero();
    assertThat(json("log", "--limit", "1", "--json").at("/meta/reason").asText())
        .isEqualTo("enough");
    assertThat(terminal.pipe("my prompt", "build", "--dry-run", "--prompt", "-").out())
        .startsWith("my prompt");
    assertThat(
            terminal
                .pipe("more", "build", "--dry-run", "--prompt", "<{{extra}}>", "--extra", "-")
                .out())
        .startsWith("<more>");
  }

  @Test
  void pipedText_isReadOnce() {
    Result result = terminal.pipe("x", "build", "--dry-run", "--prompt", "-", "--extra", "-");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("can be read only once").hasLineCount(1);
  }

  // ---- tasks

  @Test
  void task_changesFromRemainingToCompleted() {
    assertThat(done("tasks").line())
        .matches("t1 \\[[0-9a-z]{8,}] remaining   Write the login form");
    assertThat(done("task", "status", "t1", "in_progress").line()).contains("in_progress");
    assertThat(done("task", "done", "t1").line()).matches("t1 \\[\\w+] completed   Write the .*");
    assertThat(done("tasks", "--ready").line())
        .isEqualTo("No task is ready: all are completed or cancelled");
    assertThat(done("tasks", "--status", "completed").line()).startsWith("t1");
  }

  @Test
  void dependentTask_waitsForDependency() {
    done("task", "add", "second", "--depends", "t1", "--priority", "0");

    assertThat(done("tasks", "--ready").line()).startsWith("t1").doesNotContain("second");
    assertThat(done("task", "show", "t2").out()).contains("(priority 0)", "after     t1 remaining");
    Result circle = terminal.call("task", "depend", "t1", "t2");
    assertThat(circle.code()).isEqualTo(1);
    done("task", "done", "t1");
    assertThat(done("tasks", "--ready").line()).startsWith("t2");
  }

  @Test
  void longTaskList_isCutWithCountOfRest() throws IOException {
    terminal.pipe("- [ ] more\n".repeat(119), "task", "add", "--from", "-");
    done("task", "done", "t1");

    Result first = terminal.call("tasks");
    assertThat(first.out()).startsWith("t1 ").contains("\nt100 ").hasLineCount(100);
    assertThat(first.err())
        .isEqualTo(
            "ralph: 20 more tasks not shown; --limit 120 shows all; --ready, --open or"
                + " --status select tasks\n");
    assertThat(done("tasks", "--limit", "120").out()).hasLineCount(120);
    assertThat(done("tasks", "--status", "completed").out()).hasLineCount(1);
    assertThat(terminal.call("tasks", "--open").out()).startsWith("t2 ").contains("\nt101 ");
    assertThat(terminal.call("tasks", "--ready", "--limit", "2").out()).matches("t2 .*\nt3 .*\n");
    assertThat(terminal.call("tasks", "--limit", "0").code()).isEqualTo(2);

    assertThat(json("tasks", "--json").get("tasks")).hasSize(120);
    assertThat(json("tasks", "--json").has("left_out")).isFalse();
    JsonNode page = JSON.readTree(terminal.call("tasks", "--json", "--limit", "3").line());
    assertThat(page.get("tasks")).hasSize(3);
    assertThat(page.get("left_out").asInt()).isEqualTo(117);
  }

  @Test
  void edit_changesTextPriorityAndDependencies() throws IOException {
    done("task", "add", "second");
    done("task", "add", "third", "--depends", "t1");

    assertThat(done("task", "edit", "t3", "the third", "--priority", "1").line())
        .endsWith("the third (priority 1) (waits for t1)");
    assertThat(done("task", "edit", "t3", "--depends", "t2").line()).contains("the third");
    assertThat(json("task", "show", "t3", "--json").at("/task/depends").size()).isEqualTo(1);
    assertThat(done("task", "show", "t3").out())
        .contains("after     t2")
        .doesNotContainPattern("\\bt1\\b");
    assertThat(done("task", "undepend", "t3", "t2").line()).contains("the third");
    assertThat(done("task", "show", "t3").out()).doesNotContain("after");
    assertThat(terminal.pipe("piped", "task", "edit", "t3", "-").line()).contains("piped");

    Result nothing = terminal.call("task", "edit", "t3");
    assertThat(nothing.code()).isEqualTo(2);
    assertThat(nothing.err()).contains("nothing to change; give a new TEXT");
    done("task", "done", "t3");
    Result tooLate = terminal.call("task", "edit", "t3", "x");
    assertThat(tooLate.code()).isEqualTo(1);
    assertThat(tooLate.err()).contains("because its status is completed");
  }

  @Test
  void openFilter_showsUnfinishedTasks() {
    done("task", "add", "second");
    done("task", "add", "third", "--status", "blocked");
    done("task", "done", "t1");

    assertThat(done("tasks", "--open").out())
        .contains("t2", "t3")
        .doesNotContainPattern("\\bt1\\b");
    assertThat(done("tasks", "--open", "--status", "blocked").line()).startsWith("t3");
    done("task", "status", "t2", "cancelled");
    done("task", "done", "t3");
    assertThat(done("tasks", "--open").line()).isEqualTo("No task is open");
    assertThat(done("tasks", "--status", "blocked").line()).isEqualTo("No task is blocked");
  }

  /**
   * Some editors write a byte order mark at the beginning of a file. The first item must be read.
   */
  @Test
  void byteOrderMark_isStrippedFromText() throws IOException {
    String plan = "\ufeff- [ ] one\r\n- [ ] two\r\n";
    Files.writeString(folder.resolve("plan.md"), plan);

    assertThat(done("task", "add", "--from", "plan.md").out()).contains("one\n", "two\n");
    assertThat(terminal.pipe(plan, "task", "add", "--from", "-").out()).contains("one\n", "two\n");
    terminal.pipe("\ufeffhello", "message");
    assertThat(json("inbox", "--json").at("/messages/0/text").asText()).isEqualTo("hello");
  }

  @Test
  void checkList_becomesTasksWithDependencies() throws IOException {
    Files.writeString(
        folder.resolve("plan.md"),
        """
        # Plan
        - [x] Decide
        - [ ] Login
          - [ ] Write the form
            in HTML
          - [x] Draw it
        - [ ] Logout
        """);

    assertThat(done("task", "add", "--from", "plan.md", "--priority", "1").out())
        .matches(
            "t2 \\[\\w+] remaining   Write the form\n    in HTML \\(priority 1\\)\n"
                + "t3 \\[\\w+] remaining   Login \\(priority 1\\) \\(waits for t2\\)\n"
                + "t4 \\[\\w+] remaining   Logout \\(priority 1\\)\n");
    assertThat(done("task", "show", "t3").out()).contains("after     t2 remaining");
    assertThat(json("task", "show", "t2", "--json").at("/task/content").asText())
        .isEqualTo("Write the form\nin HTML");
    String log = done("log", "--json").out();
    Result piped = terminal.pipe("* [ ] one\n* [ ] two\n", "task", "add", "--from", "-", "--json");
    assertThat(JSON.readTree(piped.line()).get("tasks")).hasSize(2);
    assertThat(done("log", "--json").out()).startsWith(log).hasLineCount(6);

    assertThat(terminal.pipe("- [x] done", "task", "add", "--from", "-").err())
        .isEqualTo("ralph: standard input has no open item such as '- [ ] Write the" + " form'\n");
    assertThat(terminal.pipe("-[ ] one\n- [ ] two", "task", "add", "--from", "-").err())
        .isEqualTo("ralph: line 1: not a valid item; write '- [ ] text'\n");
    assertThat(terminal.call("task", "add", "--from", "nowhere").err()).contains("does not exist");
    assertThat(terminal.call("task", "add", "x", "--from", "plan.md").code()).isEqualTo(2);
    assertThat(terminal.call("task", "add").code()).isEqualTo(2);
    assertThat(
            terminal
                .pipe("- [ ] a\n- [ ] b", "task", "add", "--from", "-", "--depends", "t99")
                .code())
        .isEqualTo(1);
    assertThat(JSON.readTree(done("tasks", "--json").line()).get("tasks")).hasSize(7);
  }

  private void plan(String text) throws IOException {
    Files.writeString(folder.resolve("plan.md"), text);
    Result result = terminal.call("task", "add", "--from", "plan.md", "-n", "plan");
    assertThat(result.code()).as(result.err()).isZero();
  }

  private List<String> planned() throws IOException {
    List<String> texts = new ArrayList<>();
    for (JsonNode task : json("tasks", "--json", "-n", "plan").get("tasks")) {
      texts.add(task.get("content").asText());
    }
    return texts;
  }

  @Test
  void fileAddedTwice_addsNothing() throws IOException {
    String text = "# A\n- [ ] same\n- [ ] same\n# B\n- [ ] same\n  - [ ] below\n";
    plan(text);
    plan(text);
    done("task", "add", "--from", folder.resolve("plan.md").toString(), "-n", "plan");
    terminal.call("build", "-n", "plan", "--agent", "true", "-i", "1", "--tasks", "plan.md");

    assertThat(planned()).containsExactly("same", "same", "below", "same");
    Files.writeString(folder.resolve("other.md"), text);
    done("task", "add", "--from", "other.md", "-n", "plan");
    assertThat(planned()).hasSize(8);
  }

  @Test
  void editedItems_editTheirTasks() throws IOException {
    plan("- [ ] one\n- [ ] two\n- [ ] three\n");
    plan("- [ ] one\n- [ ] two, reworded\n- [ ] three\n");
    assertThat(planned()).containsExactly("one", "two, reworded", "three");

    plan("- [ ] two\n- [ ] three\n- [ ] one\n- [ ] two, reworded\n");
    assertThat(planned()).containsExactly("one", "two, reworded", "three", "two");
    plan("# New heading\n- [ ] one\n- [ ] two\n");
    assertThat(planned()).hasSize(4);
  }

  @Test
  void taskEditedInTheSession_staysEdited() throws IOException {
    plan("- [ ] one\n- [ ] two\n");
    done("task", "edit", "-n", "plan", "t1", "one, better");
    plan("- [ ] one\n- [ ] two\n- [ ] three\n");

    assertThat(planned()).containsExactly("one, better", "two", "three");
  }

  @Test
  void editedItemOfACompletedTask_isNamed() throws IOException {
    plan("- [ ] one\n- [ ] two\n- [ ] three\n");
    done("task", "done", "-n", "plan", "t2");
    Files.writeString(folder.resolve("plan.md"), "- [ ] one\n- [ ] 2nd\n- [ ] three\n");

    assertThat(terminal.call("task", "add", "--from", "plan.md", "-n", "plan").err())
        .contains("t2 is completed", "'2nd'");
    assertThat(planned()).containsExactly("one", "two", "three");
  }

  @Test
  void headingOfAUserStory_isInTheTask() throws IOException {
    plan("### US-001: A field\n- [ ] Add it\n### US-002: A list\n- [ ] Add it\n");
    plan("### US-001: A field\n- [x] Add it\n### US-002: A list\n- [ ] Add it\n");

    assertThat(planned())
        .containsExactly(
            "Add it\n\nUser story: US-001: A field", "Add it\n\nUser story: US-002: A list");
  }

  @Test
  void blockedTask_showsReason() throws IOException {
    assertThat(done("task", "block", "t1", "no key yet").line())
        .contains("blocked", "(no key yet)");
    assertThat(json("task", "show", "t1", "--json").at("/task/reason").asText())
        .isEqualTo("no key yet");
  }

  @Test
  void claim_excludesSecondOwner() throws IOException {
    JsonNode claimed = json("task", "claim", "t1", "--owner", "ann", "--lease", "1h", "--json");
    String token = claimed.at("/task/claim/token").asText();

    Result refused = terminal.call("task", "claim", "t1", "--owner", "bob");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("t1 is claimed by 'ann' until ");
    Result none = terminal.call("task", "claim", "--next", "--owner", "bob");
    assertThat(none.err()).startsWith("ralph: no task is ready: t1 is claimed by ann until ");
    assertThat(none.code()).isEqualTo(8);
    assertThat(terminal.call("task", "done", "t1", "--token", "stale").code()).isEqualTo(1);
    done("task", "renew", "t1", "--token", token);
    done("task", "release", "t1", "--token", token);
    assertThat(done("task", "claim", "--next", "--owner", "bob").line()).contains("claimed by bob");
  }

  @Test
  void endedClaim_isNoLongerShown() throws Exception {
    done("task", "add", "second");
    done("task", "add", "third");
    JsonNode given = json("task", "claim", "t1", "--owner", "ann", "--json");
    String running = json("log", "--limit", "1", "--json").get("id").asText();
    done("task", "release", "t1", "--token", given.at("/task/claim/token").asText());
    json("task", "claim", "t2", "--owner", "ann", "--json");
    done("task", "done", "t2");
    Claim brief;
    try (Ralph ralph = Ralph.openExisting(folder.resolve(".ralph/store"))) {
      brief = ralph.session("auth").tasks().claim("t3", "ann", Duration.ofMillis(1)).orElseThrow();
    }
    while (brief.isLive(Instant.now())) {
      Thread.sleep(1);
    }

    assertThat(done("tasks").out()).hasLineCount(3).doesNotContain("claimed");
    assertThat(json("tasks", "--json").get("tasks"))
        .hasSize(3)
        .noneMatch(task -> task.has("claim"));
    for (String task : List.of("t1", "t2", "t3")) {
      assertThat(done("task", "show", task).out()).doesNotContain("claim");
      assertThat(json("task", "show", task, "--json").get("task").has("claim")).isFalse();
    }
    assertThat(done("tasks", "--at", running).out()).contains("t1 ", "(claimed by ann)");
    assertThat(json("task", "show", "t1", "--at", running, "--json").at("/task/claim/owner"))
        .hasToString("\"ann\"");
    assertThat(done("task", "show", "t1", "--at", running).out()).contains("claim     ann until ");
  }

  @Test
  void tasksJson_containsAllFields() throws IOException {
    JsonNode answer = json("tasks", "--json");

    assertThat(answer.get("kind").asText()).isEqualTo("tasks");
    JsonNode task = answer.get("tasks").get(0);
    assertThat(task.get("ref").asText()).isEqualTo("t1");
    assertThat(task.get("id").asText()).hasSize(25).startsWith(task.get("short_id").asText());
    assertThat(task.get("status").asText()).isEqualTo("remaining");
    assertThat(task.get("content").asText()).isEqualTo("Write the login form");
    assertThat(task.get("priority").asInt()).isEqualTo(2);
    assertThat(task.get("depends")).isEmpty();
    assertThat(task.get("added").asText())
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
  }

  // ---- messages

  @Test
  void message_isUnreadUntilMarked() {
    assertThat(done("message", "Please do the API first").line()).isEqualTo("Message sent: m1");
    assertThat(done("inbox").line()).matches("m1 \\[\\w{8}] \\S+: Please do the API first");
    assertThat(done("inbox", "read", "m1").line()).isEqualTo("Message m1 marked as read");
    assertThat(done("inbox").line()).isEqualTo("No unread messages");
    assertThat(done("inbox", "--all").line()).contains("(read): Please");
  }

  @Test
  void longMessage_isPipedCompletely() throws IOException {
    String text = "ü".repeat(300_000);
    assertThat(terminal.pipe(text + "\n", "message", "-").code()).isZero();
    assertThat(terminal.pipe(text, "message").code()).isZero();

    assertThat(json("inbox", "--json").get("messages")).hasSize(2);
    for (String ref : List.of("m1", "m2")) {
      JsonNode message = json("inbox", "show", ref, "--json").get("message");
      assertThat(message.get("text").asText()).isEqualTo(text);
    }
  }

  @Test
  void message_createsMissingSession() {
    assertThat(terminal.call("message", "-n", "later", "hello").line())
        .isEqualTo("Message sent: m1");
    assertThat(terminal.sessions()).containsExactly("auth", "later");
  }

  @Test
  void repeatedKey_sendsMessageOnce() {
    String first = done("message", "--key", "k1", "hello").line();
    assertThat(done("message", "--key", "k1", "hello").line()).isEqualTo(first);
    assertThat(done("inbox").out()).hasLineCount(1);
  }

  // ---- notes, iterations, control

  @Test
  void notes_areFilteredByType() throws IOException {
    done("note", "add", "--type", "learning", "the port is taken");
    done("note", "add", "--type", "my-own", "two\nlines", "--iteration", "3");

    assertThat(done("notes").out())
        .isEqualTo("n1 learning: the port is taken\nn2 my-own (iteration 3): two\n    lines\n");
    assertThat(done("notes", "--type", "learning").out()).hasLineCount(1);
    assertThat(json("notes", "--json").at("/notes/1/iteration").asInt()).isEqualTo(3);
  }

  @Test
  void note_isRemovedByReferenceOrId() throws IOException {
    done("note", "add", "--type", "tip", "wrong");
    String id = json("note", "add", "--type", "tip", "right", "--json").at("/note/id").asText();

    assertThat(done("note", "remove", "n1").line()).isEqualTo("Note n1 removed");
    assertThat(done("notes").line()).isEqualTo("n2 tip: right");
    Result gone = terminal.call("note", "remove", "n1");
    assertThat(gone.code()).isEqualTo(1);
    assertThat(gone.err()).contains("there is no note 'n1'", "there is n2 'right'");
    assertThat(json("note", "remove", id, "--json").at("/note/ref").asText()).isEqualTo("n2");
    assertThat(done("notes").line()).isEqualTo("No notes yet");
  }

  @Test
  void log_isSearchedByTextAndTime() throws IOException {
    String first = json("log", "--json").get("id").asText();
    done("message", "Grüße (1+1)*", "--by", "Ann");
    done("note", "add", "--type", "tip", "two\nlines");

    assertThat(done("log", "--grep", "grÜße").out()).hasLineCount(1);
    assertThat(done("log", "--grep", "(1+1)*").out()).hasLineCount(1).contains("auth.inbox");
    assertThat(done("log", "--grep", "ann").out()).as("in the metadata").hasLineCount(1);
    assertThat(done("log", "--grep", "LINES").out()).hasLineCount(1).contains("auth.note");
    assertThat(done("log", "--grep", "nowhere").out()).isEmpty();
    assertThat(done("log", "--grep", "e", "--limit", "2").out())
        .hasLineCount(2)
        .doesNotContain("auth.task");
    assertThat(done("log", "--grep", "login", "--limit", "1").out()).contains("auth.task");

    assertThat(done("log", "--since", first).out()).hasLineCount(2).doesNotContain("auth.task");
    assertThat(done("log", "--since", first, "--limit", "5").out()).hasLineCount(2);
    assertThat(done("log", "--since", first, "--grep", "tip").out()).hasLineCount(1);
    assertThat(done("log", "--since", "1h").out()).hasLineCount(3);
    assertThat(done("log", "--since", "2000-01-01").out()).hasLineCount(3);
    assertThat(done("log", "--since", "2999-01-01T00:00:00Z").out()).isEmpty();
    Result odd = terminal.call("log", "--since", "2026-13-01");
    assertThat(odd.code()).isEqualTo(2);
    assertThat(odd.err()).contains("--since takes", "2026-13-01");
    assertThat(terminal.call("log", "--since", "yesterday").code()).isEqualTo(1);
  }

  @Test
  void status_summarizesSession() throws IOException {
    done("message", "hello");
    done("task", "add", "another");
    done("task", "done", "t2");

    assertThat(done("status").out())
        .contains("auth: idle", "1 of 2 completed, 1 remaining", "1 unread", "0 open");
    done("ask", "Which port?");
    done("ask", "Which host?");
    done("answer", "q1", "8080");
    assertThat(done("status").out()).contains("\n  questions   1 open\n", "2 unread: m1, m2\n");
    done("pause");
    JsonNode status = json("status", "--json");
    assertThat(status.get("state").asText()).isEqualTo("paused");
    assertThat(status.at("/tasks/completed").asInt()).isEqualTo(1);
    assertThat(status.get("unread").asInt()).isEqualTo(2);
    assertThat(status.get("questions").asInt()).isEqualTo(1);
    assertThat(status.get("outstanding")).hasSize(2);
    assertThat(status.get("outstanding").get(1).asText())
        .startsWith("2 messages are not read yet: m1 ");
    done("resume");
    assertThat(json("status", "--json").get("paused").asBoolean()).isFalse();
  }

  @Test
  void openTask_blocksCompletion() {
    Result refused = terminal.call("complete");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("t1").hasLineCount(1);
    done("task", "done", "t1");
    assertThat(done("complete").line()).startsWith("Completion claimed");
    assertThat(done("stop", "--reason", "enough").line())
        .startsWith("No loop runs the session auth");
  }

  @Test
  void unreadMessage_blocksCompletionWithRemedy() {
    done("task", "done", "t1");
    done("message", "Not yet");
    Result refused = terminal.call("complete");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err())
        .contains("1 message is not read yet: m1 Not yet;", "ralph inbox read -n auth ID")
        .hasLineCount(1);
    done("inbox", "read", "m1");
    assertThat(done("complete").line()).startsWith("Completion claimed");
  }

  @Test
  void wordOfShownMessages_completesSession() {
    done("task", "done", "t1");
    done("message", "Not yet:\nfirst the API");
    assertThat(terminal.call("complete", "--word", "bababa").code()).isEqualTo(1);
    Result refused = terminal.call("complete");
    assertThat(refused.out()).startsWith("- [").endsWith(": Not yet:\n  first the API\n");
    String word = refused.err().replaceAll("(?s).*ralph complete -n auth --word ([a-z]+),.*", "$1");

    done("message", "And then the form");
    Result again = terminal.call("complete", "--word", word);
    assertThat(again.code()).isEqualTo(1);
    assertThat(again.out()).contains("first the API", "And then the form");
    assertThat(again.err()).contains("2 messages are not read yet").doesNotContain(word);

    String newer = again.err().replaceAll("(?s).*--word ([a-z]+),.*", "$1");
    assertThat(done("complete", "--word", newer).line()).startsWith("Completion claimed");
    assertThat(done("inbox").line()).isEqualTo("No unread messages");
  }

  @Test
  void messageTooLongToShow_getsNoWord() {
    done("task", "done", "t1");
    done("message", "x".repeat(8_001));
    Result refused = terminal.call("complete");
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err())
        .contains(
            "; read the message: ralph inbox show -n auth ID; mark it as read: ralph inbox read")
        .doesNotContain("--word");
  }

  @Test
  void newSession_hasNoIterations() {
    assertThat(done("iterations").line()).isEqualTo("No iterations yet");
  }

  // ---- the log

  @Test
  void log_listsFramesOldestFirst() throws IOException {
    done("message", "hello");
    done("note", "add", "--type", "tip", "x");

    assertThat(done("log").out()).hasLineCount(3).contains(" ralph.auth.task {\"action\":\"add\"");
    assertThat(done("log", "--limit", "2").out()).hasLineCount(2).doesNotContain("auth.task");
    assertThat(done("log", "--topic", "ralph.auth.inbox").out()).hasLineCount(1).contains("hello");
    JsonNode frame = json("log", "--limit", "1", "--json");
    assertThat(frame.get("kind").asText()).isEqualTo("frame");
    assertThat(frame.at("/meta/type").asText()).isEqualTo("tip");
    assertThat(frame.get("content").asText()).isEqualTo("x");
    assertThat(frame.has("position")).isFalse();
  }

  @Test
  @Timeout(value = 300, unit = TimeUnit.SECONDS)
  void followedLog_printsNewFrames() throws Exception {
    try (PipedInputStream shown = new PipedInputStream();
        PipedOutputStream out = new PipedOutputStream(shown)) {
      Environment environment =
          Environment.of(Map.of(), shown, out, OutputStream.nullOutputStream(), folder, null);
      Thread follower =
          new Thread(() -> Cli.run(List.of("log", "--limit", "1", "--follow"), environment));
      follower.start();
      try {
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(shown, StandardCharsets.UTF_8));
        assertThat(lines.readLine()).endsWith("Write the login form");
        done("message", "one");
        assertThat(lines.readLine()).endsWith(" one");
        done("message", "two");
        assertThat(lines.readLine()).endsWith(" two");
      } finally {
        follower.interrupt();
        follower.join();
      }
    }
  }

  @Test
  void everyView_acceptsPastPosition() throws IOException {
    String frame = json("log", "--limit", "1", "--json").get("id").asText();
    done("task", "done", "t1");
    done("message", "hello");
    done("note", "add", "--type", "tip", "x");

    for (String at : new String[] {frame, "2000-01-01T00:00:00Z"}) {
      assertThat(done("inbox", "--at", at).line()).isEqualTo("No unread messages");
      assertThat(done("notes", "--at", at).line()).isEqualTo("No notes yet");
      assertThat(done("iterations", "--at", at).line()).isEqualTo("No iterations yet");
      assertThat(done("status", "--at", at).out()).contains("0 unread");
    }
    assertThat(done("tasks", "--at", frame).line()).contains("remaining");
    assertThat(done("tasks", "--at", "2000-01-01").line()).isEqualTo("No tasks yet");
    assertThat(done("tasks", "--at", "2100-01-01T00:00:00-0800").line()).contains("completed");
    assertThat(done("task", "show", "t1", "--at", frame).line()).contains("remaining");
    assertThat(done("log", "--at", frame).out()).hasLineCount(1);
    assertThat(terminal.call("tasks", "--at", "yester-day").code()).isEqualTo(2);
    assertThat(terminal.call("tasks", "--at", "nosuchframe").code()).isEqualTo(1);
  }

  // ---- formatting

  @Test
  void storedControlCharacters_areEscapedOnScreen() throws IOException {
    String evil = "a\u001b[2Jb\u0007\u202Ec\u009bd\re";
    done("task", "add", evil);

    assertThat(done("tasks", "--status", "remaining").out())
        .contains("a\\u001b[2Jb\\u0007\\u202ec\\u009bd\\u000de")
        .doesNotContain("\u001b");
    assertThat(done("log").out()).doesNotContain("\u001b").doesNotContain("\u202e");
    assertThat(json("tasks", "--json").at("/tasks/1/content").asText()).isEqualTo(evil);
  }

  @Test
  void colors_needTerminalAndNoColorUnset() {
    done("task", "done", "t1");
    assertThat(done("tasks").out()).doesNotContain("\u001b");
    terminal.terminals("012").with("TERM", "xterm");
    assertThat(done("tasks").out()).contains("\u001b[32mcompleted\u001b[0m");
    terminal.with("NO_COLOR", "1");
    assertThat(done("tasks").out()).doesNotContain("\u001b");
  }

  // ---- other commands

  @Test
  void template_isOverwrittenOnlyByForce() {
    Path file = folder.resolve(".ralph.template");
    assertThat(done("gen-template").line()).startsWith("Wrote .ralph.template");
    assertThat(file).content().contains("{{tasks}}", "{{inbox}}");
    assertThat(terminal.call("gen-template").code()).isEqualTo(1);
    done("gen-template", "--force");
    assertThat(done("gen-template", "--stdout").out()).contains("{{tools}}");
    assertThat(done("gen-template", "--change").line())
        .isEqualTo(
            "Wrote .ralph.change.template; to use it: ralph build --change CHANGE --template"
                + " .ralph.change.template");
    assertThat(folder.resolve(".ralph.change.template")).content().contains("{{story}}");
  }

  @Test
  void doctor_reportsJavaAndStore() throws IOException {
    assertThat(done("doctor").out()).contains("ok   java", "ok   store: file at ", "no damage");
    assertThat(json("doctor", "--json").get("findings").size()).isGreaterThan(4);
    assertThat(done("doctor", "--store", "nowhere").out()).contains("note store: none at");
  }

  @Test
  void doctor_asksAcpAgentForName() {
    String says =
        "{\"id\":1,\"result\":{\"protocolVersion\":1,\"agentInfo\":{\"name\":\"ann\",\"version\":\"7\"}}}";
    assertThat(done("doctor", "--agent", "acp:echo '" + says + "'").out())
        .contains("ok   echo: ann 7; to log in: the agent's own command");
    assertThat(terminal.call("doctor", "--agent", "acp:true").out())
        .contains("bad  true: true did not answer initialize");
    assertThat(terminal.call("doctor", "--agent", "claude").err())
        .contains("supports only acp:COMMAND");
  }

  @Test
  void store_isSelectedByKindAndFolder() {
    assertThat(done("tasks", "--store", "file:.ralph/store").line()).startsWith("t1");
    terminal.with("RALPH_STORE", folder.resolve(".ralph/store").toString());
    assertThat(done("tasks").line()).startsWith("t1");
  }
}

package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.Usage;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.web.GoldenFile;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compares the complete output of commands with golden files. */
@Timeout(300)
class GoldenOutputTest {

  /** Fails once, then prints a line, then creates the file that the gate requires. */
  private static final String AGENT =
      """
      #!/bin/sh
      cat >prompt
      echo >>turns
      case $(wc -l <turns | tr -d ' ') in
        1) echo 'no luck' >&2; exit 1 ;;
        2) echo 'first line'; echo 'second line' ;;
        *) echo done >ok ;;
      esac
      """;

  /** A text that lists cut. */
  private static final String LONG = "long ".repeat(4_000) + "end";

  private static final String GOLDEN = "src/test/resources/dev/ralph/cli/golden";

  @TempDir Path folder;
  private Terminal terminal;
  private GoldenFile golden;

  @BeforeEach
  void project() throws Exception {
    folder = folder.toRealPath();
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    golden = new GoldenFile(GOLDEN, folder);
    Files.writeString(folder.resolve("agent.sh"), AGENT);
    call("task", "add", "--create", "Write the form", "--priority", "1");
    call("task", "add", "Test it", "--depends", "t1");
    call("task", "add", "Ship it");
    call("task", "add", "Paint it");
    call("task", "done", "t1");
    call("task", "block", "t3", "no key");
    call("task", "cancel", "t4");
    call("message", "Please do the API first");
    call("message", "Stop at noon");
    call("inbox", "read", "m1");
    call("note", "add", "--type", "learning", "The port is 8080");
  }

  private String call(String... words) {
    Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result.out();
  }

  private Result build(String... more) {
    String[] words = {"build", "--agent", "sh agent.sh", "--gate", "test -f ok", "-i", "3"};
    String[] all = Arrays.copyOf(words, words.length + more.length);
    System.arraycopy(more, 0, all, words.length, more.length);
    return terminal.call(all);
  }

  private void closeAllTasks() {
    call("task", "done", "t2");
    call("task", "done", "t3");
    call("inbox", "read", "m2");
    call("complete");
  }

  @Test
  void jsonOfASession() throws Exception {
    golden.compare("tasks.json", call("tasks", "--json"));
    golden.compare("task-show.json", call("task", "show", "t2", "--json"));
    golden.compare("inbox.json", call("inbox", "--all", "--json"));
    golden.compare("notes.json", call("notes", "--json"));
    golden.compare("status.json", call("status", "--json"));
    golden.compare("log.json", call("log", "--json"));
  }

  @Test
  void jsonOfClaimsAndMerges() throws Exception {
    for (String text : List.of("Claimed", "Expired", "Completed", "Merged", "Unchanged")) {
      call("task", "add", text, "--touches", "src/" + text + "/**");
    }
    claim("t5", "2999-01-01T00:00:00Z");
    claim("t6", "2020-01-01T00:00:00Z");
    for (String ref : List.of("t7", "t8", "t9")) {
      String token = claim(ref, "2999-01-01T00:00:00Z");
      append("task", Meta.of("action", "status").with("id", id(ref)).with("status", "completed"));
      Meta merged = Meta.of("action", "landed").with("id", id(ref)).with("claim", token);
      if (!ref.equals("t7")) {
        append("task", ref.equals("t8") ? merged.with("commit", "0123456789abcdef") : merged);
      }
    }
    Meta returned = Meta.of("action", "status").with("id", id("t2")).with("status", "remaining");
    append("task", returned.with("reason", "conflict").with("attempt", 2).with("limit", 5));
    call("task", "add", LONG);

    golden.compare("tasks-team.json", call("tasks", "--json"));
    golden.compare("task-show-merged.json", call("task", "show", "t8", "--json"));
    assertThat(call("task", "show", "t10", "--json"))
        .contains("\"content\":\"" + LONG + "\"")
        .doesNotContain("\"length\"");
  }

  @Test
  void jsonOfConversations() throws Exception {
    call("message", "Use the new API", "--agent", "2", "--by", "ann", "--follow-up");
    call("message", LONG);
    Meta read = Meta.of("action", "mark_read").with("id", message("m2")).with("agent", 2);
    append("inbox", read.with("iteration", 1));
    call("ask", "Which port?", "--by", "agent");
    call("ask", LONG);
    call("ask", "Which host?");
    call("answer", "q1", "8080", "--by", "ann");
    call("answer", "q2", LONG);
    call("note", "add", "--type", "learning", "--about", "t1", LONG);

    golden.compare("inbox-team.json", call("inbox", "--all", "--json"));
    golden.compare("questions.json", call("questions", "--all", "--json"));
    golden.compare("notes-long.json", call("notes", "--json"));
    assertThat(call("questions", "q2", "--json"))
        .contains("\"text\":\"" + LONG + "\"", "\"answer\":\"" + LONG + "\"")
        .doesNotContain("length\"");
  }

  @Test
  void jsonOfIterations() throws Exception {
    Meta start = Meta.of("action", "start").with("timestamp", "2026-01-31T09:05:00Z");
    Meta end = Meta.of("action", "complete").with("timestamp", "2026-01-31T09:06:00Z");
    Usage usage = Usage.of(1_000, 200, new BigDecimal("0.25"));
    append("iteration", start.with("n", 1).with("role", "plan"));
    append("iteration", end.with("n", 1).with("status", "success").with("summary", "planned"));
    append("iteration", start.with("n", 2).with("agent", 2).with("task", id("t2")));
    append("iteration", end.with("n", 2).with("status", "failure").with("usage", usage.json()));
    Meta returned = Meta.of("action", "returned").with("n", 2).with("task", id("t2"));
    append("iteration", returned.with("reason", "conflict"));
    append("iteration", start.with("n", 3).with("agent", 1).with("task", "unknown"));

    golden.compare("iterations-team.json", call("iterations", "--json"));
  }

  /** Claims a task for an agent on a branch, and returns the token of the claim. */
  private String claim(String ref, String until) {
    Meta claim = Meta.of("action", "claim").with("id", id(ref)).with("owner", "agent-2");
    return append(
        "task",
        claim.with("until", until).with("iteration", 1).with("branch", "ralph/auth." + ref));
  }

  private String id(String ref) {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      return ralph.session("auth").tasks().get(ref).id();
    }
  }

  private String message(String ref) {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      return ralph.session("auth").inbox().get(ref).id();
    }
  }

  /** Appends a frame to a topic of the session, and returns the id of the frame. */
  private String append(String topic, Meta meta) {
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      Draft draft = Draft.of(Topic.of("ralph.auth." + topic), meta, "");
      Batch batch = Batch.of(UUID.randomUUID().toString(), List.of(draft));
      return ralph.log().append(batch).frames().get(0).id();
    }
  }

  @Test
  void textOfASession() throws Exception {
    golden.compare("tasks.txt", call("tasks"));
    golden.compare("inbox.txt", call("inbox", "--all"));
    golden.compare("status.txt", call("status"));
  }

  @Test
  void textOfALoop() throws Exception {
    closeAllTasks();

    Result result = build();

    golden.compare("build.txt", result.out() + "exit code " + result.code() + "\n");
    golden.compare("iterations.txt", call("iterations"));
  }

  /** The task in the command line, and the same line again. */
  @Test
  void textOfOneLine(@TempDir Path other) throws Exception {
    Path shop = Files.createDirectory(other.toRealPath().resolve("shop"));
    Terminal screen = new Terminal(shop).terminals("012");
    GoldenFile file = new GoldenFile(GOLDEN, shop);
    String[] line = {"build", "Add a dark mode", "--agent", "echo working", "-i", "1"};

    Result first = screen.call(line);
    Result again = screen.call(line);
    screen.call("task", "done", "t1");
    Result finished = screen.call(line);

    StringBuilder all = new StringBuilder();
    for (Result each : new Result[] {first, again, finished}) {
      all.append(each.err()).append(each.out()).append("exit code ").append(each.code());
      all.append("\n\n");
    }
    file.compare("one-line.txt", all.toString());
    assertThat(screen.call("tasks", "--json").out()).containsOnlyOnce("\"content\"");
  }

  @Test
  void jsonOfALoop() throws Exception {
    closeAllTasks();

    Result result = build("--json");

    golden.compare("build.json", result.out() + "exit code " + result.code() + "\n");
    golden.compare("iterations.json", call("iterations", "--json"));
    golden.compare("status-after.json", call("status", "--json"));
  }
}

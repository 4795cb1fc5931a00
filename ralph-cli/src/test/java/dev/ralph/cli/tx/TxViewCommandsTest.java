package dev.ralph.cli.tx;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.Ralph;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.tx.Tx;
import dev.ralph.tx.TxAddress;
import dev.ralph.tx.TxFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that show TX messages. */
class TxViewCommandsTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("MMddHHmmss").withZone(ZoneOffset.UTC);

  @TempDir Path folder;
  private Terminal terminal;
  private Path messages;
  private Instant time = Instant.now().minusSeconds(3600);

  @BeforeEach
  void open() throws IOException {
    messages = Files.createDirectories(folder.resolve(".ai/tx/msgs"));
    terminal = new Terminal(folder);
  }

  /** Writes a message one minute newer than the previous message, and returns its file. */
  private Path put(String name, String... fields) throws IOException {
    time = time.plusSeconds(60);
    Path file = messages.resolve(STAMP.format(time) + "-" + name + ".md");
    return Files.writeString(
        file,
        "---\ntimestamp: " + time + "\n" + String.join("\n", fields) + "\n---\n\nThe text.\n");
  }

  private void conversation() throws IOException {
    put(
        "task-core--brain-t1",
        "msg-id: t1",
        "from: core/core",
        "to: brain/brain",
        "type: task",
        "status: start",
        "requester: core/core",
        "headline: Look",
        "priority: high");
    put(
        "ask-brain--core-q1",
        "msg-id: q1",
        "from: brain/brain",
        "to: core/core",
        "type: ask",
        "status: start",
        "in-reply-to: t1");
    put(
        "ask-response-core--brain-a1",
        "msg-id: a1",
        "from: core/core",
        "to: brain/brain",
        "type: ask-response",
        "status: complete",
        "in-reply-to: q1");
    put(
        "task-complete-brain--core-d1",
        "msg-id: d1",
        "from: brain/brain",
        "to: core/core",
        "type: task-complete",
        "status: complete",
        "in-reply-to: t1");
  }

  private String done(String... words) {
    Result result = terminal.call(words);
    assertThat(result.err()).isEmpty();
    assertThat(result.code()).isZero();
    return result.out();
  }

  /** Replaces the times in lines. */
  private static String timeless(String lines) {
    return lines.replaceAll("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d", "T");
  }

  @Test
  void newestMessages_areListed() throws IOException {
    conversation();

    assertThat(timeless(done("tx", "msg")))
        .isEqualTo(
            """
            t1 [start] T task core/core to brain/brain (high): Look
            q1 [start] T ask brain/brain to core/core
            a1 [complete] T ask-response core/core to brain/brain
            d1 [complete] T task-complete brain/brain to core/core
            """);
    Result cut = terminal.call("tx", "msg", "--limit", "1");
    assertThat(cut.out()).startsWith("d1 ");
    assertThat(cut.err()).isEqualTo("ralph: 3 older files not shown; see --limit\n");
    assertThat(done("tx", "msg", "--type", "ask")).startsWith("q1 ");
    assertThat(done("tx", "msg", "--since", "5m")).isEqualTo("No messages\n");
    assertThat(done("tx", "msg", "--before", "5m", "--mesh", "core").lines()).hasSize(4);
  }

  @Test
  void olderFileName_isUnderstood() throws IOException {
    put("task-complete-brain>core-abc123");

    assertThat(timeless(done("tx", "msg", "--agent", "core/core")))
        .isEqualTo("abc123 [?] T task-complete brain/brain to core/core\n");
    assertThat(timeless(done("tx", "thread", "abc123")))
        .isEqualTo("abc123 [?] T task-complete brain/brain to core/core\n");
    assertThat(done("tx", "msg", "--errors"))
        .contains("\n    ", "the file name has the older form with '>' between the agents\n");
  }

  @Test
  void invalidMessages_areListedWithErrors() throws IOException {
    conversation();
    Path broken = put("task-core--brain-x");
    Files.writeString(broken, "---\nto: [\n");
    Files.createDirectories(folder.resolve("meshes/mesh-configs"));
    Files.writeString(
        folder.resolve("meshes/mesh-configs/core.json"),
        "{\"mesh\":\"core\",\"routing\":{\"core\":{\"blocked\":{\"boss\":\"help\"}}}}");

    String errors = timeless(done("tx", "msg", "--errors"));

    assertThat(errors)
        .contains(
            "t1 [start] T task core/core to brain/brain (high): Look\n    ",
            "-t1.md: Unknown status \"start\" for agent core. Valid statuses: blocked\n",
            "-x.md [unreadable] T ",
            ": the front matter must end with a line '---'\n")
        .doesNotContain("[unreadable] T .*\n    ");
    assertThat(done("tx", "msg", "--limit", "20")).doesNotContain("[unreadable]");
  }

  @Test
  void controlCharacters_areEscaped() throws IOException {
    put(
        "task-core--brain-\u001b[31mt",
        "headline: \"Red \\x1b[31malert\\u202e\"",
        "status: \"\\x1b]0;x\\x07\"",
        "in-reply-to: \"a\\x1b[2J\"");
    Files.writeString(messages.resolve("\u001b[2J.md"), "nothing");

    assertThat(done("tx", "msg", "--errors")).doesNotContain("\u001b", "\u202e", "\u0007");
    assertThat(terminal.call("tx", "thread", "\u001b[2J").err()).doesNotContain("\u001b");
  }

  @Test
  void json_hasAllFields() throws IOException {
    conversation();
    Path file =
        put("task-core--brain-t2", "msg-id: t2", "deadline: 2099-01-01T00:00:00Z", "tags: [a, b]");

    JsonNode answer = JSON.readTree(done("tx", "msg", "--json", "--limit", "5"));

    assertThat(answer.get("v").asInt()).isEqualTo(1);
    assertThat(answer.get("kind").asText()).isEqualTo("tx_messages");
    assertThat(answer.get("messages")).hasSize(5);
    JsonNode first = answer.at("/messages/0");
    assertThat(first.get("id").asText()).isEqualTo("t1");
    assertThat(first.get("priority").asText()).isEqualTo("high");
    assertThat(first.get("problems")).isEmpty();
    JsonNode last = answer.at("/messages/4");
    assertThat(last.get("file").asText()).isEqualTo(file.toString());
    assertThat(last.get("deadline").asText()).isEqualTo("2099-01-01T00:00:00.000Z");
    assertThat(last.get("tags")).hasSize(2);
    assertThat(last.get("problems")).isNotEmpty();
    Result cut = terminal.call("tx", "msg", "--json", "--limit", "1");
    assertThat(JSON.readTree(cut.out()).get("left_out").asInt()).isEqualTo(4);
    JsonNode thread = JSON.readTree(done("tx", "thread", "a1", "--json"));
    assertThat(thread.at("/messages/2/depth").asInt()).isEqualTo(2);
    assertThat(thread.at("/messages/2/files/0/in_reply_to").asText()).isEqualTo("q1");
  }

  @Test
  void thread_isPrintedAsTree() throws IOException {
    conversation();
    Path answer = put("ask-response-core--brain-a2", "msg-id: a2", "in-reply-to: q1");
    Files.copy(
        answer, messages.resolve(answer.getFileName().toString().replace(".md", "-orphan.md")));

    assertThat(timeless(done("tx", "thread", "d1")))
        .isEqualTo(
            """
            t1 [start] T task core/core to brain/brain (high): Look
            ├─ q1 [start] T ask brain/brain to core/core
            │  ├─ a1 [complete] T ask-response core/core to brain/brain
            │  └─ a2 [?] T ask-response core/core to brain/brain (orphan)
            │     also %s, same text
            └─ d1 [complete] T task-complete brain/brain to core/core
            """
                .formatted(answer.getFileName()));
    assertThat(timeless(done("tx", "orphans")))
        .isEqualTo("a2 [?] T ask-response core/core to brain/brain (orphan)\n");
    assertThat(JSON.readTree(done("tx", "orphans", "--json")).get("messages")).hasSize(1);
  }

  @Test
  void messageForInactiveMesh_isListedAsOrphan() throws IOException {
    put("task-core--brain-t1", "msg-id: t1", "from: core/core", "to: brain/brain", "type: task");
    put("task-core--eyes-t2", "msg-id: t2", "from: core/core", "to: head/eyes", "type: task");
    put("task-core--ears-t3", "msg-id: t3", "from: core/core", "to: head/ears", "type: task");
    assertThat(done("tx", "orphans")).isEqualTo("No orphans\n");
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"));
        Tx tx = Tx.of(ralph, TxFolder.of(folder.resolve(TxFolder.USUAL)))) {
      tx.takeUp();
      tx.deliver("head/eyes", delivery -> {});
      while (tx.boxes().size() < 3 || !tx.waiting(TxAddress.parse("head/eyes")).isEmpty()) {
        Thread.onSpinWait();
      }

      assertThat(timeless(done("tx", "orphans")))
          .isEqualTo("t1 [?] T task core/core to brain/brain (waits)\n");
    }
    JsonNode answer = JSON.readTree(done("tx", "orphans", "--json"));
    assertThat(answer.get("messages")).hasSize(2);
    assertThat(answer.at("/messages/1/id").asText()).isEqualTo("t3");
    assertThat(answer.at("/messages/1/waiting").asBoolean()).isTrue();
  }

  @Test
  void missingMessagesAndCycles_arePrinted() throws IOException {
    put("task-core--brain-a", "msg-id: a", "in-reply-to: gone");
    put("task-core--brain-x", "msg-id: x", "in-reply-to: y");
    put("task-core--brain-y", "msg-id: y", "in-reply-to: x");

    assertThat(timeless(done("tx", "thread", "a")))
        .isEqualTo("gone [missing] no file\n└─ a [?] T task core/core to brain/brain\n");
    assertThat(timeless(done("tx", "thread", "y")))
        .isEqualTo(
            """
            x [?] T task core/core to brain/brain
            └─ y [?] T task core/core to brain/brain
               └─ x [circle] shown above
            """);
  }

  @Test
  void deepThread_fitsScreen() throws IOException {
    for (int i = 0; i < 40; i++) {
      put(
          "task-core--brain-m" + i,
          "msg-id: m" + i,
          i == 0 ? "status: start" : "in-reply-to: m" + (i - 1));
    }

    String[] lines = done("tx", "thread", "m7").split("\n");

    assertThat(lines).hasSize(40);
    assertThat(lines[20]).startsWith(" ".repeat(57) + "├─ m20 ").doesNotContain("answers");
    assertThat(lines[39]).startsWith(" ".repeat(57) + "└─ m39 ").endsWith(" (answers m38)");
  }

  @ParameterizedTest
  @CsvSource({
    "tx msg --type letter,        2, 'must be one of ask, ask-response'",
    "tx msg --agent ../x,         2, is not an address",
    "tx msg --mesh a/b,           2, is not a mesh",
    "tx msg --since yesterday,    2, '--since takes a time such as'",
    "tx msg --before 1122103000,  2, '--before takes a time such as'",
    "tx msg --limit -1,           2, --limit",
    "tx msg --folder missing,     1, no folder",
    "tx thread,                   2, MSG-ID",
    "tx thread t99,               1, no message 't99'",
    "tx orphans now,              2, now",
  })
  void invalidQuery_isRefused(String call, int code, String why) {
    Result refused = terminal.call(call.split(" "));

    assertThat(refused.code()).as(refused.err()).isEqualTo(code);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err()).contains(why);
  }
}

package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.AgentResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands shorten long lists and long texts, and name the command for the rest. */
class LongTextsTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String LONG = "begin\n" + "x".repeat(200_000) + " end";

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void beginASession() {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    done("task", "add", "--create", "one");
  }

  private String done(String... words) {
    Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result.out();
  }

  private JsonNode json(String... words) throws IOException {
    return JSON.readTree(done(words));
  }

  private Ralph open() {
    return Ralph.open(folder.resolve(".ralph/store"));
  }

  @Test
  void storedLineSeparators_areEscapedInJson() throws IOException {
    String separators = "\u2028 and \u2029";
    Meta stored = Meta.parse("{\"a\":\"" + separators + "\",\"b" + separators + "\":{\"c\":1}}");
    assertThat(stored.json()).contains(separators);
    try (Ralph ralph = open()) {
      Draft draft = Draft.of(Topic.of("ralph.auth.note"), stored, separators);
      ralph.appendUnsynced(List.of(draft));
    }
    String line = done("log", "--limit", "1", "--json");
    assertThat(line).doesNotContainPattern("[\u2028\u2029]");
    JsonNode frame = JSON.readTree(line);
    assertThat(frame.at("/meta/a").asText()).isEqualTo(separators);
    assertThat(frame.at("/meta/b" + separators + "/c").asInt()).isEqualTo(1);
    assertThat(frame.get("content").asText()).isEqualTo(separators);
  }

  // ---- lists

  @Test
  void longList_showsNewestHundredWithRemedy() throws IOException {
    try (Ralph ralph = open()) {
      for (int i = 1; i <= 103; i++) {
        ralph.session("auth").notes().add("tip", "note " + i);
        ralph.session("auth").inbox().send("message " + i);
        ralph.session("auth").questions().ask("question " + i);
      }
    }
    Result notes = terminal.call("notes");
    assertThat(notes.out()).startsWith("n4 tip: note 4\n").hasLineCount(100);
    assertThat(notes.err()).isEqualTo("ralph: 3 older notes not shown; --limit 103 shows all\n");
    assertThat(done("notes", "--limit", "103")).startsWith("n1 tip: note 1\n").hasLineCount(103);
    assertThat(terminal.call("notes", "--limit", "103").err()).isEmpty();
    assertThat(done("notes", "--limit", "1")).isEqualTo("n103 tip: note 103\n");
    assertThat(done("inbox", "--limit", "2")).startsWith("m102 [").hasLineCount(2);
    assertThat(terminal.call("inbox").err()).contains("3 older messages not shown");
    assertThat(done("questions", "--limit", "2")).startsWith("q102 [").hasLineCount(2);
    JsonNode answer = json("notes", "--json", "--limit", "100");
    assertThat(answer.get("notes")).hasSize(100);
    assertThat(answer.get("left_out").asInt()).isEqualTo(3);
    assertThat(json("notes", "--json").get("notes")).hasSize(103);
    assertThat(json("notes", "--json").has("left_out")).isFalse();
    assertThat(terminal.call("notes", "--limit", "0").code()).isEqualTo(2);
  }

  // ---- texts

  @Test
  void longNote_isCutInListAndShownWhole() throws IOException {
    terminal.pipe(LONG, "note", "add", "--type", "tip", "-");

    String cut = "n1 tip: begin\n    " + "x".repeat(250);
    assertThat(done("notes"))
        .isEqualTo(cut + "… (256 of 200010 characters; note show n1 has all)\n");
    assertThat(done("note", "show", "n1"))
        .isEqualTo("n1 tip: " + LONG.replace("\n", "\n    ") + "\n");
    JsonNode listed = json("notes", "--json").at("/notes/0");
    assertThat(listed.get("content").asText()).isEqualTo(LONG.substring(0, 256));
    assertThat(listed.get("length").asInt()).isEqualTo(LONG.length());
    JsonNode shown = json("note", "show", "n1", "--json").get("note");
    assertThat(shown.get("content").asText()).isEqualTo(LONG);
    assertThat(shown.has("length")).isFalse();
  }

  @Test
  void longMessage_isCutInListAndShownWhole() throws IOException {
    terminal.pipe(LONG, "message");

    assertThat(done("inbox")).endsWith("… (256 of 200010 characters; inbox show m1 has all)\n");
    assertThat(done("inbox", "show", "m1")).endsWith("x end\n").hasSizeGreaterThan(200_000);
    assertThat(json("inbox", "--json").at("/messages/0/length").asInt()).isEqualTo(LONG.length());
    assertThat(json("inbox", "show", "m1", "--json").at("/message/text").asText()).isEqualTo(LONG);
    assertThat(done("build", "--dry-run", "--agent", "cat")).contains("x".repeat(200_000) + " end");
  }

  @Test
  void longTask_isCutInListAndShownWhole() throws IOException {
    terminal.pipe(LONG, "task", "add", "-");

    assertThat(done("tasks"))
        .contains("begin\n    " + "x".repeat(250))
        .endsWith("… (256 of 200010 characters; task show t2 has all)\n")
        .hasSizeLessThan(1_000);
    assertThat(done("task", "show", "t2")).contains("x end\n").hasSizeGreaterThan(200_000);
    JsonNode listed = json("tasks", "--json").at("/tasks/1");
    assertThat(listed.get("content").asText()).isEqualTo(LONG.substring(0, 256));
    assertThat(listed.get("length").asInt()).isEqualTo(LONG.length());
    assertThat(json("task", "show", "t2", "--json").at("/task/content").asText()).isEqualTo(LONG);
    assertThat(done("task", "done", "t2")).hasSizeLessThan(1_000);
    assertThat(done("build", "--dry-run", "--agent", "cat")).hasSizeLessThan(20_000);
  }

  @Test
  void longQuestion_isCutInListAndShownWhole() throws IOException {
    terminal.pipe(LONG, "ask");
    terminal.pipe("yes " + LONG, "answer", "q1");

    assertThat(done("questions", "--all"))
        .contains("… (256 of 200010 characters; questions q1 has all)\n    Answer: yes begin\n")
        .endsWith("… (256 of 200014 characters; questions q1 has all)\n")
        .hasSizeLessThan(1_000);
    assertThat(done("questions", "q1")).endsWith("x end\n").hasSizeGreaterThan(400_000);
    JsonNode listed = json("questions", "--all", "--json").at("/questions/0");
    assertThat(listed.get("length").asInt()).isEqualTo(LONG.length());
    assertThat(listed.get("answer_length").asInt()).isEqualTo(LONG.length() + 4);
    JsonNode shown = json("questions", "q1", "--json").get("question");
    assertThat(shown.get("text").asText()).isEqualTo(LONG);
    assertThat(shown.get("answer").asText()).isEqualTo("yes " + LONG);
    assertThat(shown.has("length") || shown.has("answer_length")).isFalse();
  }

  @Test
  void textOfFewPages_isListedWhole() throws IOException {
    String text = "y".repeat(16_384);
    terminal.pipe(text, "note", "add", "--type", "tip", "-");
    assertThat(done("notes")).isEqualTo("n1 tip: " + text + "\n");
    assertThat(json("notes", "--json").at("/notes/0/content").asText()).isEqualTo(text);
  }

  @Test
  void longTextInLog_isCutButSearchable() throws IOException {
    terminal.pipe(LONG, "note", "add", "--type", "tip", "-");

    assertThat(done("log", "--limit", "1"))
        .contains("\"begins\":\"begin\\nxxx")
        .endsWith(" (200010 characters; log --json has all)\n")
        .hasSizeLessThan(2_000);
    assertThat(json("log", "--limit", "1", "--json").get("content").asText()).isEqualTo(LONG);
    assertThat(done("log", "--grep", "x END")).contains("200010 characters");
  }

  @Test
  void erasedLongText_isRemovedFromAllFiles() throws IOException {
    try (Ralph ralph = open()) {
      Session session = ralph.session("auth");
      session.notes().add("tip", "sesame-7Jq0" + LONG);
      session.inbox().send("sesame-7Jq0" + LONG);
      Meta tip = Meta.of("action", "add").with("type", "tip");
      List<Draft> many =
          Stream.generate(() -> Draft.of(Topic.of("ralph.auth.note"), tip, "other"))
              .limit(2_100)
              .toList();
      ralph.appendUnsynced(many);
      assertThat(session.notes().list()).hasSize(2_101);
    }
    assertThat(holders()).as("the log, the contents, and a snapshot").hasSize(3);

    JsonNode note = json("note", "show", "n1", "--json").get("note");
    JsonNode message = json("inbox", "show", "m1", "--json").get("message");
    done("erase", note.get("id").asText(), message.get("id").asText());

    assertThat(holders()).isEmpty();
    assertThat(done("inbox")).isEqualTo("No unread messages\n");
    assertThat(terminal.call("note", "show", "n2102").code()).isEqualTo(1);
  }

  private List<Path> holders() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve(".ralph"))) {
      return files
          .filter(Files::isRegularFile)
          .filter(
              file -> {
                try {
                  return Files.readString(file, StandardCharsets.ISO_8859_1)
                      .contains("sesame-7Jq0");
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              })
          .toList();
    }
  }

  @Test
  void noteWithLostContent_isListedWithRemedy() throws IOException {
    terminal.pipe(LONG, "note", "add", "--type", "tip", "-");
    try (Stream<Path> files = Files.walk(folder.resolve(".ralph/store/content"))) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        Files.delete(file);
      }
    }

    assertThat(done("notes")).startsWith("n1 tip: begin");
    Result shown = terminal.call("note", "show", "n1");
    assertThat(shown.code()).isEqualTo(1);
    assertThat(shown.err()).contains("is missing; restore the file");
    assertThat(terminal.call("verify").code()).isEqualTo(1);
  }

  // ---- transcripts

  @Test
  void transcriptInJson_isSingleObject() throws IOException {
    try (Ralph ralph = open()) {
      ralph
          .session("auth")
          .loop(
              turn -> {
                for (int i = 0; i < 1_000; i++) {
                  turn.output("line \"" + i + "\" \\ é " + "z".repeat(100));
                }
                return AgentResult.success();
              })
          .maxIterations(2)
          .run();
    }
    String text = done("iterations", "--transcript", "1");
    assertThat(text).startsWith("line \"0\"").endsWith("z\n\n").hasLineCount(1_001);
    assertThat(json("iterations", "--transcript", "1", "--json").get("text").asText() + "\n")
        .isEqualTo(text);
    Result none = terminal.call("iterations", "--transcript", "7", "--json");
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.out()).isEmpty();
  }
}

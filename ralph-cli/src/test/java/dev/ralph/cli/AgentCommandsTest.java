package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.AgentResult;
import dev.ralph.Ralph;
import dev.ralph.cli.Terminal.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of an orchestrator and its agents, on a change with three stories. */
class AgentCommandsTest {

  @TempDir Path folder;
  private Path change;
  private Terminal terminal;

  @BeforeEach
  void makeAChange() throws IOException {
    change = OpenSpecProject.copyTo(folder);
    Files.writeString(folder.resolve("pom.xml"), "");
    terminal = new Terminal(folder);
  }

  private Result agent(String words) {
    return terminal.call(("agent " + words).split(" "));
  }

  private JsonNode json(Result result) {
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).hasLineCount(1);
    return tree(result.out());
  }

  private static JsonNode tree(String text) {
    try {
      return new ObjectMapper().readTree(text);
    } catch (IOException e) {
      throw new AssertionError(text, e);
    }
  }

  /** Starts a session and sets its variable, as an orchestrator does. */
  private String begin() {
    String session = json(agent("session init --change add-login")).get("session_id").textValue();
    terminal.with("RALPH_SESSION", session);
    return session;
  }

  private void fails(Result result, String code, String message) {
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).hasLineCount(1);
    JsonNode failure = tree(result.err());
    assertThat(failure.fieldNames()).toIterable().containsExactly("success", "error", "code");
    assertThat(failure.get("code").textValue()).as(result.err()).isEqualTo(code);
    assertThat(failure.get("error").textValue()).contains(message);
    assertThat(failure.get("success").booleanValue()).isFalse();
  }

  // ---- responses

  /** Each line of the file contains a command and its expected output. */
  @Test
  void exampleSession_answersEveryCommandAsDocumented() throws IOException {
    StringBuilder said = new StringBuilder();
    String session = "none";
    List<String> script = OpenSpecProject.lines("session.txt");
    for (String line : script) {
      if (line.startsWith("$ ralph ")) {
        String words = line.substring("$ ralph agent ".length());
        Result result =
            words.startsWith("learn ")
                ? terminal.call("agent", "learn", "--task", "1.2", "The form is\nold")
                : agent(words);
        if (words.startsWith("session init")) {
          assertThat(result.err()).startsWith("ralph: created the store ").hasLineCount(1);
          session = json(result).get("session_id").textValue();
          assertThat(session).matches("add-login-[a-z0-9]{8}");
          terminal.with("RALPH_SESSION", session);
        } else {
          assertThat(result.err()).isEmpty();
        }
        assertThat(result.code()).isZero();
        said.append(line).append('\n').append(result.out());
      }
    }
    assertThat(
            said.toString()
                .replace(session, "SESSION")
                .replaceAll("\"timestamp\":\"[-0-9T:.]+Z\"", "\"timestamp\":\"TIME\""))
        .isEqualTo(String.join("\n", script) + "\n");
    assertThat(Files.readString(change.resolve("design.md")))
        .containsPattern(
            "\n\n## Learnings\n\n### \\d{4}-\\d\\d-\\d\\d - Story 1\n\n- The form is\n"
                + "  old \\(Task 1.2\\)\n$");
    assertThat(Files.readString(change.resolve("tasks.md")))
        .isEqualTo(OpenSpecProject.read("add-login/tasks.md").replace("- [ ] ", "- [x] "));
  }

  @Test
  void learning_isStoredAsSessionNote() {
    String session = begin();
    json(terminal.pipe("piped\n", "agent", "learn"));
    assertThat(terminal.call("notes", "-n", session).out()).contains("learning", "piped");
  }

  @Test
  void learningsOfDifferentStories_appearAsPatterns() {
    begin();
    terminal.call("agent", "learn", "of two", "--task", "2.1");
    terminal.call("agent", "learn", "of all");
    terminal.call("agent", "learn", "of one", "--story", "1");
    JsonNode context = json(agent("context --story 1"));
    assertThat(context.get("patterns").toString()).isEqualTo("[\"of two\"]");
    assertThat(context.get("learnings")).hasSize(3);
    assertThat(json(agent("context --story 2")).get("patterns").toString())
        .isEqualTo("[\"of one\"]");
    assertThat(json(agent("context --story 3")).get("patterns").toString())
        .isEqualTo("[\"of two\",\"of one\"]");
  }

  @Test
  void invalidChangeFiles_areReportedByInit() throws IOException {
    Files.writeString(change.resolve("tasks.md"), "## 1. A\n- [ ] 1.1 a\n- [ ] 1.1 b\n");
    Files.delete(change.resolve("proposal.md"));
    assertThat(json(agent("session init --change add-login")).get("problems").toString())
        .isEqualTo(
            "[\"tasks.md:3: a second task 1.1; the first is on line 2\",\"proposal.md: missing\"]");
  }

  // ---- session and story arguments

  @Test
  void missingSessionOrStory_isReported() {
    for (String words :
        List.of(
            "context",
            "status",
            "task done 1.1",
            "learn x",
            "session next-story",
            "session flush",
            "session end")) {
      fails(agent(words), "SESSION_REQUIRED", "RALPH_SESSION");
    }
    begin();
    fails(agent("context"), "STORY_REQUIRED", "RALPH_STORY");
    fails(agent("task done 1.2"), "STORY_REQUIRED", "next-story");
    assertThat(agent("status").code()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--name", "--session", "-n"})
  void sessionFromOptionAndVariable_mustAgree(String option) {
    String session = begin();
    String words = "status --story 2 " + option + " ";
    assertThat(agent(words + session).code()).isZero();
    fails(agent(words + "other"), "USAGE", "'other', but RALPH_SESSION is '" + session);
    terminal.with("RALPH_SESSION", "");
    assertThat(agent(words + session).code()).isZero();
    fails(agent("status"), "SESSION_REQUIRED", "");
    fails(agent(words + "add-login-aaaaaaaa"), "NOT_FOUND", "no session 'add-login-aaaaaaaa'");
    fails(agent(words + "../x"), "NOT_FOUND", "'../x'");
  }

  @Test
  void nameAndSessionOptions_mustAgree() {
    String session = begin();
    assertThat(agent("status -n " + session + " --session " + session).code()).isZero();
    terminal.with("RALPH_SESSION", "");
    fails(agent("status -n " + session + " --session x"), "USAGE", "--session is 'x'");
  }

  @Test
  void story_comesFromOptionVariableOrNextStory() {
    begin();
    json(agent("session next-story"));
    assertThat(json(agent("context")).at("/story/id").textValue()).isEqualTo("1");
    assertThat(json(agent("context --story 3")).at("/story/id").textValue()).isEqualTo("3");
    terminal.with("RALPH_STORY", "2");
    assertThat(json(agent("context")).at("/story/id").textValue()).isEqualTo("2");
    fails(agent("context --story 3"), "USAGE", "--story is '3', but RALPH_STORY is '2'");
    terminal.with("RALPH_STORY", "9");
    for (String words : List.of("context", "status", "task done 1.2")) {
      fails(agent(words), "NOT_FOUND", "no story '9'; available: 1, 2, 3");
    }
  }

  // ---- tasks

  @ParameterizedTest
  @CsvSource({
    "3.1, SCOPE_ERROR, 'task 3.1 belongs to story 3, not to 2'",
    "2.3, NOT_FOUND, 'story 2 has no task ''2.3''; available: 2.1, 2.2, 2.10'",
    "2, NOT_FOUND, has no task '2'",
    "'', NOT_FOUND, has no task ''",
  })
  void taskOutsideStory_isRejectedUnchanged(String task, String code, String message)
      throws IOException {
    begin();
    String before = Files.readString(change.resolve("tasks.md"));
    fails(terminal.call("agent", "task", "done", task, "--story", "2"), code, message);
    fails(
        terminal.call("agent", "learn", "x", "--task", "7.7"),
        "NOT_FOUND",
        "no task '7.7'; available: 1.1, 1.2");
    assertThat(change.resolve("tasks.md")).hasContent(before);
  }

  @Test
  void duplicateTaskNumber_isNotTicked() throws IOException {
    String tasks = "## 1. A\n- [ ] 1.1 a\n- [ ] 1.1 b\n";
    Files.writeString(change.resolve("tasks.md"), tasks);
    begin();
    fails(agent("task done 1.1 --story 1"), "INVALID", "several tasks have the number 1.1");
    assertThat(change.resolve("tasks.md")).hasContent(tasks);
  }

  @Test
  void windowsLinesAndByteOrderMark_areKept() throws IOException {
    String tasks = "\uFEFF## 1. A\r\n- [ ] 1.1 a\r\n- [ ] 1.2 b\r\n";
    Files.writeString(change.resolve("tasks.md"), tasks);
    begin();
    assertThat(json(agent("task done 1.2 --story 1")).get("remaining").toString())
        .isEqualTo("[\"1.1\"]");
    assertThat(Files.readString(change.resolve("tasks.md")))
        .isEqualTo("\uFEFF## 1. A\r\n- [ ] 1.1 a\r\n- [x] 1.2 b\r\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"# Later\n", "## 1. Doors\n* 1.1 a door\n"})
  void changeWithoutTasks_isNeverComplete(String tasks) throws IOException {
    Files.writeString(change.resolve("tasks.md"), tasks);
    begin();
    fails(
        agent("session next-story"),
        "NOT_FOUND",
        "has no tasks and cannot be completed; add tasks to");
    assertThat(json(agent("status")).get("change_complete").booleanValue()).isFalse();
  }

  // ---- unusable changes

  @ParameterizedTest
  @ValueSource(
      strings = {
        "add-logout",
        "..",
        "../changes/add-login",
        "add-login/specs",
        "/etc",
        ".",
        "a\nb",
      })
  void unknownChange_isRefusedWithExistingNames(String name) throws IOException {
    fails(
        terminal.call("agent", "session", "init", "--change", name),
        "NOT_FOUND",
        "; available: add-login");
    assertThat(folder.resolve(".ralph")).doesNotExist();
  }

  @Test
  void folderWithoutChanges_isNoProject() throws IOException {
    Path elsewhere = Files.createDirectories(folder.resolve("elsewhere/.git")).getParent();
    fails(
        new Terminal(elsewhere).call("agent", "session", "init", "--change", "add-login"),
        "NOT_FOUND",
        elsewhere + "/openspec/changes");
    try (Stream<Path> made = Files.list(elsewhere)) {
      assertThat(made).hasSize(1);
    }
  }

  @Test
  void subfolder_findsProject() throws IOException {
    begin();
    Path source = Files.createDirectories(folder.resolve("src/main"));
    Result result = new Terminal(source).call("agent", "session", "resume");
    assertThat(json(result).get("change_name").textValue()).isEqualTo("add-login");
  }

  @Test
  void unreadableTasksFile_isNamed() throws IOException {
    Files.delete(change.resolve("tasks.md"));
    Files.createDirectory(change.resolve("tasks.md"));
    fails(
        agent("session init --change add-login"),
        "INVALID",
        "add-login/tasks.md is a folder, not a file");
    Files.delete(change.resolve("tasks.md"));
    assertThat(json(agent("session init --change add-login")).get("problems").get(0).textValue())
        .isEqualTo("tasks.md: missing, so the change has no stories");
  }

  @Test
  void invalidVerifyFile_isReportedWithLine() throws IOException {
    begin();
    Files.writeString(folder.resolve("openspec/verify"), "# ours\nrun: x\n");
    fails(agent("context --story 1"), "INVALID", "openspec/verify:2: ");
    Files.writeString(folder.resolve("openspec/verify"), "test: a\ntest: b\n");
    assertThat(json(agent("context --story 1")).get("verify").toString())
        .isEqualTo("{\"checks\":[],\"tests\":\"a && b\"}");
  }

  // ---- one orchestrator per change

  @Test
  void runningLoop_blocksSessionFlushAndEnd() {
    String name = begin();
    List<Result> answers = new CopyOnWriteArrayList<>();
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      ralph
          .session(name)
          .loop(
              turn -> {
                answers.add(agent("session flush"));
                answers.add(agent("session end"));
                answers.add(agent("session next-story"));
                return AgentResult.success();
              })
          .maxIterations(1)
          .run();
    }
    assertThat(answers).hasSize(3);
    fails(answers.get(0), "LOCKED", "to stop the loop: ralph stop -n " + name);
    fails(answers.get(1), "LOCKED", "a loop runs the session");
    json(answers.get(2));
    json(agent("session flush"));
  }

  @Test
  void secondSession_isLockedOutUntilFirstEnds() {
    String first = begin();
    fails(agent("session init --change add-login"), "LOCKED", "session " + first + ", until ");
    assertThat(json(agent("session list")).get("sessions").toString())
        .isEqualTo(
            "[{\"session_id\":\""
                + first
                + "\",\"change_name\":\"add-login\",\"story_id\":null,\"locked\":true,\"ended\":false}]");
    json(agent("session end"));
    assertThat(json(agent("session list")).get("sessions")).isEmpty();
    assertThat(json(agent("session list --all")).at("/sessions/0/ended").booleanValue()).isTrue();
    fails(agent("learn more"), "INVALID", "has ended");
    fails(agent("context --story 1"), "INVALID", "has ended");
    fails(agent("session resume"), "INVALID", "has ended");
    assertThat(json(agent("status --story 1")).get("story_complete").booleanValue()).isFalse();

    terminal.with("RALPH_SESSION", "");
    fails(agent("session resume"), "NOT_FOUND", "no session to resume");
    fails(agent("session resume --change x"), "NOT_FOUND", "on the change 'x'");
    begin();
  }

  @Test
  void ownerProcess_locksChangeWhileAlive() throws Exception {
    Process owner = new ProcessBuilder("sleep", "600").start();
    String session;
    try {
      JsonNode init = json(agent("session init --change add-login --owner-pid " + owner.pid()));
      session = init.get("session_id").textValue();
      fails(agent("session init --change add-login"), "LOCKED", "while process " + owner.pid());
      fails(agent("session resume"), "LOCKED", "process " + owner.pid());
      json(agent("learn x --session " + session));
    } finally {
      owner.destroyForcibly().waitFor();
    }
    fails(
        agent("session init --change add-login --owner-pid " + owner.pid()),
        "USAGE",
        "no process with this id");
    JsonNode resumed = json(agent("session resume --change add-login"));
    assertThat(resumed.get("session_id").textValue()).isEqualTo(session);
  }

  @Test
  void sessionsOnSeveralChanges_requireChangeOption() throws IOException {
    Path other = Files.createDirectories(change.resolveSibling("other"));
    Files.writeString(other.resolve("tasks.md"), "## 1. A\n- [ ] 1.1 a\n");
    String first = begin();
    json(agent("session init --change other"));
    fails(
        agent("session resume --change other"), "USAGE", "is for the change add-login, not other");
    terminal.with("RALPH_SESSION", "");
    fails(agent("session resume"), "USAGE", "several changes are open: add-login, other");
    assertThat(json(agent("session resume --change add-login")).get("session_id").textValue())
        .isEqualTo(first);
  }

  // ---- the store

  @Test
  void storeAtGivenAddress_isCreatedOnlyOnRequest() {
    String store = folder.resolve("a store").toString();
    terminal.with("RALPH_STORE", store);
    fails(agent("session init --change add-login"), "NOT_FOUND", "no store at");
    fails(agent("status --session add-login-aaaaaaaa"), "NOT_FOUND", "no store at");
    assertThat(json(agent("session list")).get("sessions")).isEmpty();
    assertThat(Path.of(store)).doesNotExist();
    json(agent("session init --change add-login --create"));
    assertThat(Path.of(store)).isDirectory();
    assertThat(folder.resolve(".ralph")).doesNotExist();
  }

  @Test
  void failedOutput_isReportedAsJsonError() {
    begin();
    Result result = terminal.callFailing("No space left on device", "agent", "status");
    fails(result, "IO", "No space left on device");
    assertThat(terminal.callUnheard("agent", "status")).isZero();
  }

  @Test
  void emptyLearning_isRefused() {
    begin();
    fails(terminal.call("agent", "learn", " "), "INVALID", "");
    fails(terminal.call("agent", "learn"), "USAGE", "no text");
    fails(terminal.call("agent", "learn", "two", "words"), "USAGE", "quotes");
    byte[] text = "größer\n".getBytes(StandardCharsets.UTF_8);
    assertThat(json(terminal.pipe(text, "agent", "learn", "-")).get("learning").textValue())
        .startsWith("größer");
  }
}

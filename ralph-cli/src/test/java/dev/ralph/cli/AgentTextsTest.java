package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal.Result;
import dev.ralph.core.internal.text.CommandLineWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands of an agent that a loop has started: the texts that they accept and store. */
class AgentTextsTest {

  private static final String KEY = "hf_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3x";
  private static final String REDACTED = "[redacted: Hugging Face token]";

  @TempDir Path folder;
  private Terminal agent;
  private Terminal person;

  @BeforeEach
  void open() {
    person = new Terminal(folder).with("RALPH_SESSION", "s").with("RALPH_MAIL_AS", "ann");
    person.with("RALPH_TX_AS", "core");
    agent = new Terminal(folder).with("RALPH_SESSION", "s").with("RALPH_MAIL_AS", "ann");
    agent.with("RALPH_TX_AS", "core").with("RALPH_MARK", "ralph.1.s");
    person.call("task", "add", "--create", "one");
    person.call("ask", "Which?");
    person.call("mail", "send", "ann", "--as", "bob", "Well?");
  }

  /** Returns the contents of all files, in the store and beside it. */
  private String kept() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!file.getFileName().toString().equals("list.md")) {
          all.append(new String(Files.readAllBytes(file), java.nio.charset.StandardCharsets.UTF_8));
        }
      }
    }
    return all.toString();
  }

  private static String[] words(String command) {
    return Stream.of(command.split(" "))
        .map(word -> word.equals("TEXT") ? "use " + KEY + " now" : word)
        .toArray(String[]::new);
  }

  @Test
  void everyPromptCommand_runsAsWritten() throws IOException {
    person.call("note", "add", "--type", "tip", "one");
    person.call("message", "hello");
    String prompt =
        person.call("build", "--dry-run", "--agent", "cat", "--prompt", "{{tools}}").out();
    List<String> commands = prompt.lines().filter(line -> line.startsWith("\"$RALPH\" ")).toList();
    assertThat(commands).hasSize(17);
    for (String command : commands) {
      String kind = command.contains(" note ") ? "n1" : command.contains(" inbox ") ? "m1" : "t1";
      String own =
          command.replace("ID", kind).replace(" <<'EOF'", "").replace("TEXT", "it's").strip();
      List<String> words = CommandLineWords.split(own.replace("'it's'", "\"it's\""));
      Result result =
          agent.pipe("some\ntext\n", words.subList(1, words.size()).toArray(String[]::new));
      assertThat(result.code())
          .as("%s: %s", words, result.err())
          .isEqualTo(own.endsWith("complete") ? 1 : 0);
    }
    assertThat(person.call("notes").out()).contains("some", "it's");
    assertThat(person.call("tasks").out()).contains("it's");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "task add TEXT",
        "task add --from list.md",
        "task edit t1 TEXT",
        "task block t1 TEXT",
        "task status t1 blocked --reason TEXT",
        "task cancel t1 --reason TEXT",
        "task done t1 --reason TEXT",
        "note add --type tip TEXT",
        "ask TEXT",
        "answer q1 TEXT",
        "message TEXT",
        "stop --reason TEXT",
        "mail send bob TEXT",
        "mail send bob --headline TEXT hello",
        "mail ask bob --wait 1s TEXT",
        "mail reply m1 TEXT",
        "tx send brain TEXT",
        "tx send brain --headline TEXT hello",
      })
  void secretInAgentText_isRedacted(String command) throws IOException {
    Files.writeString(folder.resolve("list.md"), "- [ ] use " + KEY + "\n");
    Result result = agent.call(words(command));
    assertThat(result.err()).doesNotContain("see ralph");
    assertThat(kept()).contains(command.startsWith("stop") ? "one" : REDACTED).doesNotContain(KEY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"task add -", "note add --type tip -", "ask -", "mail send bob -"})
  void secretInPipedAgentText_isRedacted(String command) throws IOException {
    assertThat(agent.pipe("use " + KEY, words(command)).code()).isZero();
    assertThat(kept()).contains(REDACTED).doesNotContain(KEY);
  }

  @Test
  void secretOfUser_isKept() throws IOException {
    for (String command : List.of("task add TEXT", "message TEXT", "mail send bob TEXT")) {
      assertThat(person.call(words(command)).code()).isZero();
    }
    assertThat(kept()).doesNotContain("redacted");
    assertThat(person.call("tasks").out()).contains(KEY);
  }

  @Test
  void redactionTurnedOff_keepsSecretOfAgent() {
    agent.with("RALPH_REDACT", "off").call(words("task add TEXT"));
    assertThat(person.call("tasks").out()).contains(KEY);
  }
}

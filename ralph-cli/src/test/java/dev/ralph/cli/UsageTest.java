package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal.Result;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.core.internal.text.CommandLineWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests for help, and invalid command lines. */
class UsageTest {

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void open() {
    terminal = new Terminal(folder);
  }

  @AfterEach
  void nothingWasMade() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void noArguments_printUsage() {
    Result result = terminal.call();

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .contains("ralph build 'Add a dark mode'")
        .contains("agent: for programs: ");
    assertThat(result.out().lines().count()).as("half a screen").isLessThanOrEqualTo(25);
    assertThat(result.out().lines()).allMatch(line -> line.length() <= 80);
    String listed = result.out().substring(result.out().indexOf("Commands:"));
    for (String name : Commands.NAMES) {
      String[] words = name.split(" ");
      String known = words.length == 1 || words[0].equals("agent") ? words[0] : words[1];
      assertThat(listed).containsPattern("[ |\\[]" + known + "[\\n,|\\]: ]");
    }
    assertThat(result.err()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "task, usage: ralph task, 12",
    "note, usage: ralph note, 3",
    "inbox, usage: ralph inbox, 2",
    "agent, For programs, 10",
    "agent session, For programs, 6",
    "agent task, For programs, 1",
  })
  void groupHelp_listsCommandsOfGroup(String group, String start, int count) {
    Result result = terminal.call((group + " --help").split(" "));

    assertThat(result.code()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.out()).startsWith(start);
    List<String> names = Commands.in(group);
    assertThat(names).hasSize(count);
    for (String name : names) {
      assertThat(result.out()).containsPattern("  " + name + " +\\w+");
    }
    assertThat(terminal.call(("help " + group).split(" "))).isEqualTo(result);
    assertThat(terminal.call((group + " -h").split(" "))).isEqualTo(result);
  }

  @Test
  void agentWithoutCommand_explainsMachineUse() {
    Result result = terminal.call("agent");

    assertThat(result).isEqualTo(terminal.call("agent", "--help"));
    assertThat(result.out())
        .contains("For programs", "agent session next-story  select and print the first");
  }

  @Test
  void version_matchesProject() throws IOException {
    String version = terminal.call("--version").line().substring("ralph ".length());

    assertThat(terminal.call("--version", "--json").line())
        .isEqualTo("{\"v\":1,\"kind\":\"version\",\"version\":\"" + version + "\"}");
    String readme = Files.readString(Path.of("").toAbsolutePath().resolveSibling("README.md"));
    assertThat(readme)
        .containsOnlyOnce("<artifactId>ralph-core</artifactId>\n  <version>" + version);
    assertThat(terminal.call("--version", "--jsno").code()).isEqualTo(2);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void example_isValidCommand(String name) {
    Command command = Objects.requireNonNull(Commands.create(name));
    List<String> examples = HelpExamples.of(name);

    assertThat(examples).isNotEmpty();
    for (String example : examples) {
      List<String> words = CommandLineWords.split(example);
      CommandSyntax syntax = command.syntax();
      Arguments.parse(name, syntax, words.subList(1 + Commands.wordsOf(name), words.size()))
          .checkCount(syntax);
      assertThat(terminal.call((name + " --help").split(" ")).out())
          .contains("  " + example + "\n");
    }
  }

  @Test
  void examples_nameOnlyKnownCommands() {
    assertThat(Commands.NAMES.stream().mapToInt(name -> HelpExamples.of(name).size()).sum())
        .isEqualTo((int) HelpExamples.TEXT.lines().count());
  }

  static Stream<String> commands() {
    return Commands.NAMES.stream();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommand_hasHelp(String name) {
    Result result = terminal.call((name + " --help").split(" "));

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .startsWith("usage: ralph " + name)
        .contains("--help")
        .contains("--json");
    assertThat(terminal.call(("help " + name).split(" "))).isEqualTo(result);
  }

  @ParameterizedTest
  @CsvSource({
    "taks,                  did you mean ralph tasks (list the tasks of a session)?",
    "messgae,               did you mean ralph message (send a message",
    "top,                   did you mean ralph stop (end the loop after the running iteration)?",
    "ready,                 did you mean ralph tasks --ready?",
    "next,                  did you mean ralph tasks --ready?",
    "list,                  did you mean ralph sessions (",
    "ls,                    did you mean ralph sessions (",
    "web,                   did you mean ralph serve (",
    "delete auth,           to select a session, write -n NAME",
    "create,                did you mean ralph task add (",
    "new,                   did you mean ralph task add (",
    "close,                 did you mean ralph task done (",
    "done t1,               did you mean ralph task done (",
    "show t1,               did you mean ralph task show (",
    "run,                   did you mean ralph build (",
    "start,                 did you mean ralph build (",
    "version,               did you mean ralph --version?",
    "add,                   'did you mean ralph task add (add a task), or ralph note add ('",
    "task dnoe,             did you mean ralph task done (",
    "task list,             did you mean ralph tasks (",
    "task ready,            did you mean ralph tasks --ready?",
    "task create,           did you mean ralph task add (",
    "tasks add one,         did you mean ralph task add (",
    "notes add one,         did you mean ralph note add (",
    "task xyzzy,            'the subcommands are: add, show, status'",
    "help tusks,            did you mean ralph tasks",
    "agnet,                 did you mean ralph agent?",
    "task,                  'needs a subcommand: add, show, status'",
    "tasks --redy,          did you mean --ready?",
    "tasks --read,          did you mean --ready?",
    "--store x tasks,       write options after the command",
    "-v,                    did you mean ralph --version?",
    "tsk,                   did you mean ralph tasks (",
    "cancel t1,             did you mean ralph task cancel (",
    "history,               did you mean ralph iterations (",
    "kill,                  did you mean ralph stop (",
    "task done,             needs ID",
    "xyzzy,                 see ralph --help",
    "message hello,         --name is required",
    "message -n a/b text,   letters",
    "message -n,            needs a value",
    "task add -n -x text,   --name needs a value; write a value that begins with '-' as --name=VALUE",
    "task add --name -x y,  --name needs a value",
    "tasks -n a --status --store x, --status needs a value",
    "tasks -n a -n b,       given twice",
    "tasks -n a extra,      '''extra'' is unexpected; see ralph tasks --help'",
    "task show -n a,        needs ID",
    "tasks -n a --status x, unknown status 'x'",
    "task add -n a --priority 9 x,   from 0 to 4",
    "task claim -n a,       either a task's ID or --next",
    "task claim -n a --next, needs --owner",
    "task claim -n a t1 --owner me --lease soon, such as 30s",
    "task renew -n a t1,    needs --token",
    "build -n a --port 0,   from 1 to 65535",
    "build -n a --iterations -1, from 0",
    "build -n a --timeout 5, such as 30s",
    "build -n a --agent cat --model x, is for opencode",
    "log --follow --at x,   give only one",
    "log --topic a..b,      single dots",
    "tasks -n a --store file:, has no folder",
    "task add x -n a --create --store memory:x, ends with this command",
  })
  void wrongUsage_isExplainedOnSingleLine(String call, String explanation) {
    Result result = terminal.call(call.split(" "));

    assertThat(result.code()).as(result.err()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).startsWith("ralph: ").contains(explanation).hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({
    "agent sesion init,          did you mean ralph agent session?",
    "agent session,              'needs a subcommand: init, next-story, flush, end, resume, list'",
    "agent session intt,         did you mean ralph agent session init (begin a session on a change",
    "agent session xyzzy,        'the subcommands are: init, next-story, flush'",
    "agent task,                 'needs a subcommand: done'",
    "agent taks done 1.1,        did you mean ralph agent task?",
    "agent xyzzy,                'the subcommands are: session, context, task, status, learn'",
    "agent --xyzzy,              'needs a subcommand: session, context'",
    "agent session init,         needs --change",
    "agent session init --chnge, did you mean --change?",
    "agent session init --change, --change needs a value",
    "agent session init --change x y, takes options only",
    "agent session init --change x --owner-pid 0, from 1 to",
    "agent task done,            needs ID",
  })
  void wrongUsageOfAgentCommand_isJsonError(String call, String explanation) {
    Result result = terminal.call(call.split(" "));

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .startsWith("{\"success\":false,\"error\":\"")
        .contains(explanation)
        .endsWith(",\"code\":\"USAGE\"}\n")
        .hasLineCount(1);
  }

  @Test
  void errorInJson_isSingleObject() {
    Result result = terminal.call("tasks", "-n", "a", "--json");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .startsWith("{\"v\":1,\"kind\":\"error\",\"code\":\"NOT_FOUND\",\"message\":\"no store in");
  }

  @ParameterizedTest
  @ValueSource(strings = {"status", "tasks", "task done t1", "iterations", "stop", "complete"})
  void missingStore_precedesMissingName(String words) {
    Result result = terminal.call(words.split(" "));

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .startsWith("ralph: no store in '" + folder + "'")
        .contains("; change to the project's folder, give")
        .hasLineCount(1);
  }

  @Test
  void missingStore_isNotCreated() {
    Result result = terminal.call("message", "-n", "auth", "hello");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .contains("no store in '" + folder + "'", "--store", "ralph task add")
        .hasLineCount(1);
  }

  @Test
  void stackTrace_isPrintedOnlyInDebug() {
    assertThat(terminal.call("tasks").err()).doesNotContain("\tat ");
    assertThat(terminal.with("RALPH_DEBUG", "1").call("tasks").err()).contains("\tat dev.ralph");
  }
}

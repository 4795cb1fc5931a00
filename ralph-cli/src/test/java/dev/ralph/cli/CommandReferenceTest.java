package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.NoteLog;
import dev.ralph.cli.call.Command;
import dev.ralph.core.internal.text.CommandLineWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.cli.Option;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command reference is correct: its commands run, and it describes all commands. */
class CommandReferenceTest {

  @TempDir Path folder;
  private String reference;

  @BeforeEach
  void read() throws IOException {
    Path module = Path.of("").toAbsolutePath();
    Path docs = module.resolveSibling("docs");
    StringBuilder pages = new StringBuilder();
    for (String page :
        List.of(
            "commands.md",
            "commands/loop.md",
            "commands/tasks.md",
            "commands/mail.md",
            "commands/stores.md",
            "commands/json.md")) {
      pages.append(Files.readString(docs.resolve(page)));
    }
    reference = pages.toString();
  }

  @Test
  void referenceCommands_run() throws IOException {
    Files.createDirectory(folder.resolve("specs"));
    Files.writeString(folder.resolve("specs/auth.md"), "# Login\n");
    Files.writeString(folder.resolve("specs/login.md"), "# Login\n");
    Files.writeString(folder.resolve("plan.md"), "- [ ] Write the logout\n");
    Path change = Files.createDirectories(folder.resolve("openspec/changes/add-login"));
    Files.writeString(change.resolve("tasks.md"), "## 1. Login\n- [ ] 1.1 A form\n");
    assertThat(run(new Terminal(folder), reference)).isGreaterThan(20);
  }

  @Test
  void commandsInMcpPage_run() throws IOException {
    Path module = Path.of("").toAbsolutePath();
    Terminal terminal = new Terminal(folder);
    terminal.call("task", "add", "-n", "auth", "--create", "one");
    terminal.call("ask", "-n", "auth", "Which port?");
    String page = Files.readString(module.resolveSibling("docs").resolve("mcp.md"));
    assertThat(run(terminal, page)).isEqualTo(3);
  }

  @Test
  void projectOptionsInReference_areValid() throws IOException {
    Files.createDirectory(folder.resolve("specs"));
    Files.writeString(folder.resolve("specs/login.md"), "# Login\n");
    int begin = reference.indexOf("agent = claude");
    Files.writeString(
        folder.resolve(".ralph.conf"), reference.substring(begin, reference.indexOf("```", begin)));

    Terminal.Result result =
        new Terminal(folder)
            .call("build", "-n", "a", "--dry-run", "--agent", "cat", "--prompt", "x");

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err()).endsWith(": gate, iterations, quiet, spec\n");
  }

  @Test
  void commandsInTxPage_run() throws Exception {
    Path module = Path.of("").toAbsolutePath();
    String page = Files.readString(module.resolveSibling("docs").resolve("tx.md"));
    Path messages = Files.createDirectories(folder.resolve(".ai/tx/msgs"));
    Terminal terminal = new Terminal(folder);
    List<String> foreground = new ArrayList<>();
    List<Thread> background = new ArrayList<>();
    for (String line : page.lines().filter(line -> line.startsWith("$ ralph ")).toList()) {
      if (!line.endsWith(" &")) {
        foreground.add(line);
        continue;
      }
      run(terminal, String.join("\n", foreground));
      foreground.clear();
      int before = files(messages);
      List<String> words = CommandLineWords.split(line.substring(2, line.length() - 2));
      Thread thread =
          new Thread(
              () -> terminal.call(words.subList(1, words.size()).toArray(new String[0])), line);
      thread.start();
      background.add(thread);
      while (line.contains(" tx ask ") && files(messages) == before) {
        Thread.onSpinWait();
      }
    }
    assertThat(background).hasSize(2);
    assertThat(run(terminal, String.join("\n", foreground))).isGreaterThan(5);
    background.get(1).join();
    background.get(0).interrupt();
    background.get(0).join();
    String threads = terminal.call("tx", "thread", "port-1").out();
    assertThat(threads).contains("port-1 [start]", "└─ ", "ask-response brain/brain to core/core");
  }

  private static int files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return (int) files.filter(file -> file.toString().endsWith(".md")).count();
    }
  }

  /** Runs the commands of a page's prompts, and returns their number. */
  private static int run(Terminal terminal, String page) {
    int count = 0;
    for (String line : page.lines().toList()) {
      if (line.startsWith("$ ralph")) {
        List<String> words = new ArrayList<>(CommandLineWords.split(line.split("  # ")[0]));
        Terminal.Result result =
            terminal.call(words.subList(2, words.size()).toArray(new String[0]));
        assertThat(result.code()).as(line + "\n" + result.err() + result.out()).isZero();
        count++;
      }
    }
    return count;
  }

  @Test
  void reference_namesUsualNoteTypes() {
    assertThat(reference.replaceAll("\\s+", " "))
        .contains("usual are `" + String.join("`, `", NoteLog.USUAL_TYPES) + "`.");
  }

  @Test
  void reference_namesEveryJsonKind() throws IOException {
    String table = reference.substring(reference.indexOf("| kind | members | of |"));
    Pattern kind = Pattern.compile("(?:Json\\.of|\\.answer|new ListOutput<>)\\(\\s*\"([a-z_]+)\"");
    Set<String> kinds = new TreeSet<>();
    try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
      for (Path source : sources.filter(file -> file.toString().endsWith(".java")).toList()) {
        kind.matcher(Files.readString(source)).results().forEach(it -> kinds.add(it.group(1)));
      }
    }
    assertThat(kinds).hasSizeGreaterThan(30).contains("tx_sent", "mailboxes", "tasks");
    assertThat(kinds)
        .allSatisfy(each -> assertThat(table).containsPattern("(?m)^\\|[^|]*`" + each + "`"));
  }

  @Test
  void reference_namesEveryCommandAndOption() {
    for (String name : Commands.NAMES) {
      assertThat(reference).containsPattern("(`|\\$ ralph )" + name);
      Command command = Commands.create(name);
      assertThat(command).as(name).isNotNull();
      for (Option option : command.syntax().inOrder()) {
        assertThat(reference).as(name).contains("--" + option.getLongOpt());
      }
    }
  }
}

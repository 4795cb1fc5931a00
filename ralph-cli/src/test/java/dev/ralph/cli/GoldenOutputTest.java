package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Terminal.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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

  @TempDir Path folder;
  private Terminal terminal;
  private GoldenFile golden;

  @BeforeEach
  void project() throws Exception {
    folder = folder.toRealPath();
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    golden = new GoldenFile(folder);
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

  @Test
  void jsonOfALoop() throws Exception {
    closeAllTasks();

    Result result = build("--json");

    golden.compare("build.json", result.out() + "exit code " + result.code() + "\n");
    golden.compare("iterations.json", call("iterations", "--json"));
    golden.compare("status-after.json", call("status", "--json"));
  }
}

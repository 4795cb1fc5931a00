package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.cli.Checkout.Exit;
import dev.ralph.cli.Checkout.Started;
import dev.ralph.core.internal.text.CommandLineWords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The first hour of a new user: a new repository, an agent that uses git, an operator who sends
 * messages at all times, and typing errors. All acknowledged data must exist at the end.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class NewUserIT {

  /**
   * Git commands of agents. {@code tell} sends a message as an operator, and records the
   * acknowledged messages outside of the repository.
   */
  private static final String GIT_AGENT =
      """
      set -e
      cat >/dev/null
      tell() { "$RALPH" message "$1" && echo "$1" >>"$TOLD"; }
      echo iteration >>"$TOLD.iterations"
      case $(wc -l <"$TOLD.iterations") in
      1)
        "$RALPH" task add 'Write the form'
        "$RALPH" note add --type learning 'The port is 8080'
        tell 'before the commit'
        echo work >>work.txt
        git add -A
        git commit -qm 'Everything there is'
        tell 'after the commit'
        echo changed >>code.txt
        git reset -q --hard
        tell 'after reset --hard'
        ;;
      2)
        echo changed >>code.txt
        echo new >new.txt
        git stash -q -u
        tell 'after stash -u'
        git stash pop -q
        git checkout -q -- .
        tell 'after checkout'
        git clean -qfd
        tell 'after clean -fd'
        ;;
      3)
        git checkout -q -b side
        "$RALPH" task done t1
        tell 'on a branch'
        git add -A
        git commit -q --allow-empty -m 'On the side'
        git checkout -q -
        tell 'back again'
        git worktree add -q ../tree-of-$$ side
        git reset -q --hard HEAD
        git rebase -q side
        tell 'after a rebase'
        ;;
      esac
      """;

  @TempDir static Path folder;
  private static Checkout shared;
  private Checkout checkout;
  private Path told;

  @BeforeAll
  static void makeACheckout() throws Exception {
    shared = Checkout.shared(folder);
  }

  @BeforeEach
  void moveIntoAFreshRepository(TestInfo test) throws Exception {
    String name = test.getTestMethod().orElseThrow().getName() + System.nanoTime();
    told = folder.resolve(name + ".told");
    checkout = shared.elsewhere(name).with("RALPH_SESSION", "auth").with("TOLD", told.toString());
    Exit git =
        checkout.shell(
            "set -e; git init -q; git config user.name A; git config user.email a@localhost\n"
                + "git config commit.gpgsign false; echo code >code.txt\n"
                + "git add -A; git commit -qm 'The first commit'");
    assertThat(git.code()).as(git.err()).isZero();
  }

  @AfterEach
  void nothingIsLeft() {
    List<String> left = checkout.left();
    checkout.clear();
    assertThat(left).as("processes left").isEmpty();
  }

  // ---- git

  @ParameterizedTest
  @ValueSource(strings = {"file", "chronicle"})
  void gitCommandsOfAgent_undoNothing(String kind) throws Exception {
    if (kind.equals("chronicle")) {
      checkout.with("RALPH_STORE", "chronicle:" + checkout.work().resolve(".ralph/store"));
    }
    checkout.file("agent.sh", GIT_AGENT);
    assertThat(checkout.shell("git add agent.sh; git commit -qm 'An agent'").code()).isZero();

    Exit loop = checkout.ralph("build", "-p", "work", "--agent", "sh agent.sh", "-i", "3");

    assertThat(loop.code()).as(loop.toString()).isEqualTo(3);
    assertThat(texts(checkout.json("inbox", "--all").get("messages"), "text"))
        .hasSize(9)
        .isEqualTo(Files.readAllLines(told));
    JsonNode task = checkout.json("tasks").get("tasks").get(0);
    assertThat(task.get("content").asText()).isEqualTo("Write the form");
    assertThat(task.get("status").asText()).isEqualTo("completed");
    assertThat(texts(checkout.json("notes").get("notes"), "content"))
        .containsExactly("The port is 8080");
    assertThat(texts(checkout.json("iterations").get("iterations"), "status"))
        .containsExactly("success", "success", "success");
    assertThat(checkout.ralph("verify").out()).contains("No damage");
    assertThat(checkout.shell("git log --all --name-only --format=").out())
        .doesNotContain(".ralph");
    assertThat(checkout.shell("git status --porcelain").out()).isEmpty();
  }

  private static List<String> texts(JsonNode list, String member) {
    List<String> texts = new ArrayList<>();
    list.forEach(element -> texts.add(element.get(member).asText()));
    return texts;
  }

  /** The agent prints nothing, so the loop has no reason to write. */
  @Test
  void deletedStore_endsLoopImmediately() throws Exception {
    checkout.file("agent.sh", "cat >/dev/null; echo $$ >agent; exec sleep 600\n");
    Started loop = checkout.start("build", "-p", "work", "--agent", "sh agent.sh");
    long agent = checkout.awaitPid("agent");

    assertThat(checkout.shell("rm -rf .ralph").code()).isZero();

    Exit exit = loop.exit();
    assertThat(exit.code()).as(exit.toString()).isEqualTo(1);
    assertThat(exit.err()).contains("was deleted, moved or replaced while in use");
    assertThat(Checkout.isRunning(agent)).isFalse();
    assertThat(checkout.work().resolve(".ralph")).doesNotExist();
  }

  // ---- cloned projects

  /**
   * The files of the project name commands in all possible places. A terminal is available for
   * questions.
   */
  @Test
  void clone_runsNothingBeforeConsent() throws Exception {
    checkout.with("XDG_STATE_HOME", folder.resolve("state of a newcomer").toString());
    Path harm = folder.resolve("harm " + System.nanoTime());
    checkout.with("HARM", harm.toString());
    String touch = "sh -c 'echo \"$0\" >>\"$HARM\"' ";
    checkout.file(
        ".ralph.conf",
        "agent = "
            + touch
            + "agent\ngate = "
            + touch
            + "gate\non-failure = "
            + touch
            + "hook\non-end = "
            + touch
            + "end \u001b[2K\u001b[1A\nspec = /etc/passwd\niterations = 1\n");
    Path clone = folder.resolve("clone " + System.nanoTime());
    assertThat(
            checkout
                .shell("git add -A; git commit -qm Hostile; git clone -q . '" + clone + "'")
                .code())
        .isZero();
    String build = "cd '" + clone + "' && \"$RALPH\" build";

    Exit refused = checkout.shell(build);
    assertThat(refused.code()).as(refused.toString()).isEqualTo(2);
    assertThat(refused.err()).contains("  runs  gate = " + touch + "gate\n", "run: ralph trust");
    checkout.shell(build + " --dry-run");
    Exit no = onATerminal(build, "n");
    assertThat(no.out()).contains("Do you trust these options and all commands they run? [y/N]");
    assertThat(no.out()).doesNotContain("\u001b");
    assertThat(harm).doesNotExist();
    assertThat(clone.resolve(".ralph")).doesNotExist();

    Exit yes = onATerminal(build, "y");
    assertThat(yes.out()).contains("[y/N]");
    assertThat(Files.readAllLines(harm)).as(yes.out()).containsExactly("agent", "end");
    assertThat(checkout.shell(build).err()).doesNotContain("trust");
  }

  /** Runs a command line on a terminal and types an answer. */
  private Exit onATerminal(String command, String answer) throws Exception {
    checkout.with("COMMAND", command);
    return checkout.shell("echo " + answer + " | script -qec 'sh -c \"$COMMAND\"' /dev/null");
  }

  // ---- messages at all times

  /**
   * The operator's message arrives during the iteration, and the agent completes the session at
   * once.
   */
  @Test
  void messageDuringIteration_isReadBeforeEnd() throws Exception {
    checkout.file(
        "agent.sh",
        """
        n=$(($(ls prompt-* 2>/dev/null | wc -l) + 1))
        cat >"prompt-$n"
        if [ "$n" = 1 ]; then
          "$RALPH" message 'Use port 9090'
        else
          "$RALPH" inbox read m1
        fi
        "$RALPH" complete
        exit 0
        """);

    Exit loop = checkout.ralph("build", "-p", "work", "--agent", "sh agent.sh", "-i", "5");

    assertThat(loop.code()).as(loop.toString()).isZero();
    assertThat(Files.readString(checkout.work().resolve("prompt-2"))).contains("Use port 9090");
    assertThat(Files.exists(checkout.work().resolve("prompt-3"))).isFalse();
    assertThat(checkout.json("status").get("unread").asInt()).isZero();
  }

  @Test
  void messageDuringGate_isReadBeforeEnd() throws Exception {
    checkout.file(
        "agent.sh",
        """
        n=$(($(ls prompt-* 2>/dev/null | wc -l) + 1))
        cat >"prompt-$n"
        [ "$n" = 1 ] || "$RALPH" inbox read m1
        "$RALPH" complete
        """);
    checkout.file("gate.sh", "[ -f told ] || { \"$RALPH\" message 'One more thing'; : >told; }\n");

    Exit loop =
        checkout.ralph(
            "build", "-p", "work", "--agent", "sh agent.sh", "--gate", "sh gate.sh", "-i", "5");

    assertThat(loop.code()).as(loop.toString()).isZero();
    assertThat(Files.readString(checkout.work().resolve("prompt-2"))).contains("One more thing");
    assertThat(checkout.json("status").get("unread").asInt()).isZero();
  }

  /** Sends messages before the first run, between two runs, and after completion. */
  @Test
  void messageBetweenRuns_isInNextPrompt() throws Exception {
    checkout.file(
        "agent.sh",
        """
        n=$(($(ls prompt-* 2>/dev/null | wc -l) + 1))
        cat >"prompt-$n"
        for m in $(grep -o 'ABC[0-9]' "prompt-$n" | tr -dc '0-9\\n'); do
          "$RALPH" inbox read "m$m"
        done
        "$RALPH" complete
        """);
    checkout.ralph("task", "add", "-n", "another", "Make a store");
    for (int run = 1; run <= 3; run++) {
      Exit sent = checkout.ralph("message", "ABC" + run);
      assertThat(sent.code()).as(sent.toString()).isZero();
      Exit loop = checkout.ralph("build", "-p", "work", "--agent", "sh agent.sh", "-i", "2");
      assertThat(loop.code()).as(loop.toString()).isZero();
      assertThat(Files.readString(checkout.work().resolve("prompt-" + run))).contains("ABC" + run);
    }
  }

  // ---- tasks only

  /** Marks unread messages as read, and completes one ready task; never completes the session. */
  private static final String ONE_TASK_AT_A_TIME =
      """
      cat >>prompts
      echo $$ >agent
      [ -e working ] && exec sleep 600
      for m in $("$RALPH" inbox | grep -o '^m[0-9]*'); do "$RALPH" inbox read $m; done
      for t in $("$RALPH" tasks --ready | grep -o '^t[0-9]*' | head -1); do "$RALPH" task done $t; done
      """;

  /** Runs the commands of the quick start in their order. */
  @Test
  void quickStartCommands_workWithTasksOnly() throws Exception {
    Path page = Path.of("").toAbsolutePath().resolveSibling("docs/quick-start.md");
    String own = Files.readString(page);
    own = own.substring(own.indexOf("## A loop of your own"), own.indexOf("## In a program"));
    List<String> lines = own.lines().filter(line -> line.startsWith("ralph ")).toList();
    Path programs = Files.createDirectories(checkout.work().resolve(".ralph/bin"));
    Map<String, String> scripts =
        Map.of("ralph", "exec \"$RALPH\" \"$@\"", "my-agent", ONE_TASK_AT_A_TIME, "mvn", "exit 0");
    for (Map.Entry<String, String> each : scripts.entrySet()) {
      Path program =
          checkout.file(".ralph/bin/" + each.getKey(), "#!/bin/sh\n" + each.getValue() + "\n");
      assertThat(program.toFile().setExecutable(true)).isTrue();
    }
    checkout.with("PATH", programs + ":" + System.getenv("PATH"));
    String build =
        lines.stream().filter(line -> line.contains("my-agent")).findFirst().orElseThrow();

    for (String line : lines) {
      boolean needsClient = line.startsWith("ralph build") && !line.contains("my-agent");
      Exit exit = checkout.shell(needsClient ? line + " --agent my-agent" : line);
      assertThat(exit.code()).as(line + exit).isZero();
    }
    assertThat(checkout.shell("ralph status --name hello").out()).contains("hello: completed");

    checkout.shell("ralph message --name hello 'And the ABC, please'");
    Exit heard = checkout.shell(build);
    assertThat(heard.code()).as(heard.toString()).isZero();
    assertThat(Files.readString(checkout.work().resolve("prompts"))).contains("And the ABC");

    checkout.shell("ralph task add --name hello 'Write the tests'");
    for (String signal : List.of("INT", "KILL")) {
      checkout.file("working", "");
      Files.deleteIfExists(checkout.work().resolve("agent"));
      Started loop = checkout.start(words(build));
      checkout.awaitPid("agent");
      loop.signal(signal);
      Exit ended = loop.exit();
      String goOn = ended.out().replaceAll("(?s).*continue with: (.*)\n$", "$1");
      Files.delete(checkout.work().resolve("working"));
      Exit again = checkout.shell(signal.equals("INT") ? goOn : build);
      assertThat(again.code()).as(goOn + again).isZero();
      checkout.shell("ralph task add --name hello 'Write more tests'");
    }
    Exit noMore = checkout.shell("ralph task status --name hello t5 cancelled; " + build);
    assertThat(noMore.code()).as(noMore.toString()).isZero();
    assertThat(noMore.out()).doesNotContain("Iteration").contains("no open work");
  }

  private static String[] words(String line) {
    List<String> words = CommandLineWords.split(line);
    return words.subList(1, words.size()).toArray(new String[0]);
  }

  // ---- idle and endless agents

  @Test
  void idleAgent_endsLoopWithNoProgress() throws Exception {
    checkout.ralph("task", "add", "--create", "Write the form");

    Exit loop = checkout.ralph("build", "-p", "work", "--agent", "true");

    assertThat(loop.code()).as(loop.toString()).isEqualTo(6);
    assertThat(loop.out()).contains("no_progress");
    assertThat(checkout.json("iterations").get("iterations")).hasSize(5);
  }

  @Test
  void missingAgentProgram_createsNoStore() throws Exception {
    Exit loop = checkout.ralph("build", "-p", "work", "--agent", "no-such-agent --really");

    assertThat(loop.code()).as(loop.toString()).isEqualTo(2);
    assertThat(loop.err()).contains("no-such-agent").hasLineCount(1);
    assertThat(checkout.work().resolve(".ralph")).doesNotExist();
  }

  // ---- typing errors

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status",
        "tasks",
        "inbox",
        "notes",
        "iterations",
        "questions",
        "pause",
        "resume",
        "stop",
        "complete",
        "watch",
        "task done t1",
        "task show t1",
        "inbox read m1",
        "answer q1 yes",
        "task claim --next --owner me"
      })
  void unknownSession_isRefusedWithNearest(String command) throws Exception {
    checkout.ralph("task", "add", "--create", "Write the form");
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    words.addAll(List.of("-n", "auht"));

    Exit exit = checkout.ralph(words.toArray(new String[0]));

    assertThat(exit.code()).as(exit.toString()).isEqualTo(1);
    assertThat(exit.err()).contains("auht", "auth").hasLineCount(1);
    assertThat(checkout.json("sessions").get("sessions")).hasSize(1);
  }

  // ---- current folder

  @Test
  void subfolder_findsStore() throws Exception {
    checkout.ralph("task", "add", "--create", "Write the form");
    Files.createDirectories(checkout.work().resolve("src/main"));

    Exit tasks = checkout.shell("cd src/main && \"$RALPH\" tasks && \"$RALPH\" message Hello");

    assertThat(tasks.code()).as(tasks.toString()).isZero();
    assertThat(tasks.out()).contains("Write the form", "Message sent: ");
    assertThat(checkout.work().resolve("src/main/.ralph")).doesNotExist();
    assertThat(checkout.json("status").get("unread").asInt()).isEqualTo(1);
  }
}

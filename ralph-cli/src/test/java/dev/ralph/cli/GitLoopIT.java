package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.cli.Checkout.Exit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An agent that uses git during its iteration, in the work tree that contains the store. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("slow")
class GitLoopIT {

  /** Each command runs with a modified file and an untracked file. */
  private static final List<String> COMMANDS =
      List.of(
          "git status",
          "git add -A",
          "git commit -q -a -m more",
          "git stash -q && git stash pop -q",
          "git stash -u -q && git stash pop -q",
          "git stash -a -q && \"$RALPH\" note add --type decision stashed && git stash pop -q",
          "git stash -a -q && git stash drop -q",
          "git checkout -q -b new",
          "git switch -q -c newer",
          "git checkout -q -- .",
          "git reset -q --hard",
          "git clean -q -fd",
          "git clean -q -fdx",
          "git clean -q -fdX",
          "git add -A && git commit -q -m more && git rebase -q -f HEAD~1",
          "git commit -q -a -m more && git merge -q --no-ff -m merged topic",
          "git gc -q",
          "git worktree add -q ../added -b added && git worktree remove ../added",
          "git rm -r -q --cached . && git add -A",
          "git reset -q --hard && git sparse-checkout set --cone lib && git sparse-checkout disable",
          "git checkout-index -a -f",
          "cd .ralph/store && ! git clean -fdx && ! git stash -a && ! git init");

  private static final String AGENT =
      """
      cat >/dev/null
      n=0
      while read -r command; do
        n=$((n + 1))
        echo $n >>code
        echo $n >untracked
        sh -ec "$command" </dev/null || { echo "failed: $command"; exit 1; }
        "$RALPH" note add --type learning "after $n" </dev/null || exit 1
      done <"$LIST"
      """;

  @TempDir static Path folder;
  private Checkout checkout;

  @AfterEach
  void clear() {
    checkout.clear();
  }

  @ParameterizedTest
  @CsvSource({"file,.", "file,../linked-file", "chronicle,."})
  void gitCommandsOfAgent_loseNoFrames(String kind, String where) throws Exception {
    String name = (kind + where).replaceAll("\\W", "");
    Path list = Files.write(folder.resolve(name + ".list"), COMMANDS);
    Path agent = Files.writeString(folder.resolve(name + ".sh"), AGENT);
    checkout =
        Checkout.shared(folder)
            .elsewhere(name)
            .with("RALPH_SESSION", "a")
            .with("LIST", list.toString())
            .with("GIT_CONFIG_GLOBAL", "/dev/null")
            .with("GIT_CONFIG_SYSTEM", "/dev/null");
    for (String who : List.of("AUTHOR", "COMMITTER")) {
      checkout.with("GIT_" + who + "_NAME", "test").with("GIT_" + who + "_EMAIL", "test@localhost");
    }
    run(
        "git init -q -b main . && mkdir lib && echo 1 >code && cp code lib && git add -A"
            + " && git commit -q -m first && git branch work && git checkout -q -b topic"
            + " && echo 1 >other && git add -A && git commit -q -m other && git checkout -q main");
    if (!where.equals(".")) {
      run("git worktree add -q " + where + " work");
    }
    if (kind.equals("chronicle")) {
      checkout.with("RALPH_STORE", "chronicle:.ralph/store");
    }
    String there = "cd " + where + " && \"$RALPH\" ";
    run(there + "task add --create 'Tidy up'");

    Exit exit = checkout.shell(there + "build -p x -i 1 --agent 'sh " + agent + "'");

    assertThat(exit.code()).as(exit.out() + exit.err()).isEqualTo(3);
    assertThat(exit.err()).isEmpty();
    JsonNode notes = new ObjectMapper().readTree(run(there + "notes --json")).get("notes");
    assertThat(notes).hasSize(COMMANDS.size() + 1);
    assertThat(run(there + "tasks")).contains("Tidy up");
    assertThat(run(there + "verify")).isEqualTo("No damage\n");
    assertThat(run("cd " + where + " && git status --porcelain && git ls-files"))
        .doesNotContain(".ralph");
  }

  private String run(String script) throws Exception {
    Exit exit = checkout.shell(script);
    assertThat(exit.code()).as(script + ": " + exit.err()).isZero();
    return exit.out();
  }
}

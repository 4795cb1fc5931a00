package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.core.RepositoryTemplate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hooks and signatures of the commits of several agents, with real hooks. */
@Timeout(300)
class LoopHooksTest extends LoopFixture {

  private static final RepositoryTemplate REPOSITORY =
      RepositoryTemplate.of("begin", "all.txt", "first\nlast\n", ".gitignore", ".husky/_/\n");

  private static final String TIDY =
      """
      #!/bin/sh
      for file in $(git diff --cached --name-only --diff-filter=AM); do
        tr a-z A-Z <"$file" >"$file.new" && mv "$file.new" "$file" && git add "$file"
      done
      """;

  private static final String COMMITLINT =
      """
      #!/bin/sh
      head -n 1 "$1" | grep -q '^feat: [a-z]' && exit 0
      echo "subject may not be empty"
      exit 1
      """;

  @BeforeEach
  void repository() throws Exception {
    REPOSITORY.copyTo(folder);
  }

  @AfterEach
  void noCopyOfAHookIsLeft() throws IOException {
    try (Stream<Path> all = Files.list(folder.resolve(".git"))) {
      assertThat(all.map(each -> each.getFileName().toString()))
          .noneMatch(name -> name.startsWith("ralph-hooks-"));
    }
  }

  private String git(String... arguments) throws InterruptedException {
    return RepositoryTemplate.git(folder, arguments);
  }

  private Path script(String file, String text) throws IOException {
    Path script = folder.resolve(file);
    Files.createDirectories(script.getParent());
    Files.writeString(script, text);
    assertThat(script.toFile().setExecutable(true)).isTrue();
    return script;
  }

  private Path hook(String name, String text) throws IOException {
    return script(".git/hooks/" + name, text);
  }

  private static Task given(Turn turn) {
    Iteration iteration = turn.session().iterations().running(turn.agent()).orElseThrow();
    return turn.session().tasks().get(String.valueOf(iteration.task()));
  }

  /** Builds a loop of two agents, each of which writes a file named after its task. */
  private Loop.Builder work(int tasks) {
    for (int i = 1; i <= tasks; i++) {
      session.tasks().add("Task " + i);
    }
    return loop(turn -> {
          Task task = given(turn);
          Files.writeString(turn.directory().resolve("t" + task.number() + ".txt"), "small\n");
          turn.session().tasks().complete(task.id());
          return AgentResult.success();
        })
        .agents(2)
        .maxIterations(6)
        .doneWhen(now -> true);
  }

  private String onBranch(String file) throws InterruptedException {
    return git("show", "ralph/s:" + file);
  }

  private String titles() throws InterruptedException {
    return git("log", "--no-merges", "--format=%s", "main..ralph/s");
  }

  private List<String> notices() {
    return events.stream()
        .filter(event -> event.type() == LoopEvent.Type.NOTICE)
        .map(LoopEvent::message)
        .toList();
  }

  private void assertCompleted(LoopResult result) {
    assertThat(result.reason()).as(result + " " + notices()).isEqualTo(StopReason.COMPLETED);
  }

  @Test
  void changesOfPreCommit_arePartOfTheCommit() throws Exception {
    hook("pre-commit", TIDY);

    assertCompleted(work(3).gate(Gate.of("sh", "-c", "! grep -l small t*.txt")).run());

    assertThat(onBranch("t1.txt") + onBranch("t2.txt") + onBranch("t3.txt"))
        .isEqualTo("SMALLSMALLSMALL");
    assertThat(onBranch("all.txt")).as("not part of the task's change").isEqualTo("first\nlast");
    assertThat(notices()).isEmpty();
  }

  @Test
  void unstagedChangeOfPreCommit_isPartOfTheCommit() throws Exception {
    hook("pre-commit", "#!/bin/sh\necho tidy >>all.txt\necho log >hook.log\n");

    assertCompleted(work(1).run());

    assertThat(onBranch("all.txt")).endsWith("tidy");
    assertThat(git("ls-tree", "--name-only", "ralph/s")).doesNotContain("hook.log");
  }

  @Test
  void refusalOfPreCommit_returnsTheTaskWithItsOutput() throws Exception {
    hook(
        "pre-commit",
        "#!/bin/sh\n[ -e ok.txt ] || seq 100000\n[ -e ok.txt ] || { echo no ok.txt; exit 1; }\n");
    session.tasks().add("Task 1");

    LoopResult result =
        loop(turn -> {
              boolean isTold = turn.prompt().contains("no ok.txt");
              Files.writeString(turn.directory().resolve(isTold ? "ok.txt" : "t.txt"), "new\n");
              turn.session().tasks().complete(given(turn).id());
              return AgentResult.success();
            })
            .agents(2)
            .maxIterations(4)
            .doneWhen(now -> true)
            .run();

    assertCompleted(result);
    assertThat(result.iterations()).isEqualTo(2);
    assertThat(only(LoopEvent.Type.SENT_BACK).data().string("reason"))
        .contains("pre-commit", "no ok.txt")
        .hasSizeLessThan(10_000);
    assertThat(onBranch("t.txt")).isEqualTo("new");
  }

  @Test
  void hook_hasNeitherTerminalNorInput() throws Exception {
    hook(
        "pre-commit",
        """
        #!/bin/sh
        cat >all.txt
        [ "$(ps -o sid= -p $$ | tr -d ' ')" = $$ ] || exit 1
        (read answer </dev/tty) 2>/dev/null && exit 1
        sleep 1000 &
        exit 0
        """);

    assertCompleted(work(1).run());

    assertThat(onBranch("all.txt")).isEmpty();
  }

  @Test
  void endlessHook_isStoppedWithTheLoop() throws Exception {
    hook("pre-commit", "#!/bin/sh\nsleep 1000\n");

    LoopResult result = work(1).timeLimit(Duration.ofSeconds(5)).run();

    assertThat(result.reason()).isEqualTo(StopReason.TIME_LIMIT);
    assertThat(session.tasks().get("t1").isSettled()).isFalse();
    assertThat(session.tasks().get("t1").status()).isEqualTo(Task.Status.COMPLETED);
  }

  @Test
  void unusableHooks_areNamedAndDoNotRun() throws Exception {
    Path pre = hook("pre-commit", "#!/bin/sh\nexit 1\n");
    assertThat(pre.toFile().setExecutable(false)).isTrue();
    hook("commit-msg", "#!/bin/sh\r\nexit 1\r\n");
    hook("prepare-commit-msg", "#!/bin/sh\nexit 1\n");
    hook("post-commit", "#!/bin/sh\nexit 1\n");
    hook("post-checkout", "#!/bin/sh\nexit 1\n");
    hook("reference-transaction", "#!/bin/sh\nexit 1\n");

    assertCompleted(work(2).run());

    assertThat(notices())
        .hasSize(2)
        .anyMatch(notice -> notice.contains("pre-commit") && notice.contains("chmod +x"))
        .anyMatch(notice -> notice.contains("commit-msg") && notice.contains("'/bin/sh\\u000d'"));
  }

  @Test
  void absentHooksPath_isNamedOnce() throws Exception {
    git("config", "core.hooksPath", ".husky/_");

    assertCompleted(work(2).run());

    assertThat(notices())
        .singleElement()
        .asString()
        .contains("core.hooksPath", folder.toRealPath().resolve(".husky/_").toString());
  }

  @Test
  void husky_runsTheScriptBesideItsFolder() throws Exception {
    git("config", "core.hooksPath", ".husky/_");
    script(".husky/_/pre-commit", "#!/bin/sh\n. \"$(dirname \"$0\")/h\"\n");
    script(
        ".husky/_/h",
        "n=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\nsh -e \"$s\" \"$@\"\n");
    script(".husky/pre-commit", "echo husky >all.txt\n");

    assertCompleted(work(1).run());

    assertThat(onBranch("all.txt")).isEqualTo("husky");
  }

  @Test
  void hooksOfTheStart_runWhateverAnAgentChanges() throws Exception {
    Path pre = hook("pre-commit", TIDY);
    session.tasks().add("Task 1");

    LoopResult result =
        loop(turn -> {
              Files.writeString(turn.directory().resolve("t1.txt"), "small\n");
              Files.writeString(pre, "#!/bin/sh\ntouch " + folder.resolve("run") + "\n");
              Files.createDirectories(folder.resolve(".git/other"));
              Files.copy(pre, folder.resolve(".git/other/pre-commit"));
              hook("commit-msg", "#!/bin/sh\ntouch " + folder.resolve("run") + "\n");
              git("config", "core.hooksPath", folder.resolve(".git/other").toString());
              turn.session().tasks().complete(given(turn).id());
              return AgentResult.success();
            })
            .agents(2)
            .doneWhen(now -> true)
            .run();

    assertCompleted(result);
    assertThat(onBranch("t1.txt")).isEqualTo("SMALL");
    assertThat(folder.resolve("run")).doesNotExist();
    assertThat(notices()).anyMatch(notice -> notice.contains("pre-commit was changed"));
  }

  @Test
  void refusingCommitMsgHook_isReportedOnceAndSkipped() throws Exception {
    hook("commit-msg", COMMITLINT);

    assertCompleted(work(3).run());

    assertThat(titles().lines().sorted())
        .containsExactly("Task 1 (t1)", "Task 2 (t2)", "Task 3 (t3)");
    assertThat(notices())
        .singleElement()
        .asString()
        .contains("commit-msg refuses", "subject may not be empty", "--commit-title");
  }

  @Test
  void titleTemplate_passesTheRewritingCommitMsgHook() throws Exception {
    hook("commit-msg", COMMITLINT.replace("exit 0", "{ echo 'Change-Id: I1' >>\"$1\"; exit 0; }"));

    assertCompleted(
        work(2).workspaces(places -> places.commitTitle("feat: {lower-title} [{task}]")).run());

    assertThat(titles().lines().sorted()).containsExactly("feat: task 1 [t1]", "feat: task 2 [t2]");
    assertThat(git("log", "--no-merges", "--format=%b", "main..ralph/s"))
        .contains("Change-Id: I1", "Ralph-Claim: ");
    assertThat(notices()).isEmpty();
  }

  @Test
  void refusedTitle_isCommittedAndReportedOnce() throws Exception {
    hook("commit-msg", "#!/bin/sh\n! grep -q 'Task [23]' \"$1\"\n");

    assertCompleted(work(3).run());

    assertThat(titles().lines()).hasSize(3);
    assertThat(notices()).singleElement().asString().contains("commit-msg refuses the title 'Task");
  }

  @Test
  void noHooks_runsNone() throws Exception {
    hook("pre-commit", "#!/bin/sh\nexit 1\n");
    hook("commit-msg", "#!/bin/sh\nexit 1\n");

    assertCompleted(work(1).workspaces(Loop.WorkspaceBuilder::noHooks).run());

    assertThat(notices()).isEmpty();
  }

  @Test
  void stashOfTheUser_isNotTakenByAHook() throws Exception {
    Files.writeString(folder.resolve("all.txt"), "of the user\n");
    git("stash", "--quiet");
    hook("pre-commit", "#!/bin/sh\ngit stash pop --quiet\n");

    assertCompleted(work(2).run());

    assertThat(git("stash", "list")).startsWith("stash@{0}: WIP on main");
    assertThat(git("show", "stash@{0}:all.txt")).isEqualTo("of the user");
    assertThat(onBranch("all.txt")).isEqualTo("first\nlast");
    assertThat(notices())
        .singleElement()
        .asString()
        .contains("removed an earlier entry from the stash");
  }

  @Test
  void hookStashingAndRestoring_keepsTheCommit() throws Exception {
    hook("pre-commit", "#!/bin/sh\ngit stash -q --keep-index\ngit stash pop -q\n");

    assertCompleted(work(2).run());

    assertThat(git("stash", "list")).isEmpty();
    assertThat(onBranch("t2.txt")).isEqualTo("small");
  }

  @Test
  void hookDiscardingAllChanges_returnsTheTask() throws Exception {
    hook("pre-commit", "#!/bin/sh\ngit reset --quiet --hard\n");

    LoopResult result = work(1).maxIterations(1).run();

    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(only(LoopEvent.Type.SENT_BACK).data().string("reason")).contains("left nothing");
    assertThat(git("show", "ralph/s.t1:t1.txt")).isEqualTo("small");
  }

  @Test
  void commits_areSignedIfTheKeyAllows() throws Exception {
    Path key = folder.resolve(".git/key");
    Process made =
        new ProcessBuilder("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key.toString())
            .inheritIO()
            .start();
    assertThat(made.waitFor()).isZero();
    git("config", "gpg.format", "ssh");
    git("config", "user.signingkey", key + ".pub");
    git("config", "commit.gpgsign", "true");

    assertCompleted(work(3).run());

    for (String commit : git("rev-list", "main..ralph/s").lines().toList()) {
      assertThat(git("cat-file", "commit", commit)).contains("BEGIN SSH SIGNATURE");
    }
    assertThat(notices()).isEmpty();
  }

  @Test
  void hangingSignature_isOmitted() throws Exception {
    git("config", "gpg.program", script(".git/gpg", "#!/bin/sh\nexec sleep 1000\n").toString());
    git("config", "commit.gpgsign", "true");

    assertCompleted(work(2).run());

    assertThat(titles().lines()).hasSize(2);
    assertThat(notices()).singleElement().asString().contains("commits are not signed");
  }
}

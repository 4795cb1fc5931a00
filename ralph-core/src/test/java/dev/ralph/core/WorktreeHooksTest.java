package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Verdict;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hooks and signatures of the commits in a work tree, with real hooks. */
@Timeout(300)
class WorktreeHooksTest {

  private static final RepositoryTemplate REPOSITORY =
      RepositoryTemplate.of("begin", "all.txt", "first\nlast\n");

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

  @TempDir Path folder;

  @BeforeEach
  void repository() throws Exception {
    REPOSITORY.copyTo(folder);
  }

  private String git(String... arguments) throws InterruptedException {
    return RepositoryTemplate.git(folder, arguments);
  }

  private Path hook(String name, String text) throws IOException {
    Path script = folder.resolve(".git/hooks/" + name);
    Files.createDirectories(script.getParent());
    Files.writeString(script, text);
    assertThat(script.toFile().setExecutable(true)).isTrue();
    return script;
  }

  private Worktree open(CommitOptions options) throws InterruptedException {
    return Worktree.open(folder, "house", options);
  }

  private static void write(Worktree tree, String file) throws IOException {
    Files.writeString(tree.root().resolve(file), "small\n");
  }

  private String newest(String format) throws InterruptedException {
    return git("log", "-1", "--format=" + format, "ralph/house");
  }

  @Test
  void preCommitGate_runsBeforeRemainingGates() throws Exception {
    hook("pre-commit", TIDY + "echo run >>\"$(git rev-parse --git-common-dir)/runs\"\n");
    Worktree tree = open(CommitOptions.DEFAULT);
    AtomicReference<String> seen = new AtomicReference<>("");
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("s");
      session.tasks().add("one");
      Loop.Builder loop =
          session
              .loop(
                  turn -> {
                    write(tree, "new.txt");
                    turn.session().tasks().complete("t1");
                    return AgentResult.success();
                  })
              .directory(tree.folder())
              .doneWhen(now -> true);
      tree.preCommit().ifPresent(loop::gate);
      LoopResult result =
          loop.gate(
                  Gate.named(
                      "look",
                      context -> {
                        seen.set(Files.readString(tree.root().resolve("new.txt")));
                        return Verdict.passed();
                      }))
              .finalGate(
                  Gate.named(
                      "the commit",
                      context ->
                          tree.commit("Complete s").isPresent()
                              ? Verdict.passed()
                              : Verdict.failed("no commit")))
              .run();
      assertThat(result.reason()).as("" + result).isEqualTo(StopReason.COMPLETED);
    }

    assertThat(seen.get()).isEqualTo("SMALL\n");
    assertThat(git("show", "ralph/house:new.txt")).isEqualTo("SMALL");
    assertThat(folder.resolve(".git/runs")).as("one run of the hook").hasContent("run\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "exit 1",
        "echo no; exit 1",
        "read answer </dev/tty",
        "exec </dev/tty",
        "read answer || exit 1",
        "git reset --quiet --hard"
      })
  void refusalOfPreCommit_namesNoHooks(String script) throws Exception {
    hook("pre-commit", "#!/bin/sh\n" + script + "\n");
    Worktree tree = open(CommitOptions.DEFAULT);
    write(tree, "new.txt");

    assertThatThrownBy(() -> tree.commit("Add it")).hasMessageContaining("--no-hooks");
    write(tree, "new.txt");
    Gate gate = tree.preCommit().orElseThrow();
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("s");
      session.tasks().add("one");
      List<String> seen = new CopyOnWriteArrayList<>();
      session
          .loop(
              turn -> {
                turn.session().tasks().complete("t1");
                return AgentResult.success();
              })
          .directory(tree.folder())
          .maxIterations(1)
          .gate(gate)
          .doneWhen(now -> true)
          .onEvent(event -> seen.add(event.data().toString()))
          .run();
      assertThat(seen).anyMatch(data -> data.contains("--no-hooks"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"exit 1", "exec </dev/tty", "! grep -q '^Add b' \"$1\""})
  void refusalOfCommitMsg_namesNoHooks(String script) throws Exception {
    hook("commit-msg", "#!/bin/sh\n" + script + "\n");
    Worktree tree = open(CommitOptions.DEFAULT);
    write(tree, "b.txt");

    assertThat(tree.commit("Add b")).isPresent();

    assertThat(tree.notices()).singleElement().asString().contains("commit-msg", "--no-hooks");
  }

  @Test
  void hooksOfTheStart_runInTheCommit() throws Exception {
    Path pre = hook("pre-commit", TIDY);
    Worktree tree = open(CommitOptions.DEFAULT);
    write(tree, "new.txt");
    hook("commit-msg", "#!/bin/sh\ntouch '" + folder.resolve("run") + "'\n");
    Files.writeString(pre, "#!/bin/sh\ntouch '" + folder.resolve("run") + "'\n");

    assertThat(tree.commit("Add it")).isPresent();

    assertThat(git("show", "ralph/house:new.txt")).isEqualTo("SMALL");
    assertThat(folder.resolve("run")).doesNotExist();
    assertThat(tree.notices())
        .singleElement()
        .asString()
        .contains("pre-commit was changed since this run began");
    assertThat(tree.notices()).isEmpty();
  }

  @Test
  void refusingCommitMsgHook_isReportedAtStart() throws Exception {
    hook("commit-msg", COMMITLINT);
    Worktree tree = open(CommitOptions.DEFAULT);
    assertThat(tree.notices())
        .singleElement()
        .asString()
        .contains("commit-msg refuses", "subject may not be empty", "--commit-title");
    write(tree, "new.txt");

    assertThat(tree.commit("Complete house")).isPresent();

    assertThat(newest("%s")).isEqualTo("Complete house");
  }

  @Test
  void titleTemplate_keepsTheBody() throws Exception {
    hook("commit-msg", COMMITLINT);
    Worktree tree = open(new CommitOptions(true, "feat: {lower-title} ({task})"));
    write(tree, "new.txt");

    assertThat(tree.commit("Complete it\n\nin two lines")).isPresent();

    assertThat(newest("%B").strip()).isEqualTo("feat: complete it (house)\n\nin two lines");
    assertThat(tree.notices()).isEmpty();
  }

  @Test
  void wrongTemplate_isRefused() {
    for (String template : new String[] {"", "feat", "{titel}", "{title}\n", "{title} {who}"}) {
      assertThatThrownBy(() -> new CommitOptions(true, template))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining("{title}");
    }
  }

  @Test
  void noHooks_runsNone() throws Exception {
    hook("pre-commit", "#!/bin/sh\nexit 1\n");
    hook("commit-msg", "#!/bin/sh\nexit 1\n");
    hook("prepare-commit-msg", "#!/bin/sh\nexit 1\n");
    Worktree tree = open(CommitOptions.NO_HOOKS);
    write(tree, "new.txt");

    assertThat(tree.preCommit()).isEmpty();
    assertThat(tree.commit("Add it")).isPresent();
    assertThat(tree.notices()).isEmpty();
  }

  @Test
  void absentHooksPath_isNamed() throws Exception {
    git("config", "core.hooksPath", ".husky/_");

    assertThat(open(CommitOptions.DEFAULT).notices())
        .singleElement()
        .asString()
        .contains("core.hooksPath", ".husky/_");
  }

  @Test
  void stashingHook_losesNothing() throws Exception {
    hook("pre-commit", "#!/bin/sh\ngit stash --quiet\n");
    Worktree tree = open(CommitOptions.DEFAULT);
    write(tree, "new.txt");

    assertThatThrownBy(() -> tree.commit("Add it")).hasMessageContaining("left nothing to commit");

    assertThat(tree.root().resolve("new.txt")).hasContent("small\n");
  }

  @Test
  void signatureOfAnSshKey_isMade() throws Exception {
    Path key = folder.resolve(".git/key");
    Process made =
        new ProcessBuilder("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key.toString())
            .inheritIO()
            .start();
    assertThat(made.waitFor()).isZero();
    git("config", "gpg.format", "ssh");
    git("config", "user.signingkey", key + ".pub");
    git("config", "commit.gpgsign", "true");
    Worktree tree = open(CommitOptions.DEFAULT);
    write(tree, "new.txt");

    assertThat(tree.commit("Add it")).isPresent();

    assertThat(git("cat-file", "commit", "ralph/house")).contains("BEGIN SSH SIGNATURE");
    assertThat(tree.notices()).isEmpty();
  }

  @Test
  void keyLockedLater_isReportedOnce() throws Exception {
    Path gpg = hook("gpg", "#!/bin/sh\n[ -e \"$0.locked\" ] && { echo locked >&2; exit 2; }\n");
    Files.writeString(
        gpg,
        Files.readString(gpg) + "cat >/dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; echo SIGNED\n");
    git("config", "gpg.program", gpg.toString());
    git("config", "commit.gpgsign", "true");
    Worktree tree = open(CommitOptions.DEFAULT);
    assertThat(tree.notices()).isEmpty();
    write(tree, "new.txt");
    tree.commit("Add it");
    assertThat(git("cat-file", "commit", "ralph/house")).contains("SIGNED");

    Files.writeString(folder.resolve(".git/hooks/gpg.locked"), "");
    for (String file : new String[] {"b.txt", "c.txt"}) {
      write(tree, file);
      assertThat(tree.commit("Add " + file)).isPresent();
    }

    assertThat(git("cat-file", "commit", "ralph/house")).doesNotContain("SIGNED");
    assertThat(tree.notices()).singleElement().asString().contains("commits are not signed");
  }
}

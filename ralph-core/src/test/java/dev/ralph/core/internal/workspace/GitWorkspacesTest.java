package dev.ralph.core.internal.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Redactor;
import dev.ralph.Verdict;
import dev.ralph.core.BranchMerger.Status;
import dev.ralph.core.CommitOptions;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.branch.WorkBranch;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.workspace.Workspaces.MergeOutcome;
import dev.ralph.core.internal.workspace.Workspaces.Piece;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import dev.ralph.log.RalphException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workspaces of several agents in a real repository. */
@Timeout(300)
class GitWorkspacesTest {

  private static final Workspaces.Trial GOOD = folder -> Verdict.passed();

  @TempDir Path folder;
  private TestRepository repository;
  private final List<Workspaces> open = new ArrayList<>();

  @BeforeEach
  void repository() throws Exception {
    repository = TestRepository.in(folder.toRealPath().resolve("a repo"));
  }

  @AfterEach
  void closeAll() {
    open.forEach(Workspaces::close);
  }

  private Workspaces open(WorkspaceSettings settings) throws InterruptedException {
    closeAll(); // a killed process releases the branch
    Workspaces workspaces =
        new GitWorkspaces(
            repository.root().resolve("sub"),
            "goal",
            settings,
            ProcessMark.unique(),
            Redactor.none());
    open.add(workspaces);
    workspaces.open();
    return workspaces;
  }

  private Workspaces open() throws InterruptedException {
    return open(WorkspaceSettings.NONE);
  }

  private static Piece piece(int number) {
    return new Piece("id" + number, "token" + number, "ralph/goal.t" + number, "Do " + number);
  }

  private static Workspace enter(Workspaces workspaces, int agent, int number) throws Exception {
    return workspaces.enter(agent, number, "id" + number);
  }

  private static void write(Workspace workspace, String file, String text) throws Exception {
    Files.writeString(workspace.directory().resolve(file), text);
  }

  private static List<Status> merge(Workspaces workspaces, Workspaces.Trial check, Piece... pieces)
      throws Exception {
    List<MergeOutcome> fates = workspaces.merge(List.of(pieces), check, piece -> true);
    return fates.stream().map(fate -> fate.result().status()).toList();
  }

  private String log(String branch) throws Exception {
    return repository.git("log", "--first-parent", "--format=%s", branch);
  }

  private void assertCheckoutIsAsItWas() throws Exception {
    assertThat(repository.git("status", "--porcelain")).isEqualTo("M a.txt");
    assertThat(repository.git("symbolic-ref", "--short", "HEAD")).isEqualTo("main");
    assertThat(log("main")).isEqualTo("first");
  }

  @Test
  void branch_restartsAtTheCheckoutAfterItsMerge() throws Exception {
    Workspaces first = open();
    Workspace workspace = enter(first, 1, 1);
    write(workspace, "one.txt", "one\n");
    first.keep(workspace, "Part of 1");
    merge(first, GOOD, piece(1));
    first.close();
    repository.git("stash", "--quiet");
    repository.git("commit", "--quiet", "--allow-empty", "-m", "beside it");
    open();
    assertThat(log("ralph/goal")).isEqualTo("Do 1\nfirst");
    repository.git("merge", "--quiet", "-m", "taken over", "ralph/goal");

    Workspaces again = open();
    assertThat(log("ralph/goal")).isEqualTo("taken over\nbeside it\nfirst");
    assertThat(again.notices()).isEmpty();
    assertThat(enter(again, 1, 2).isTakenUp()).isFalse();
    assertThat(log("ralph/goal.t2")).isEqualTo("taken over\nbeside it\nfirst");
  }

  @Test
  void task_isKeptMergedAndItsBranchRemoved() throws Exception {
    Workspaces workspaces = open();
    assertThat(workspaces.notices())
        .singleElement()
        .asString()
        .contains("1 file changed in " + repository.root());
    assertThat(workspaces.branch(4)).isEqualTo("ralph/goal.t4");
    Workspace workspace = enter(workspaces, 2, 4);
    assertThat(workspace.directory())
        .isEqualTo(repository.root().resolve(".ralph/worktrees/goal.2/sub"));
    assertThat(workspace.branch()).isEqualTo("ralph/goal.t4");
    assertThat(workspace.isTakenUp()).isFalse();
    assertThat(workspace.variables()).containsKey("RALPH_PORT_BASE");
    write(workspace, "new.txt", "new\n");
    write(workspace, "../built", "what a build has made\n");
    workspaces.keep(workspace, "Part of 4");
    workspaces.keep(workspace, "Nothing more");
    assertThat(log("ralph/goal.t4")).isEqualTo("Part of 4\nfirst");
    assertThat(enter(workspaces, 2, 4).isTakenUp()).isTrue();

    assertThat(merge(workspaces, GOOD, piece(4))).containsExactly(Status.MERGED);
    assertThat(log("ralph/goal")).isEqualTo("Do 4\nfirst");
    assertThat(repository.git("log", "-1", "--format=%b", "ralph/goal"))
        .isEqualTo("Ralph-Task: id4\nRalph-Claim: token4");
    workspaces.forget(number -> number == 4);
    assertThat(repository.branches()).isEqualTo("main ralph/goal");

    Workspace next = enter(workspaces, 2, 5);
    assertThat(next.directory().resolve("new.txt")).exists();
    assertThat(next.directory().resolve("../built")).exists();
    workspaces.keep(next, "nothing");
    assertThat(merge(workspaces, GOOD, piece(5))).containsExactly(Status.NOTHING);
    workspaces.forget(number -> true);
    assertThat(repository.branches()).isEqualTo("main ralph/goal");
    assertCheckoutIsAsItWas();
  }

  @Test
  void taskFinishedByNextAgent_leavesNoBranch() throws Exception {
    Workspaces workspaces = open();
    Workspace failed = enter(workspaces, 1, 1);
    write(failed, "one.txt", "a part\n");
    workspaces.keep(failed, "Part of 1");
    Workspace other = enter(workspaces, 2, 1);
    write(other, "one.txt", "a part, and the rest\n");
    workspaces.keep(other, "The rest of 1");
    assertThat(merge(workspaces, GOOD, piece(1))).containsExactly(Status.MERGED);
    workspaces.forget(number -> number == 1);
    List<String> before = workspaces.notices();

    write(enter(workspaces, 1, 2), "two.txt", "two\n");

    assertThat(workspaces.notices()).as("new notices after " + before).isEmpty();
    assertThat(repository.branches()).isEqualTo("main ralph/goal ralph/goal.t2");
  }

  @Test
  void conflict_doesNotBlockTheRemainingMerges() throws Exception {
    Workspaces workspaces = open();
    for (int number = 1; number <= 5; number++) {
      Workspace workspace = enter(workspaces, number, number);
      write(workspace, "f" + number + ".txt", "f\n");
      if (number == 2 || number == 4) {
        write(workspace, "b.txt", "b of " + number + "\n");
      }
      workspaces.keep(workspace, "work");
    }
    AtomicInteger checks = new AtomicInteger();
    Workspaces.Trial noThird =
        at -> {
          checks.incrementAndGet();
          return Files.exists(at.resolve("f3.txt")) ? Verdict.failed("3 is red") : Verdict.passed();
        };
    List<MergeOutcome> fates =
        workspaces.merge(
            List.of(piece(1), piece(2), piece(3), piece(4), piece(5), piece(6)),
            noThird,
            piece -> true);
    assertThat(fates.stream().map(fate -> fate.result().status()))
        .containsExactly(
            Status.MERGED,
            Status.MERGED,
            Status.REFUSED,
            Status.CONFLICT,
            Status.MERGED,
            Status.REFUSED);
    assertThat(fates.get(2).result().reason()).isEqualTo("3 is red");
    assertThat(fates.get(3).result().reason()).contains("b of 2").contains("b of 4");
    assertThat(fates.get(5).result().reason()).contains("ralph/goal.t6");
    assertThat(checks.get()).isLessThanOrEqualTo(5);
    assertThat(log("ralph/goal")).isEqualTo("Do 5\nMerge t1, t2\nfirst");
    assertThat(log("ralph/goal^^2")).isEqualTo("Do 2\nDo 1\nfirst");
    assertThat(fates.get(1).result().commit())
        .isEqualTo(repository.git("rev-parse", "ralph/goal^^2"));
    workspaces.forget(number -> number != 3 && number != 4);
    assertThat(repository.branches()).isEqualTo("main ralph/goal ralph/goal.t3 ralph/goal.t4");
    assertThat(workspaces.check(at -> Verdict.failed("is not asked"), () -> {}).isPassed())
        .isTrue();

    // The next agent merges and resolves the conflict.
    Workspace again = enter(workspaces, 1, 4);
    assertThat(again.isTakenUp()).isTrue();
    new ProcessBuilder("git", "merge", "ralph/goal")
        .directory(again.directory().toFile())
        .start()
        .waitFor();
    write(again, "b.txt", "b of both\n");
    workspaces.keep(again, "left to us");
    assertThat(merge(workspaces, GOOD, piece(4))).containsExactly(Status.MERGED);
    assertThat(repository.git("show", "ralph/goal:sub/b.txt")).isEqualTo("b of both");
    assertCheckoutIsAsItWas();
  }

  @Test
  void mergeBeforeKill_isNotRepeated() throws Exception {
    Workspaces killed = open();
    Workspace first = enter(killed, 1, 1);
    write(first, "one.txt", "one\n");
    killed.keep(first, "one");
    Workspace second = enter(killed, 2, 2);
    write(second, "two.txt", "two\n");
    assertThatThrownBy(
            () ->
                killed.merge(
                    List.of(piece(1)),
                    GOOD,
                    piece -> {
                      throw RalphException.contended("the session is lost");
                    }))
        .hasMessage("the session is lost");
    assertThat(log("ralph/goal")).isEqualTo("first");
    assertThat(killed.merge(List.of(piece(1)), GOOD, piece -> false).get(0).result().status())
        .isEqualTo(Status.WITHDRAWN);
    List<MergeOutcome> before = killed.merge(List.of(piece(1)), GOOD, piece -> true);
    // The process was killed before it recorded the merge.
    repository.git("update-ref", "refs/ralph/goal/accepted", "ralph/goal~1");
    repository.git("update-ref", "-d", "refs/ralph/goal/landed/goal.t1");

    Workspaces next = open();
    assertThat(log("ralph/goal.t2")).startsWith("Keep the work of an ended agent");
    List<MergeOutcome> after = next.merge(List.of(piece(1), piece(2)), GOOD, piece -> true);
    assertThat(after.get(0)).isEqualTo(before.get(0));
    assertThat(after.get(1).result().status()).isEqualTo(Status.MERGED);
    assertThat(log("ralph/goal")).isEqualTo("Do 2\nDo 1\nfirst");
    next.forget(number -> true);
    assertThat(repository.branches()).isEqualTo("main ralph/goal");
    assertThat(enter(next, 2, 3).isTakenUp()).isFalse();
    assertThat(repository.branches()).isEqualTo("main ralph/goal ralph/goal.t3");
  }

  @Test
  void folder_isSetUpOnceWithCopies() throws Exception {
    Path root = repository.root();
    Files.createDirectories(root.resolve("node_modules/lib"));
    Files.writeString(root.resolve("node_modules/lib/x.js"), "x\n");
    Files.createSymbolicLink(root.resolve("node_modules/link"), Path.of("lib/x.js"));
    Files.writeString(root.resolve(".env"), "KEY=1\n");
    List<Path> copies =
        List.of(Path.of("../node_modules"), Path.of("../.env"), Path.of("../built"));
    String script = "echo $RALPH_PORT_BASE >> ../built; cat ../.env; test -e ../may";
    Workspaces workspaces = open(settings(copies, "sh", "-c", script));
    assertThatThrownBy(() -> enter(workspaces, 1, 1))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("the set-up command failed in")
        .hasMessageEndingWith("KEY=1");
    assertThat(workspaces.notices()).anyMatch(notice -> notice.contains("built does not exist"));
    Files.writeString(root.resolve(".ralph/worktrees/goal.1/may"), "");
    Workspace first = enter(workspaces, 1, 1);
    enter(workspaces, 1, 1);
    Path folder = root.resolve(".ralph/worktrees/goal.1");
    assertThat(Files.readString(folder.resolve("built")).strip().lines())
        .containsExactly(
            first.variables().get("RALPH_PORT_BASE"), first.variables().get("RALPH_PORT_BASE"));
    assertThat(folder.resolve("node_modules/link")).isSymbolicLink().hasContent("x\n");
    workspaces.keep(first, "may");
    assertThat(repository.git("ls-tree", "-r", "--name-only", "ralph/goal.t1"))
        .isEqualTo(".gitignore\na.txt\nmay\nsub/b.txt");
    // The folder of the check is set up like those of the agents. It lacks the file "may" until the
    // merge.
    assertThat(
            merge(
                workspaces,
                at ->
                    Files.exists(at.resolve("../.env"))
                        ? Verdict.passed()
                        : Verdict.failed("no .env"),
                piece(1)))
        .containsExactly(Status.MERGED);
  }

  @Test
  void copyOfKilledPreparation_isNotCommitted() throws Exception {
    Files.writeString(repository.root().resolve("local.cfg"), "KEY=1\n");
    WorkspaceSettings settings = settings(List.of(Path.of("../local.cfg")));
    Workspace first = enter(open(settings), 1, 1);
    Path own = Path.of(TestRepository.git(first.directory(), "rev-parse", "--absolute-git-dir"));
    Files.delete(own.resolve("ralph-provided"));
    Files.delete(own.resolve("ralph-ready"));
    Files.writeString(own.resolve("ralph-preparing"), "");

    enter(open(settings), 1, 2);

    assertThat(repository.git("ls-tree", "-r", "--name-only", "ralph/goal.t1"))
        .doesNotContain("local.cfg");
    assertThat(own.resolve("ralph-preparing")).doesNotExist();
    assertThat(own.resolve("ralph-provided")).content().endsWith(" local.cfg\n");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void deletedMarker_keepsTheWork(boolean isKilled) throws Exception {
    Workspaces workspaces = open();
    Workspace first = enter(workspaces, 1, 1);
    write(first, "new.txt", "new\n");
    Path own = Path.of(TestRepository.git(first.directory(), "rev-parse", "--absolute-git-dir"));
    Files.delete(own.resolve("ralph-whole"));
    Workspaces next = isKilled ? open() : workspaces;
    if (!isKilled) {
      workspaces.keep(first, "one");
    }
    enter(next, 1, 2);
    assertThat(repository.git("show", "ralph/goal.t1:sub/new.txt")).isEqualTo("new");
  }

  @Test
  void pipeReadByGit_doesNotBlock() throws Exception {
    Workspaces workspaces = open();
    Workspace first = enter(workspaces, 1, 1);
    write(first, "new.txt", "new\n");
    List<String> read = List.of(".gitignore", ".gitattributes", ".gitmodules", ".mailmap");
    List<String> pipes = new ArrayList<>(List.of("mkfifo", "pipe"));
    pipes.addAll(read);
    Process process = new ProcessBuilder(pipes).directory(first.directory().toFile()).start();
    assertThat(process.waitFor()).isZero();
    workspaces.keep(first, "one");
    assertThat(repository.git("show", "--format=", "--name-only", "ralph/goal.t1"))
        .isEqualTo("sub/new.txt");
    read.forEach(name -> assertThat(first.directory().resolve(name)).doesNotExist());
    assertThat(WorkBranch.of(repository.root(), "goal").changed()).isZero();
  }

  @Test
  void forbiddenCopy_isRejected() throws Exception {
    for (String path :
        List.of(
            "../../other", "/etc", "../.git/config", ".ralph/store", "a/../../../b", "", "..")) {
      assertThatThrownBy(() -> open(settings(List.of(Path.of(path)))))
          .as(path)
          .hasMessageContaining("can't copy");
    }
    for (String tracked : List.of("b.txt", "../sub")) {
      Workspaces seen = open(settings(List.of(Path.of(tracked))));
      assertThatThrownBy(() -> enter(seen, 1, 1)).hasMessageContaining("Git tracks this path");
    }
    Files.createSymbolicLink(repository.root().resolve(".env"), folder);
    Workspaces linked = open(settings(List.of(Path.of("../.env"))));
    assertThatThrownBy(() -> enter(linked, 1, 1)).hasMessageContaining("symbolic link");
  }

  @Test
  void providedFile_isWorkAfterAChange() throws Exception {
    Files.writeString(repository.root().resolve("check me.sh"), "exit 0\n");
    Path tools = Files.createDirectories(repository.root().resolve("to[o]ls/bin"));
    Files.writeString(tools.resolve("run*.sh"), "exit 0\n");
    Files.createSymbolicLink(tools.resolve("link"), Path.of("nowhere"));
    List<Path> copies = List.of(Path.of("../check me.sh"), Path.of("../to[o]ls"));
    Workspaces workspaces = open(settings(copies, "sh", "-c", "echo made > 'made\u00fc\"'"));
    Workspaces.Trial check =
        at ->
            Files.exists(at.resolve("../check me.sh"))
                ? Verdict.passed()
                : Verdict.failed("no script");
    Workspace first = enter(workspaces, 1, 1);
    assertThat(first.directory().resolve("../check me.sh")).exists();
    agentGit(first, "add", "--all");
    assertThat(agentGit(first, "status", "--porcelain")).isEmpty();
    workspaces.keep(first, "none");
    assertThat(log("ralph/goal.t1")).isEqualTo("first");
    assertThat(WorkBranch.of(repository.root(), "goal").changed()).isZero();
    assertThat(WorkBranch.of(repository.root(), "goal").ignored())
        .contains(repository.root().resolve(".ralph/worktrees/goal.1/check me.sh"));

    write(first, "new.txt", "new\n");
    agentGit(first, "add", "--all");
    agentGit(first, "commit", "--quiet", "-m", "agent's");
    workspaces.keep(first, "none");
    assertThat(repository.git("show", "--format=", "--name-only", "ralph/goal.t1"))
        .isEqualTo("sub/new.txt");
    assertThat(merge(workspaces, check, piece(1))).containsExactly(Status.MERGED);

    Workspace second = enter(workspaces, 1, 2);
    write(second, "../check me.sh", "exit 1\n");
    workspaces.keep(second, "changed");
    assertThat(repository.git("show", "--format=", "--name-only", "ralph/goal.t2"))
        .isEqualTo("check me.sh");
    assertThat(merge(workspaces, check, piece(2))).containsExactly(Status.MERGED);
    Workspace third = enter(workspaces, 1, 3);
    assertThat(third.directory().resolve("../check me.sh")).hasContent("exit 1\n");
    write(third, "../check me.sh", "exit 0\n");
    workspaces.keep(third, "changed back");
    assertThat(log("ralph/goal.t3")).startsWith("changed back\n");
    assertThat(repository.root().resolve("check me.sh")).hasContent("exit 0\n");
  }

  @Test
  void fileOfFailedSetUp_isNoWork() throws Exception {
    String script = "echo made > made; test -e ../../../../may";
    Workspaces workspaces = open(settings(List.of(), "sh", "-c", script));
    assertThatThrownBy(() -> enter(workspaces, 1, 1)).hasMessageContaining("the set-up command");
    Files.writeString(repository.root().resolve("may"), "");
    Workspace workspace = enter(workspaces, 1, 1);
    workspaces.keep(workspace, "none");
    assertThat(log("ralph/goal.t1")).isEqualTo("first");
  }

  /** Runs git in the environment of an agent. */
  private static String agentGit(Workspace workspace, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(workspace.directory().toFile())
            .redirectErrorStream(true);
    builder.environment().putAll(workspace.variables());
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.strip();
  }

  private static WorkspaceSettings settings(List<Path> copies, String... setUp) {
    return new WorkspaceSettings(
        List.of(setUp),
        Duration.ofMinutes(1),
        copies,
        WorkspaceSettings.PORT_BASE,
        null,
        CommitOptions.DEFAULT);
  }

  @Test
  void push_mergesForeignCommitsAndOverwritesNone() throws Exception {
    Path remote = folder.toRealPath().resolve("remote");
    repository.git("init", "--quiet", "--bare", remote.toString());
    repository.git("remote", "add", "hub", remote.toString());
    WorkspaceSettings settings =
        new WorkspaceSettings(
            List.of(),
            Duration.ofMinutes(1),
            List.of(),
            20_000,
            new WorkspaceSettings.Target("hub", false),
            CommitOptions.DEFAULT);
    Workspaces workspaces = open(settings);
    landOne(workspaces, 1);
    assertThat(repository.git("--git-dir=" + remote, "log", "--format=%s", "ralph/goal"))
        .isEqualTo("Do 1\nfirst");

    String theirs =
        repository.git("commit-tree", "main^{tree}", "-p", "ralph/goal", "-m", "theirs");
    repository.git("push", "--quiet", "hub", theirs + ":refs/heads/ralph/goal");
    landOne(workspaces, 2);
    assertThat(repository.git("--git-dir=" + remote, "log", "--format=%s", "ralph/goal"))
        .isEqualTo("Do 2\ntheirs\nDo 1\nfirst");
    assertThat(log("ralph/goal")).isEqualTo("Do 2\ntheirs\nDo 1\nfirst");

    // Another push is faster, during the check.
    Workspace third = enter(workspaces, 1, 3);
    write(third, "f3.txt", "3\n");
    workspaces.keep(third, "work");
    AtomicInteger checks = new AtomicInteger();
    Workspaces.Trial others =
        at -> {
          if (checks.getAndIncrement() == 0) {
            String next =
                repository.git("commit-tree", "main^{tree}", "-p", "ralph/goal", "-m", "more");
            repository.git("push", "--quiet", "hub", next + ":refs/heads/ralph/goal");
          }
          return Verdict.passed();
        };
    assertThat(merge(workspaces, others, piece(3))).containsExactly(Status.MERGED);
    assertThat(checks).hasValue(2);
    assertThat(repository.git("--git-dir=" + remote, "rev-parse", "ralph/goal"))
        .isEqualTo(repository.git("rev-parse", "ralph/goal"));
    assertThat(repository.git("log", "--format=%s", "ralph/goal"))
        .contains("more")
        .contains("Do 3");

    repository.git("remote", "set-url", "hub", folder.resolve("gone").toString());
    workspaces.notices();
    landOne(workspaces, 4);
    assertThat(workspaces.notices())
        .satisfiesExactly(
            changed ->
                assertThat(changed).contains("changed while an agent worked: remote.hub.url"),
            unseen -> assertThat(unseen).contains("can't list the branches of hub"));
    assertThatThrownBy(
            () ->
                open(
                    new WorkspaceSettings(
                        List.of(),
                        Duration.ofMinutes(1),
                        List.of(),
                        20_000,
                        new WorkspaceSettings.Target("--all", false),
                        CommitOptions.DEFAULT)))
        .hasMessageContaining("no remote");
  }

  private void landOne(Workspaces workspaces, int number) throws Exception {
    Workspace workspace = enter(workspaces, 1, number);
    write(workspace, "f" + number + ".txt", number + "\n");
    workspaces.keep(workspace, "work");
    assertThat(merge(workspaces, GOOD, piece(number))).containsExactly(Status.MERGED);
  }

  @Test
  void branchOfFormerWorkTree_isContinued() throws Exception {
    Worktree tree = Worktree.open(repository.root(), "goal");
    Files.writeString(tree.root().resolve("old.txt"), "old\n");
    assertThatThrownBy(this::open)
        .hasMessageContaining("1 file is changed and not committed in " + tree.root());
    tree.commit("Old");
    Workspaces workspaces = open();
    assertThat(enter(workspaces, 1, 1).directory().resolve("../old.txt")).exists();
    landOne(workspaces, 2);
    assertThat(tree.root().resolve("old.txt")).exists();
    assertThat(TestRepository.git(tree.root(), "status", "--porcelain")).isEmpty();

    repository.git("worktree", "add", "--quiet", folder.resolve("theirs").toString(), "ralph/goal");
    assertThatThrownBy(() -> landOne(workspaces, 3)).hasMessageContaining("switch --detach");
    assertThatThrownBy(this::open).hasMessageContaining("switch --detach");
  }

  @Test
  void concurrentAgents_doNotInterfere() throws Exception {
    Workspaces workspaces = open();
    List<FutureTask<Void>> all = new ArrayList<>();
    for (int agent = 1; agent <= 4; agent++) {
      int own = agent;
      all.add(
          new FutureTask<>(
              () -> {
                for (int number = own; number <= 8; number += 4) {
                  Workspace workspace = enter(workspaces, own, number);
                  write(workspace, "f" + number + ".txt", "f\n");
                  workspaces.keep(workspace, "work");
                  assertThat(merge(workspaces, GOOD, piece(number))).containsExactly(Status.MERGED);
                  int done = number;
                  workspaces.forget(merged -> merged == done);
                }
                return null;
              }));
    }
    all.forEach(each -> new Thread(each).start());
    for (FutureTask<Void> each : all) {
      each.get();
    }
    assertThat(repository.branches()).isEqualTo("main ralph/goal");
    assertThat(log("ralph/goal").lines()).hasSize(9);
    assertThat(workspaces.notices()).hasSize(1);
    assertCheckoutIsAsItWas();
  }
}

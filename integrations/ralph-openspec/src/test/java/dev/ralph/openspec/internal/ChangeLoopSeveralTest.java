package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.core.Worktree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests several agents on one change, in a real repository. */
@Timeout(300)
class ChangeLoopSeveralTest {

  private static final String TASKS = "openspec/changes/add-house/tasks.md";
  private static final String BRANCH = "ralph/add-house";

  @TempDir Path folder;
  private Path project;
  private Ralph ralph;
  private Worktree tree;
  private ChangeSession work;
  private final List<String> prompts = new CopyOnWriteArrayList<>();

  @BeforeEach
  void makeAChange() throws Exception {
    project = Files.createDirectory(folder.resolve("a house"));
    ChangeLoopTest.makeAChangeIn(project);
    // In each commit, exactly the ticked tasks have their files.
    Files.writeString(
        project.resolve("check.sh"),
        """
        for id in 1.1 1.2 2.1 3.1 3.2; do
          if grep -q "\\[x] $id" openspec/changes/add-house/tasks.md
          then test -e done/$id || { echo "$id is ticked"; exit 1; }
          else test ! -e done/$id || { echo "$id is not ticked"; exit 1; }
          fi
        done
        """);
    git("init", "--quiet", "-b", "main");
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    git("add", "--all");
    git("commit", "--quiet", "-m", "Plan a house");
    ralph = Ralph.inMemory();
    tree = Worktree.open(project, "add-house");
    work = ChangeSession.open(ralph, tree.folder(), "add-house", ProcessHandle.current());
  }

  @AfterEach
  void close() {
    ralph.close();
  }

  private String git(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(arguments));
    command.add(0, "git");
    Process git =
        new ProcessBuilder(command).directory(project.toFile()).redirectErrorStream(true).start();
    String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(git.waitFor()).as(command + ": " + output).isZero();
    return output.strip();
  }

  private ChangeLoopBuilder loop(Agent agent) {
    return ChangeLoop.of(
            work,
            turn -> {
              prompts.add(turn.prompt());
              return agent.run(turn);
            })
        .agents(2)
        .worktree(tree)
        .directory(project)
        .failurePause(Duration.ofMillis(1));
  }

  /** Completes the assigned task, and also edits the task file, as agents often do. */
  private static AgentResult complete(Turn turn) throws IOException {
    Session session = turn.session();
    Task task =
        session
            .tasks()
            .get(session.tasks().claimNext("me", Duration.ofMinutes(1)).orElseThrow().taskId());
    Path done = Files.createDirectories(turn.directory().resolve("done"));
    Files.writeString(done.resolve(task.key()), task.content() + "\n");
    Path tasks = turn.directory().resolve(TASKS);
    Files.writeString(
        tasks, Files.readString(tasks).replace("[ ]", "[x]") + "- note of " + task.key() + "\n");
    session.notes().add("learning", "learned at " + task.key());
    session.tasks().complete(task.id());
    return AgentResult.success();
  }

  private void assertEachCommitIsGood() throws Exception {
    Path look = folder.resolve("look");
    git("worktree", "add", "--quiet", "--detach", look.toString(), BRANCH);
    for (String commit : git("rev-list", "--first-parent", BRANCH).lines().toList()) {
      git("-C", look.toString(), "reset", "--quiet", "--hard", commit);
      Process check = new ProcessBuilder("sh", "check.sh").directory(look.toFile()).start();
      assertThat(check.waitFor()).as(git("show", "--stat", commit)).isZero();
    }
  }

  @Test
  void eachTask_isMergedTogetherWithTick() throws Exception {
    LoopResult result = loop(ChangeLoopSeveralTest::complete).run();

    assertThat(result.reason()).as(String.valueOf(result.detail())).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(5);
    assertThat(result.detail())
        .isEqualTo("all stories of add-house are complete; 5 learnings were added to design.md");
    assertThat(git("show", BRANCH + ":" + TASKS) + "\n").isEqualTo(ChangeLoopTest.ALL_TICKED);
    assertThat(git("log", "--format=%s", BRANCH).lines())
        .contains("1.1 a door (t1)", "3.2 a chimney (t5)", "Record the learnings of add-house")
        .noneMatch(line -> line.startsWith("Tick"));
    assertEachCommitIsGood();
    assertThat(work.session().tasks().list()).allMatch(Task::isSettled);
    assertThat(git("status", "--porcelain")).as("uncommitted files of the user").isEmpty();
    assertThat(prompts)
        .anySatisfy(
            prompt ->
                assertThat(prompt)
                    .contains("add-house, in openspec/changes/add-house")
                    .contains("agent 1 of 2")
                    .contains("1. Doors, 1 of 3; 0 of 2 tasks are ticked."));
  }

  @Test
  void taskCompletedByUser_isTickedAtStoryEnd() throws Exception {
    Files.writeString(project.resolve("check.sh"), "exit 0\n");
    git("commit", "--quiet", "-am", "Check nothing");
    git("branch", "--quiet", "-f", "next", "main");
    git("-C", tree.root().toString(), "merge", "--quiet", "main");
    LoopResult result =
        loop(turn -> {
              Session all = work.session();
              all.tasks().list().stream()
                  .filter(task -> "1.2".equals(task.key()) && task.claim() == null)
                  .forEach(task -> all.tasks().complete(task.id()));
              return complete(turn);
            })
            .agents(2)
            .run();

    assertThat(result.reason()).as(String.valueOf(result.detail())).isEqualTo(StopReason.COMPLETED);
    assertThat(git("show", BRANCH + ":" + TASKS) + "\n").isEqualTo(ChangeLoopTest.ALL_TICKED);
  }

  /** The user edits the file in the run's worktree while merges tick the agents' tasks. */
  @Test
  void userEditsOfTaskFile_areKept() throws Exception {
    Files.writeString(project.resolve("check.sh"), "exit 0\n");
    git("commit", "--quiet", "-am", "Check nothing");
    git("-C", tree.root().toString(), "merge", "--quiet", "main");
    Path list = tree.folder().resolve(TASKS);
    LoopResult result =
        loop(turn -> {
              if (turn.prompt().contains("1. Doors, 1 of 3")) {
                edit(list);
              }
              return complete(turn);
            })
            .run();

    assertThat(result.reason()).as(String.valueOf(result.detail())).isEqualTo(StopReason.COMPLETED);
    assertThat(git("show", BRANCH + ":" + TASKS) + "\n")
        .isEqualTo(ChangeLoopTest.ALL_TICKED.replace("a window\n", "a window\n- [x] 2.2 a sill\n"));
    assertThat(prompts).as("the user ticked 1.2 and 2.1").hasSizeLessThanOrEqualTo(5);
    assertThat(git("-C", tree.root().toString(), "status", "--porcelain")).isEmpty();
  }

  private static synchronized void edit(Path list) throws IOException {
    String text = Files.readString(list);
    if (!text.contains("2.2")) {
      Files.writeString(
          list,
          text.replace("[ ] 1.2", "[x] 1.2")
              .replace("[ ] 2.1 a window\n", "[x] 2.1 a window\n- [ ] 2.2 a sill\n"));
    }
  }

  @Test
  void endedTeamRun_isContinuedBySingleWorker() throws Exception {
    LoopResult first = loop(ChangeLoopSeveralTest::complete).maxIterations(3).run();
    assertThat(first.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(first.detail()).contains("2 of 3 stories are complete");

    work = ChangeSession.open(ralph, tree.folder(), "add-house", ProcessHandle.current());
    LoopResult alone =
        ChangeLoop.of(
                work,
                turn -> {
                  Task task = turn.session().tasks().ready().get(0);
                  Files.writeString(
                      Files.createDirectories(tree.folder().resolve("done")).resolve(task.key()),
                      "alone\n");
                  turn.session().tasks().complete(task.id());
                  return AgentResult.success();
                })
            .worktree(Worktree.open(project, "add-house"))
            .maxIterations(1)
            .run();
    assertThat(alone.iterations()).isEqualTo(1);

    assertThat(alone.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(Files.readString(tree.folder().resolve(TASKS))).contains("[x] 3.1", "[ ] 3.2");
  }

  @Test
  void teamWithoutWorkTree_isRefused() {
    ChangeLoop loop = ChangeLoop.of(work, ChangeLoopSeveralTest::complete).agents(2).build();
    assertThatThrownBy(loop::run).hasMessageContaining("need a work tree");
    loop.close();
  }
}

package dev.ralph.openspec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.core.Worktree;
import dev.ralph.log.ContendedException;
import dev.ralph.openspec.internal.ChangeSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program that works on a change by the public API. */
@Timeout(300)
class OpenSpecChangeTest {

  private static final String PLAN =
      "## 1. Doors\n- [ ] 1.1 a door\n- [ ] 1.2 a lock\n\n## 2. Roof\n- [ ] 2.1 a roof\n";

  @TempDir Path project;
  private Path tasks;
  private final Ralph ralph = Ralph.inMemory();

  @BeforeEach
  void makeAChange() throws IOException {
    Path change = Files.createDirectories(project.resolve("openspec/changes/add-house"));
    tasks = Files.writeString(change.resolve("tasks.md"), PLAN);
    Files.writeString(project.resolve("openspec/verify"), "test: test -d openspec\n");
  }

  @AfterEach
  void close() {
    ralph.close();
  }

  private OpenSpecChange open() {
    return OpenSpecChange.open(ralph, project, "add-house", ProcessHandle.current());
  }

  private static AgentResult work(Turn turn) throws IOException {
    Task task = turn.session().tasks().ready().get(0);
    Files.writeString(turn.directory().resolve(task.key() + ".txt"), task.content());
    turn.session().tasks().complete(task.id());
    return AgentResult.success();
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

  @Test
  void loop_ticksAllTasks() throws Exception {
    LoopResult result = open().loop(OpenSpecChangeTest::work).run();

    assertThat(result.reason()).as(result.toString()).isEqualTo(StopReason.COMPLETED);
    assertThat(tasks).hasContent(PLAN.replace("[ ]", "[x]"));
  }

  @Test
  void loopInWorkTree_commitsEachStory() throws Exception {
    git("init", "--quiet", "-b", "main");
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    git("add", "--all");
    git("commit", "--quiet", "-m", "Plan a house");
    OpenSpecChange change = open().in(Worktree.open(project, "add-house"));

    LoopResult result = change.loop(OpenSpecChangeTest::work).run();

    assertThat(result.reason()).as(result.toString()).isEqualTo(StopReason.COMPLETED);
    assertThat(git("rev-list", "--count", "main..ralph/add-house")).isEqualTo("2");
    assertThat(git("show", "ralph/add-house:2.1.txt")).isEqualTo("2.1 a roof");
    assertThat(tasks).hasContent(PLAN);
  }

  @Test
  void leave_releasesTheChange() {
    OpenSpecChange change = OpenSpecChange.open(ralph, project, "add-house", null);
    assertThatThrownBy(this::begin).isInstanceOf(ContendedException.class);
    change.leave();

    assertThat(begin().topic()).isEqualTo(change.topic());
  }

  private ChangeSession begin() {
    return ChangeSession.begin(ralph, project, "add-house", ProcessHandle.current());
  }
}

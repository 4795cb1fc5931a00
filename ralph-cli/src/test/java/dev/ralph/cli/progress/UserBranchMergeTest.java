package dev.ralph.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.Usage;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The merge of a session's branch into the user's branch at the end of a build. */
class UserBranchMergeTest {

  @TempDir Path folder;

  @BeforeEach
  void makeARepository() throws Exception {
    git("init", "--quiet", "--initial-branch=main");
    git("config", "user.name", "Ann");
    git("config", "user.email", "ann@localhost");
    commit("base");
    git("checkout", "--quiet", "-b", "ralph/auth");
    commit("work");
    git("checkout", "--quiet", "main");
  }

  private void git(String... words) throws InterruptedException {
    CommandResult result = new Git(folder, Duration.ofMinutes(1)).run(words);
    assertThat(result.isGood()).as(result.why()).isTrue();
  }

  private void commit(String text) throws Exception {
    Files.writeString(folder.resolve("file"), text);
    git("add", "--all");
    git("commit", "--quiet", "-m", text);
  }

  private List<String> end(StopReason reason) {
    UserBranchMerge merge = new UserBranchMerge(folder, "auth", true);
    merge.ended(new LoopResult(reason, 1, Usage.NONE, null));
    return merge.resultLines();
  }

  @Test
  void completeSession_isMerged() throws Exception {
    assertThat(end(StopReason.COMPLETED))
        .containsExactly("merged 1 commit from ralph/auth into main");
    assertThat(folder.resolve("file")).hasContent("work");
  }

  @ParameterizedTest
  @ValueSource(strings = {"changed file", "own commit", "no branch", "stopped"})
  void missingMerge_namesTheCommandOnce(String obstacle) throws Exception {
    switch (obstacle) {
      case "changed file" -> Files.writeString(folder.resolve("file"), "mine");
      case "own commit" -> commit("mine");
      case "no branch" -> git("checkout", "--quiet", "--detach");
      default -> {}
    }

    List<String> said = end(obstacle.equals("stopped") ? StopReason.STOPPED : StopReason.COMPLETED);

    assertThat(String.join("\n", said).split("ralph branch merge auth", -1))
        .as(said.toString())
        .hasSize(2);
    assertThat(said.get(0)).isEqualTo("the work is on the branch ralph/auth, 1 commit");
  }
}

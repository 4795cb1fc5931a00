package dev.ralph.core.internal.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GitTreesTest {

  @ParameterizedTest
  @CsvSource({
    "error: unable to write file a.txt, FULL",
    "fatal: unable to write new index file, FULL",
    "fatal: not a git repository, INVALID"
  })
  void refusal_tellsAFullDiskApart(String errors, RalphException.Code code) {
    ProcessExit exit = new ProcessExit(128, ProcessExit.Reason.EXITED, Duration.ZERO, true);
    CommandResult answer = new CommandResult(exit, "", errors);
    assertThat(GitTrees.refused("git reset", answer).code()).isEqualTo(code);
  }

  /** Git before 2.36 has only the format with lines. */
  @ParameterizedTest
  @ValueSource(ints = {0, '\n'})
  void treeWithInvalidPath_isOmitted(int code) {
    String end = Character.toString(code);
    List<String> list =
        List.of("worktree /a", "branch refs/heads/one", "", "worktree ", "branch refs/heads/two");
    assertThat(GitTrees.trees(String.join(end, list), end))
        .containsExactly(Map.entry(Path.of("/a"), "one"));
  }
}

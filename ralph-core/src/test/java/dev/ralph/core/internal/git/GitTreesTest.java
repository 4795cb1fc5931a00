package dev.ralph.core.internal.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.log.RalphException;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}

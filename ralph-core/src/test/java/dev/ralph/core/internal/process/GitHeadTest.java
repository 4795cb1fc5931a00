package dev.ralph.core.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checked-out branch and commit of a work tree. */
class GitHeadTest {

  @TempDir Path folder;
  private Git git;

  @BeforeEach
  void repository() throws Exception {
    git = new Git(folder, Duration.ofMinutes(2));
    run("init", "-q", "-b", "main");
    run("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a");
  }

  private String run(String... words) throws Exception {
    CommandResult answer = git.run(words);
    assertThat(answer.isGood()).as(answer.why()).isTrue();
    return answer.line();
  }

  /** Git ignores this folder in a repository whose configuration names no other format. */
  private void makeReftable(boolean isReftable) throws Exception {
    if (isReftable) {
      Files.createDirectory(folder.resolve(".git/reftable"));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void branch_isRead(boolean isReftable) throws Exception {
    run("checkout", "-q", "-b", "feature/a");
    makeReftable(isReftable);

    assertThat(GitHead.of(Files.createDirectory(folder.resolve("sub"))))
        .isEqualTo(new GitHead("feature/a", run("rev-parse", "HEAD")));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void detachedHead_hasCommitOnly(boolean isReftable) throws Exception {
    run("checkout", "-q", "--detach");
    makeReftable(isReftable);

    assertThat(GitHead.of(folder)).isEqualTo(new GitHead(null, run("rev-parse", "HEAD")));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void unbornBranch_hasNoCommit(boolean isReftable) throws Exception {
    run("checkout", "-q", "--orphan", "next");
    makeReftable(isReftable);

    assertThat(GitHead.of(folder)).isEqualTo(new GitHead("next", null));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void workTree_hasOwnBranch(boolean isReftable) throws Exception {
    run("worktree", "add", "-q", "-b", "other", "tree");
    makeReftable(isReftable);

    assertThat(GitHead.of(folder.resolve("tree")).branch()).isEqualTo("other");
  }
}

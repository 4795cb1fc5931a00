package dev.ralph.core.internal.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Redactor;
import dev.ralph.Verdict;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.workspace.Workspaces.Piece;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files and branches that agents must not replace or move without a notice. */
@Timeout(300)
class UserFilesTest {

  @TempDir Path folder;
  private TestRepository repository;

  @BeforeEach
  void repository() throws Exception {
    repository = TestRepository.in(folder.toRealPath().resolve("a repo"));
    Files.writeString(repository.root().resolve(".gitignore"), ".ralph\n*.local\n");
    repository.git("add", ".gitignore");
    repository.git("commit", "--quiet", "-m", "ignore");
  }

  private Workspaces workspaces() throws Exception {
    return new GitWorkspaces(
        repository.root(), "goal", WorkspaceSettings.NONE, ProcessMark.unique(), Redactor.none());
  }

  @Test
  void ignoredFileInAgentFolder_isKeptAndNamed() throws Exception {
    try (Workspaces workspaces = workspaces()) {
      workspaces.open();
      Workspace first = workspaces.enter(1, 1, "id1");
      Files.writeString(first.directory().resolve("config.local"), "the first agent's\n");
      workspaces.keep(first, "nothing");
      Workspace second = workspaces.enter(2, 2, "id2");
      Files.writeString(second.directory().resolve(".gitignore"), ".ralph\n");
      Files.writeString(second.directory().resolve("config.local"), "the second agent's\n");
      workspaces.keep(second, "config");
      Piece piece = new Piece("id2", "token", "ralph/goal.t2", "Config");
      workspaces.merge(List.of(piece), at -> Verdict.passed(), each -> true);
      workspaces.notices();

      Workspace third = workspaces.enter(1, 3, "id3");

      assertThat(third.directory().resolve("config.local")).hasContent("the second agent's\n");
      assertThat(third.directory().resolveSibling("goal.1-left-1/config.local"))
          .hasContent("the first agent's\n");
      assertThat(workspaces.notices())
          .singleElement()
          .asString()
          .contains("config.local")
          .contains("goal.1-left-1");
      workspaces.keep(third, "nothing");
      workspaces.enter(1, 4, "id4");
      assertThat(workspaces.notices()).isEmpty();
    }
  }

  @Test
  void movedUserBranch_isNoticedOnce() throws Exception {
    try (Workspaces workspaces = workspaces()) {
      workspaces.open();
      Workspace workspace = workspaces.enter(1, 1, "id1");
      workspaces.notices();
      Files.writeString(workspace.directory().resolve("agent.txt"), "agent\n");
      workspaces.keep(workspace, "work");
      assertThat(workspaces.notices()).isEmpty();
      repository.git("update-ref", "refs/heads/main", "ralph/goal.t1");

      workspaces.keep(workspace, "work");
      workspaces.keep(workspace, "work");

      assertThat(workspaces.notices())
          .singleElement()
          .asString()
          .contains("the branch main was moved")
          .contains("git -C");
    }
  }

  @Test
  void deletedUserBranch_isNoticed() throws Exception {
    String commit = repository.git("rev-parse", "HEAD");
    try (Workspaces workspaces = workspaces()) {
      workspaces.open();
      Workspace workspace = workspaces.enter(1, 1, "id1");
      workspaces.notices();
      repository.git("update-ref", "-d", "refs/heads/main");

      workspaces.keep(workspace, "work");

      assertThat(String.join("\n", workspaces.notices()))
          .contains("main (kept as refs/ralph-kept/goal/heads/main)")
          .contains("the branch main was deleted")
          .endsWith("update-ref refs/heads/main " + commit);
    }
  }

  @Test
  void userCommit_isNoNotice() throws Exception {
    try (Workspaces workspaces = workspaces()) {
      workspaces.open();
      Workspace workspace = workspaces.enter(1, 1, "id1");
      workspaces.notices();
      repository.git("commit", "--quiet", "-am", "the user's");

      workspaces.keep(workspace, "work");

      assertThat(workspaces.notices()).isEmpty();
    }
  }
}

package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folders that a commit writes to, in work trees that git has created. */
class GitFoldersTest {

  @TempDir Path temporary;
  private Path folder;
  private Path repository;

  @BeforeEach
  void makeARepository() throws Exception {
    folder = temporary.toRealPath();
    repository = Files.createDirectory(folder.resolve("a repository"));
    git(repository, "init", "-q");
    git(repository, "commit", "-q", "--allow-empty", "-m", "one");
  }

  private static void git(Path directory, String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("git", "-C", directory.toString()));
    command.addAll(List.of("-c", "user.name=A", "-c", "user.email=a@localhost"));
    command.addAll(List.of("-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"));
    command.addAll(List.of(words));
    Process git = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(git.waitFor()).as(said).isZero();
  }

  @Test
  void repository_hasSingleGitFolder() throws IOException {
    assertThat(GitFolders.of(repository)).containsExactly(repository.resolve(".git"));
    assertThat(GitFolders.of(Files.createDirectory(repository.resolve("below")))).isEmpty();
  }

  @Test
  void linkedWorkTree_includesCommonGitFolder() throws Exception {
    Path second = folder.resolve("second");
    git(repository, "worktree", "add", "-q", second.toString());
    Path git = repository.resolve(".git");
    assertThat(GitFolders.of(second)).containsExactly(git.resolve("worktrees/second"), git);
  }

  @Test
  void submodule_hasFolderInParentRepository() throws Exception {
    Path whole = Files.createDirectory(folder.resolve("whole"));
    git(whole, "init", "-q");
    git(whole, "submodule", "--quiet", "add", repository.toString(), "a part");
    assertThat(GitFolders.of(whole.resolve("a part")))
        .containsExactly(whole.resolve(".git/modules/a part"));
  }

  /** Otherwise a user with write access to one folder could make any other folder writable. */
  @Test
  void pointerToNonRepository_isNotFollowed() throws IOException {
    Path other = Files.createDirectory(folder.resolve("other"));
    Files.writeString(other.resolve(".git"), "gitdir: " + folder + "\n");
    assertThat(GitFolders.of(other)).isEmpty();
    Files.writeString(other.resolve(".git"), "gitdir: nowhere\n");
    assertThat(GitFolders.of(other)).isEmpty();
    Files.writeString(other.resolve(".git"), "something else\n");
    assertThat(GitFolders.of(other)).isEmpty();
  }
}

package dev.ralph.core.internal.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.core.CommitOptions;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.git.BranchOwner.Relation;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ownership of branches by sessions. */
@Timeout(300)
class BranchOwnerTest {

  @TempDir Path folder;
  private final Ralph ralph = Ralph.inMemory();
  private final SessionNames names = new SessionNames("auth");
  private Path repository;

  @BeforeEach
  void repository() throws Exception {
    repository = folder.toRealPath();
    git("init", "--quiet", "-b", "main");
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    Files.writeString(repository.resolve("a.txt"), "first\n");
    Files.writeString(repository.resolve(".gitignore"), ".ralph\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
  }

  @AfterEach
  void close() {
    ralph.close();
  }

  private Git git() {
    return new Git(repository, Duration.ofMinutes(2));
  }

  private String git(String... arguments) throws InterruptedException {
    CommandResult answer = git().run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private static BranchOwner owner(Ralph ralph) {
    return BranchOwner.of(((LiveSession) ralph.session("auth")).log().store(), "auth");
  }

  private Worktree open(Ralph ralph) throws InterruptedException {
    return Worktree.open(
        repository,
        "auth",
        CommitOptions.DEFAULT,
        ((LiveSession) ralph.session("auth")).log().store());
  }

  @ParameterizedTest
  @CsvSource({
    "false, '',   a,  true,  NONE",
    "false, b,    a,  true,  NONE",
    "true,  '',   a,  true,  ADOPTED",
    "true,  '',   a,  false, FOREIGN",
    "true,  '',   '', false, FOREIGN",
    "true,  a,    a,  false, OWN",
    "true,  a,    '', false, FOREIGN",
    "true,  b,    a,  true,  FOREIGN"
  })
  void branchAndOwner_giveTheExpectedRelation(
      boolean isMarked, String owner, String id, boolean hasWorked, Relation expected) {
    Set<String> owners = owner.isEmpty() ? Set.of() : Set.of(owner);

    assertThat(new BranchOwner(id, hasWorked).relation(isMarked, owners)).isEqualTo(expected);
  }

  @Test
  void id_staysUntilSessionIsDeleted() {
    assertThat(owner(ralph).id()).isEmpty();
    ralph.session("auth").tasks().add("one");
    BranchOwner first = owner(ralph);
    ralph.session("auth").tasks().add("two");
    assertThat(first.id()).isNotEmpty();
    assertThat(owner(ralph)).isEqualTo(first);

    ralph.session("auth").delete();

    assertThat(owner(ralph).id()).isEmpty();
    ralph.session("auth").tasks().add("three");
    assertThat(owner(ralph).id()).isNotEmpty().isNotEqualTo(first.id());
  }

  @Test
  void id_staysWhenFirstFrameIsErased() {
    ralph.session("auth").tasks().add("one");
    ralph.session("auth").tasks().add("two");
    BranchOwner before = owner(ralph);

    ((LiveSession) ralph.session("auth")).log().store().erase(List.of(before.id()));

    assertThat(owner(ralph)).isEqualTo(before);
  }

  @Test
  void branchOfForeignStore_isRejected() throws Exception {
    ralph.session("auth").tasks().add("one");
    Worktree tree = open(ralph);
    Files.writeString(tree.root().resolve("rejected.txt"), "rejected\n");
    tree.commit("Rejected");
    assertThat(open(ralph).root()).isEqualTo(tree.root());
    try (Ralph other = Ralph.inMemory()) {
      other.session("auth").tasks().add("one");

      assertThatThrownBy(() -> open(other))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining("ralph/auth belongs to another session auth")
          .hasMessageContaining("ralph branch discard auth");

      assertThat(git("log", "--format=%s", "ralph/auth")).isEqualTo("Rejected\nfirst");
      git("worktree", "remove", "--force", tree.root().toString());
      assertThatThrownBy(() -> open(other)).hasMessageContaining("another session");
      git("branch", "-m", "ralph/auth", "ralph/auth-old");
      assertThat(open(other).root().resolve("rejected.txt")).doesNotExist();
      assertThatThrownBy(() -> open(ralph)).hasMessageContaining("another session");
    }
  }

  @Test
  void markerWithoutId_isAdoptedByStartedSession() throws Exception {
    Worktree.open(repository, "auth");
    assertThat(git("for-each-ref", names.owner(""))).isEmpty();
    ralph.session("auth").tasks().add("one");
    assertThatThrownBy(() -> open(ralph)).hasMessageContaining("another session");
    ((LiveSession) ralph.session("auth"))
        .iterations()
        .start(null, ProcessIdentity.current(), 0, null);

    open(ralph);

    assertThat(git("for-each-ref", "--format=%(refname)", names.owner("")))
        .isEqualTo(names.owner(owner(ralph).id()));
  }

  @Test
  void interruptedCreation_isContinuedByItsSession() throws Exception {
    Files.writeString(repository.resolve(".gitattributes"), "a.txt filter=bad\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "filter");
    git("config", "filter.bad.smudge", "false");
    git("config", "filter.bad.required", "true");
    ralph.session("auth").tasks().add("one");
    assertThatThrownBy(() -> open(ralph)).isInstanceOf(RalphException.class);
    assertThat(git("branch", "--list", "ralph/auth")).isNotEmpty();
    git("config", "--remove-section", "filter.bad");

    assertThat(open(ralph).root().resolve("a.txt")).hasContent("first\n");
  }

  @Test
  void forgottenBranch_isRefusedLikeAUsersOwn() throws Exception {
    ralph.session("auth").tasks().add("one");
    open(ralph);
    BranchOwner owner = owner(ralph);
    ralph.session("auth").delete();

    assertThat(owner.forget(git(), names)).isTrue();

    assertThat(git("for-each-ref", "refs/ralph")).isEmpty();
    ralph.session("auth").tasks().add("again");
    assertThatThrownBy(() -> open(ralph))
        .hasMessageContaining("this session did not create it")
        .hasMessageContaining("git branch -m ralph/auth ralph/auth-old");
    assertThat(owner(ralph).forget(git(), names)).isFalse();
  }

  @Test
  void sharedCoreWorktree_isRefusedBeforeAnythingIsMade() throws Exception {
    git("config", "core.worktree", repository.toString());
    git("config", "extensions.worktreeConfig", "true");
    Files.writeString(repository.resolve("a.txt"), "my change\n");

    assertThatThrownBy(() -> Worktree.open(repository, "auth"))
        .hasMessageContaining("core.worktree in ")
        .hasMessageContaining("--unset core.worktree");

    assertThat(repository.resolve("a.txt")).hasContent("my change\n");
    assertThat(git("branch", "--list", "ralph/*")).isEmpty();
    assertThat(git("worktree", "list").lines()).hasSize(1);
    git("config", "--file", ".git/config.worktree", "core.worktree", repository.toString());
    git("config", "--file", ".git/config", "--unset", "core.worktree");
    assertThat(Worktree.open(repository, "auth").root().resolve("a.txt")).hasContent("first\n");
  }
}

package dev.ralph.core.internal.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.core.CommitOptions;
import dev.ralph.core.internal.git.StaleLocks;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.ContendedException;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The branch of a session while others change it, on this host or in the remote repository. */
@Timeout(120)
class HostedCheckoutTest {

  private static final String BRANCH = "ralph/auth";

  @TempDir Path folder;
  private Path bare;
  private Path own;
  private SessionOffer offer;

  @BeforeEach
  void repository() throws Exception {
    bare = folder.resolve("shop.git");
    own = folder.resolve("own");
    git(folder, "init", "--quiet", "--bare", "-b", "main", bare.toString());
    git(folder, "init", "--quiet", "-b", "main", own.toString());
    git(own, "config", "user.name", "Somebody");
    git(own, "config", "user.email", "somebody@example.org");
    git(own, "commit", "--quiet", "--allow-empty", "-m", "first");
    git(own, "push", "--quiet", bare.toString(), "main");
    offer = SessionOffer.of(bare.toString(), "main", git(own, "rev-parse", "HEAD"));
  }

  private static String git(Path where, String... arguments) throws InterruptedException {
    CommandResult answer = new Git(where, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private String there(String... arguments) throws InterruptedException {
    String[] all = new String[arguments.length + 1];
    all[0] = "--git-dir=" + bare;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return git(folder, all);
  }

  private HostedCheckout open(String host) throws InterruptedException {
    return HostedCheckout.open(folder.resolve(host), "auth", offer, null);
  }

  private static void commit(HostedCheckout checkout, String name) throws Exception {
    Files.writeString(checkout.folder().resolve(name), name);
    checkout.commit(name);
  }

  private static boolean push(HostedCheckout checkout) throws InterruptedException {
    return checkout.push(() -> {});
  }

  /** Force-pushes a commit of another user to the branch in the remote repository. */
  private void forcePush(String name) throws Exception {
    Files.writeString(own.resolve(name), name);
    git(own, "add", ".");
    git(own, "commit", "--quiet", "-m", name);
    git(own, "push", "--quiet", "--force", bare.toString(), "HEAD:refs/heads/" + BRANCH);
  }

  @Test
  void hooks_runOnlyOnCommitsOfTheLoop() throws Exception {
    HostedCheckout here = open("hosted");
    Path hooks = here.top().resolve("../../../.git/hooks").normalize();
    Files.createDirectories(hooks);
    for (String name : new String[] {"pre-commit", "commit-msg", "pre-merge-commit"}) {
      Path hook = hooks.resolve(name);
      Files.writeString(hook, "#!/bin/sh\n[ -e fixed ] || { echo not fixed; exit 1; }\n");
      assertThat(hook.toFile().setExecutable(true)).isTrue();
    }
    commit(here, "one");
    here.commitBy(new CommitOptions(true, "feat: {title}"));
    assertThat(here.notices()).singleElement().asString().contains("commit-msg refuses");
    assertThatThrownBy(() -> commit(here, "two")).hasMessageContaining("not fixed");
    commit(here, "fixed");

    HostedCheckout elsewhere = open("elsewhere");
    commit(elsewhere, "theirs");
    push(elsewhere);
    git(here.top(), "rm", "--quiet", "fixed");
    git(here.top(), "-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "own");

    assertThat(push(here)).as("remote commits were merged").isTrue();
    assertThat(there("log", "--no-merges", "--format=%s", BRANCH))
        .contains("own", "feat: fixed", "one", "theirs");
  }

  @Test
  void ruleOfEarlierRun_hidesNoWork() throws Exception {
    HostedCheckout here = open("hosted");
    Files.writeString(here.folder().resolve(".gitignore"), "*\n");
    commit(here, "one");
    push(here);
    here.close();

    HostedCheckout again = open("hosted");
    git(again.top(), "config", "status.showUntrackedFiles", "no");
    commit(again, "two");

    assertThat(git(again.top(), "ls-tree", "--name-only", "HEAD").lines())
        .containsExactly(".gitignore", "one", "two");
    again.close();
  }

  @Test
  void unpushedWork_isKeptOnALeftBranch() throws Exception {
    HostedCheckout here = open("hosted");
    commit(here, "mine");
    HostedCheckout elsewhere = open("elsewhere");
    commit(elsewhere, "theirs");
    push(elsewhere);
    Files.writeString(here.folder().resolve("uncommitted"), "too");

    here.close();
    HostedCheckout again = open("hosted");

    assertThat(again.folder().resolve("theirs")).exists();
    assertThat(again.folder().resolve("mine")).doesNotExist();
    assertThat(git(again.folder(), "ls-tree", "--name-only", BRANCH + "-left-1"))
        .contains("mine", "uncommitted");
  }

  @Test
  void uncommittedWork_survivesAKilledHost() throws Exception {
    HostedCheckout here = open("hosted");
    commit(here, "one");
    push(here);
    Files.writeString(here.folder().resolve("two"), "half");
    here.close();

    HostedCheckout again = open("hosted");

    assertThat(again.folder().resolve("two")).hasContent("half");
    again.commit("two");
    assertThat(push(again)).isFalse();
    assertThat(there("log", "--format=%s", BRANCH)).isEqualTo("two\none\nfirst");
  }

  @Test
  void branchResetLocally_returnsToThePushedCommit() throws Exception {
    HostedCheckout here = open("hosted");
    commit(here, "one");
    push(here);
    git(here.top(), "reset", "--quiet", "--hard", "HEAD^");
    Files.writeString(here.folder().resolve("two"), "two");
    here.close();

    HostedCheckout again = open("hosted");

    assertThat(again.folder().resolve("one")).exists();
    assertThat(git(again.top(), "symbolic-ref", "--short", "HEAD")).isEqualTo(BRANCH);
    assertThat(git(again.top(), "ls-tree", "--name-only", BRANCH + "-left-1")).isEqualTo("two");
  }

  @Test
  void commitOnNoBranch_blocksReopening() throws Exception {
    HostedCheckout here = open("hosted");
    git(here.top(), "checkout", "--quiet", "--detach");
    Files.writeString(here.folder().resolve("astray"), "astray");
    git(here.top(), "add", ".");
    git(here.top(), "commit", "--quiet", "-m", "astray");
    here.close();

    assertThatThrownBy(() -> open("hosted"))
        .hasMessageContaining(here.top() + " is on no branch; run: git -C");
    assertThat(here.top().resolve("astray")).exists();

    git(here.top(), "checkout", "--quiet", "-B", BRANCH);
    assertThat(open("hosted").find("astray")).isNotNull();
  }

  @Test
  void checkout_isExclusive() throws Exception {
    HostedCheckout here = open("hosted");
    assertThatThrownBy(() -> open("hosted"))
        .isInstanceOf(ContendedException.class)
        .hasMessageContaining("the branch ralph/auth is in use by this process");
    here.close();
    open("hosted").close();
  }

  @Test
  void deletedRemoteBranch_isPushedAgain() throws Exception {
    HostedCheckout here = open("hosted");
    commit(here, "one");
    push(here);
    there("branch", "-D", BRANCH);
    commit(here, "two");

    assertThat(push(here)).isFalse();
    assertThat(there("log", "--format=%s", BRANCH)).isEqualTo("two\none\nfirst");
  }

  @Test
  void forcedRemoteCommit_isMerged() throws Exception {
    HostedCheckout here = open("hosted");
    commit(here, "one");
    push(here);
    forcePush("theirs");
    commit(here, "two");

    assertThat(push(here)).as("merged, so gates must run again").isTrue();
    assertThat(there("ls-tree", "--name-only", BRANCH)).isEqualTo("one\ntheirs\ntwo");
    assertThat(there("log", "--format=%s", BRANCH)).contains("theirs", "one", "two");
  }

  @Test
  void conflictingForcedCommit_isReportedAndKept() throws Exception {
    HostedCheckout here = open("hosted");
    commit(here, "one");
    push(here);
    Files.writeString(own.resolve("two"), "not the same\n");
    forcePush("theirs");
    String forced = there("rev-parse", BRANCH);
    commit(here, "two");

    assertThatThrownBy(() -> push(here))
        .hasMessageContaining("other commits were pushed to ralph/auth of " + bare)
        .hasMessageContaining("merge refs/remotes/host/session, resolve the conflicts and commit");
    assertThat(there("rev-parse", BRANCH)).isEqualTo(forced);
    assertThat(here.find("two")).isNotNull();
  }

  @Test
  void remoteBranchMovedBack_isPushedAgain() throws Exception {
    HostedCheckout here = open("hosted");
    commit(here, "one");
    push(here);
    git(own, "push", "--quiet", "--force", bare.toString(), "main:refs/heads/" + BRANCH);
    commit(here, "two");

    push(here);

    assertThat(there("log", "--format=%s", BRANCH)).isEqualTo("two\none\nfirst");
  }

  @Test
  void lostPermission_pushesNothing() throws Exception {
    HostedCheckout here = open("hosted");
    commit(here, "mine");

    assertThatThrownBy(
            () ->
                here.push(
                    () -> {
                      throw RalphException.contended("it is another host's");
                    }))
        .hasMessage("it is another host's");
    assertThat(there("branch", "--list", "ralph/*")).isEmpty();
  }

  @Test
  void locksOfKilledGit_areRemoved() throws Exception {
    HostedCheckout here = open("hosted");
    commit(here, "one");
    here.close();
    Path own = here.top().resolve("../../../.git").toRealPath();
    List<Path> locks = new ArrayList<>();
    for (String name :
        List.of(
            "index.lock",
            "HEAD.lock",
            "packed-refs.lock",
            "config.lock",
            "shallow.lock",
            "refs/heads/" + BRANCH + ".lock",
            "refs/remotes/host/base.lock",
            "worktrees/auth/index.lock",
            "worktrees/auth/HEAD.lock")) {
      locks.add(own.resolve(name));
      Files.createDirectories(own.resolve(name).getParent());
      Files.writeString(own.resolve(name), "");
    }

    HostedCheckout again = open("hosted");

    assertThat(locks).allSatisfy(lock -> assertThat(lock).doesNotExist());
    commit(again, "two");
    push(again);
    assertThat(there("log", "--format=%s", BRANCH)).isEqualTo("two\none\nfirst");
    again.close();
  }

  @Test
  void lockWithLiveGit_isKept() throws Exception {
    open("hosted").close();
    Path place = folder.resolve("hosted/auth");
    Path lock = Files.writeString(place.resolve(".git/index.lock"), "");
    Files.setLastModifiedTime(lock, FileTime.fromMillis(0));
    Process git =
        new ProcessBuilder("git", "cat-file", "--batch").directory(place.toFile()).start();
    try {
      assertThat(StaleLocks.remove(lock, place)).isFalse();
      assertThat(lock).exists();
    } finally {
      git.destroyForcibly().waitFor();
    }
    assertThat(StaleLocks.remove(lock, place)).isTrue();
    assertThat(lock).doesNotExist();
  }
}

package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Checkout.Exit;
import dev.ralph.cli.Checkout.Started;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ralph branch} while a loop in another process works in the work trees. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("slow")
class BranchIT {

  @TempDir Path folder;
  private Checkout checkout;

  @BeforeEach
  void repository() throws Exception {
    checkout = Checkout.shared(folder).elsewhere("work").committing();
    run("git init -q -b main . && echo .ralph >.gitignore && git add -A && git commit -q -m first");
    checkout.file("agent.sh", "cat >/dev/null; echo half >half; echo $$ >\"$AT\"; exec sleep 600");
    checkout.with("AT", checkout.work().resolve("agent").toString());
  }

  @AfterEach
  void clear() {
    checkout.clear();
  }

  private String run(String script) throws Exception {
    Exit exit = checkout.shell(script);
    assertThat(exit.code()).as(script + ": " + exit.err()).isZero();
    return exit.out();
  }

  private String refused(String... words) throws Exception {
    Exit exit = checkout.ralph(words);
    assertThat(exit.code()).as(exit.out()).isEqualTo(1);
    return exit.err();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--worktree", "--agents 2"})
  void branchInUseByLoop_isNotDiscarded(String how) throws Exception {
    run("\"$RALPH\" task add -n auth --create One && \"$RALPH\" task add -n auth Two");
    String agent = "sh " + checkout.work().resolve("agent.sh");
    List<String> build = new ArrayList<>(List.of("build", "-n", "auth", "--agent", agent));
    build.addAll(List.of(how.split(" ")));
    Started loop = checkout.start(build.toArray(new String[0]));
    long left = checkout.awaitPid("agent");
    String pid = " in process " + loop.process().pid() + " on ";
    String user = " by process " + loop.process().pid() + " on ";
    String trees = run("git worktree list && git for-each-ref");

    assertThat(refused("branch", "discard", "--force")).contains(pid, "ralph stop -n auth");
    String elsewhere = folder.resolve("elsewhere").toString();
    assertThat(refused("branch", "discard", "auth", "--force", "--store", elsewhere))
        .contains("the branch ralph/auth is in use" + user);
    for (String other : List.of("--worktree", "--agents=2")) {
      assertThat(
              refused(
                  "build", "-n", "auth", other, "-p", "x", "--agent", "true", "--store", elsewhere))
          .contains("the branch ralph/auth is in use" + user);
    }
    assertThat(run("\"$RALPH\" branch merge")).contains("Nothing left to merge from");
    assertThat(run("git worktree list && git for-each-ref")).isEqualTo(trees);

    loop.signal("KILL");
    assertThat(loop.exit().code()).isEqualTo(137);
    assertThat(refused("branch", "discard", "--force")).contains("still run", "" + left);
    assertThat(Checkout.isRunning(left)).isTrue();
  }
}

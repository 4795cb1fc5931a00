package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Checkout.Exit;
import dev.ralph.cli.Checkout.Started;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs {@code ralph work} as a process, on sessions of {@code ralph build --detach}. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class WorkIT {

  @TempDir Path folder;
  private Checkout checkout;

  @BeforeEach
  void repository() throws Exception {
    checkout = Checkout.shared(folder).elsewhere("work").committing();
    checkout.with("XDG_STATE_HOME", folder.resolve("state").toString());
    run(
        "git init -q -b main . && echo .ralph >.gitignore && echo 'test -e done' >check.sh"
            + " && echo 'gate = sh check.sh' >.ralph.conf && git add -A && git commit -q -m first");
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

  @Test
  void detachedSession_isBuiltAndPushed() throws Exception {
    Path agent = folder.resolve("agent.sh");
    Files.writeString(
        agent,
        "cat >/dev/null; echo worked; touch done; \"$RALPH\" task done t1; \"$RALPH\" tasks\n");
    run("\"$RALPH\" task add -n auth --create 'Do it' && \"$RALPH\" build -n auth --detach");
    assertThat(checkout.shell("\"$RALPH\" work --agent 'sh " + agent + "'").err())
        .as("the options file of the host's checkout")
        .contains("you have not trusted");
    run("\"$RALPH\" trust");

    Started work = checkout.start("work", "--agent", "sh " + agent);
    work.awaitOut("auth ended: completed");
    assertThat(run("git log --format=%s ralph/auth")).isEqualTo("Iteration 1 of auth\nfirst\n");
    assertThat(run("git log --format=%s main")).isEqualTo("first\n");
    assertThat(run("\"$RALPH\" status -n auth"))
        .contains("auth: completed")
        .contains("took the session");
    assertThat(run("\"$RALPH\" branch list")).isEqualTo("ralph/auth  1 commit\n");

    run(
        "echo 'gate = sh -c \"touch ../../../../../evil\"' >.ralph.conf"
            + " && git commit -q -a -m evil"
            + " && \"$RALPH\" task add -n b 'Do it' && \"$RALPH\" build -n b --detach");
    work.awaitOut("b failed: the project of the session has options in");
    assertThat(run("\"$RALPH\" status -n b")).contains("failed: the project of the session");
    assertThat(folder.resolve("evil")).doesNotExist();

    work.signal("TERM");
    assertThat(work.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(work.process().exitValue()).isEqualTo(143);
  }

  @Test
  @Tag("slow")
  void workersOfHost_mergeTasksIntoRepository() throws Exception {
    Path agent = folder.resolve("given.sh");
    Files.writeString(
        agent,
        "cat >/dev/null; task=$(git branch --show-current); task=${task##*.}\n"
            + "touch \"$task\" done && \"$RALPH\" task done \"$task\"\n");
    run(
        "\"$RALPH\" task add -n auth --create 'One' && \"$RALPH\" task add -n auth 'Two'"
            + " && \"$RALPH\" task add -n auth 'Three' && \"$RALPH\" build -n auth --detach");
    run("\"$RALPH\" trust");

    Started work = checkout.start("work", "--agents", "2", "--agent", "sh " + agent);
    work.awaitOut("auth ended: completed");
    work.signal("TERM");
    assertThat(work.process().waitFor(30, TimeUnit.SECONDS)).isTrue();

    assertThat(run("git ls-tree --name-only ralph/auth")).contains("t1", "t2", "t3", "done");
    assertThat(run("\"$RALPH\" tasks -n auth")).contains("merged");
    assertThat(checkout.shell("\"$RALPH\" work --shared-directory").err())
        .contains("on a host each agent has a work tree");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  @Tag("slow")
  void sessionInSubfolder_isBuiltInSubfolder(int agents) throws Exception {
    Path agent = folder.resolve("given.sh");
    Files.writeString(
        agent, "cat >/dev/null; test -e spec.md && touch t1 done && \"$RALPH\" task done t1\n");
    run(
        "mkdir -p services/a && cd services/a && echo '# A' >spec.md"
            + " && echo 'gate = test -e done' >.ralph.conf && git add . && git commit -q -m a"
            + " && \"$RALPH\" task add -n auth --create 'One'"
            + " && \"$RALPH\" build -n auth --detach && \"$RALPH\" trust");

    Started work =
        checkout.startAny(
            "sh",
            "-c",
            "cd services/a && exec \"$RALPH\" work --agents "
                + agents
                + " --agent 'sh "
                + agent
                + "'");
    work.awaitOut("auth ended: completed");
    work.signal("TERM");
    assertThat(work.process().waitFor(30, TimeUnit.SECONDS)).isTrue();

    assertThat(run("git ls-tree --name-only ralph/auth:services/a")).contains("t1", "done");
    assertThat(run("git ls-tree --name-only ralph/auth"))
        .isEqualTo(".gitignore\n.ralph.conf\ncheck.sh\nservices\n");
  }

  @Test
  void signalledHost_pushesUnfinishedWork() throws Exception {
    Path agent = folder.resolve("slow.sh");
    Files.writeString(agent, "cat >/dev/null; touch half; echo working; exec sleep 100\n");
    run("rm .ralph.conf && git commit -q -a -m second");
    run("\"$RALPH\" task add -n auth --create 'Do it' && \"$RALPH\" build -n auth --detach");

    Started work = checkout.start("work", "--agent", "sh " + agent);
    work.awaitOut("took auth");
    Path half = checkout.work().resolve(".ralph/hosted/auth/.ralph/worktrees/auth/half");
    Checkout.await("the agent", () -> Files.exists(half));
    work.signal("TERM");
    assertThat(work.process().waitFor(30, TimeUnit.SECONDS)).isTrue();

    assertThat(run("git ls-tree --name-only ralph/auth")).contains("half");
    assertThat(run("\"$RALPH\" status -n auth"))
        .contains("auth: idle")
        .contains("released the session");
  }

  /** A task that a user completes meanwhile stays completed. */
  @Test
  @Tag("slow")
  void killedHost_unpushedWorkIsRepeatedByNextHost() throws Exception {
    Path agent = folder.resolve("agent.sh");
    Path first = folder.resolve("first");
    Files.writeString(
        agent,
        "cat >/dev/null; touch done; \"$RALPH\" task done t1; [ ! -e %1$s ] || exit 0\n"
                .formatted(first)
            + "touch %s; exec sleep 100\n".formatted(first));
    run(
        "\"$RALPH\" task add -n auth --create 'One' && \"$RALPH\" task add -n auth 'Two'"
            + " && \"$RALPH\" build -n auth --detach && \"$RALPH\" trust");
    String command = "sh " + agent;
    Path one = folder.resolve("hosts/one");
    Path two = folder.resolve("hosts/two");

    Started killed = checkout.start("work", "--folder", one.toString(), "--agent", command);
    Checkout.await("the first task", () -> Files.exists(first));
    run("\"$RALPH\" task done -n auth t2");
    killed.signal("KILL");
    assertThat(killed.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
    Started other = checkout.start("work", "--folder", two.toString(), "--agent", command);
    other.awaitOut("auth ended: completed");
    other.signal("TERM");
    assertThat(other.process().waitFor(30, TimeUnit.SECONDS)).isTrue();

    assertThat(run("git log --format=%s ralph/auth")).isEqualTo("Iteration 2 of auth\nfirst\n");
    assertThat(run("\"$RALPH\" status -n auth"))
        .contains(":" + one + " took the session")
        .contains(":" + two + " took the session over from ");
    assertThat(run("\"$RALPH\" log -n auth")).containsOnlyOnce("died before the work on this task");
  }
}

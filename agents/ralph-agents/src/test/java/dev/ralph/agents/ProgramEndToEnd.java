package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.agents.ClientSandbox.Client;
import dev.ralph.agents.ScriptedModelServer.Reply;
import dev.ralph.test.TestTurn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Further tests of clients that run as a separate process in each turn. */
abstract class ProgramEndToEnd extends ClientEndToEnd {

  ProgramEndToEnd(Client client) {
    super(client);
  }

  @Test
  void toolServerMessage_followsEachToolCall() throws Exception {
    ClientSandbox sandbox = sandbox();
    model.goOnWith(
        client.shell("exit 3"),
        client.shell("echo made"),
        Reply.tool(client.sessionTool("echo"), Map.of("text", "me")),
        Reply.text("ok"));

    assertThat(run(sandbox.agent().tools(TOOLS), turn(sandbox, "hello", LONG)).summary())
        .isEqualTo("ok");

    assertThat(model.turns()).hasSize(4);
    assertThat(model.turns().get(1).body().toString()).as("failed").contains("told after Bash.");
    assertThat(model.turns().get(2).body().toString().split("told after Bash\\.", -1)).hasSize(3);
    assertThat(model.turns().get(3).body().toString())
        .contains("told after " + client.sessionTool("echo") + ".");
  }

  @Test
  void cancelledTurn_endsShellCommands() throws Exception {
    ClientSandbox sandbox = sandbox();
    Path ready = sandbox.project().resolve("ready");
    Files.deleteIfExists(ready);
    model.goOnWith(
        client.shell(
            "trap '' TERM INT; setsid sh -c 'trap \"\" TERM; sleep 300; sleep 300' & touch ready;"
                + " sleep 300"));
    TestTurn turn = turn(sandbox, "hello", null);

    try (Agent agent = sandbox.agent().tools(TOOLS).build()) {
      CompletableFuture<AgentResult> run = new CompletableFuture<>();
      Thread loop = new Thread(() -> run.complete(runOn(agent, turn)));
      loop.start();
      awaitFile(ready, run);
      long start = System.nanoTime();
      turn.cancel();
      loop.interrupt();

      assertThat(run.get().cause()).isEqualTo(Cause.CANCELLED);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
      assertThat(mark.find()).isEmpty();
    }
  }

  @Test
  void killedClient_endsChildProcesses() throws Exception {
    ClientSandbox sandbox = sandbox();
    Path ready = sandbox.project().resolve("ready");
    Files.deleteIfExists(ready);
    model.goOnWith(client.shell("touch ready; sleep 300"));
    TestTurn turn = turn(sandbox, "hello", LONG);

    try (Agent agent = sandbox.agent().tools(TOOLS).build()) {
      CompletableFuture<AgentResult> run = CompletableFuture.supplyAsync(() -> runOn(agent, turn));
      awaitFile(ready, run);
      // The direct child process: Codex starts its main program as a child, which outlives its
      // parent.
      ProcessHandle first =
          mark.find().stream()
              .filter(
                  one -> one.parent().filter(p -> p.equals(ProcessHandle.current())).isPresent())
              .findFirst()
              .orElseThrow();
      assertThat(mark.find()).as("client, tool server, shell").hasSizeGreaterThan(2);
      first.destroyForcibly();

      assertThat(run.get().cause()).isEqualTo(Cause.KILLED);
      assertThat(run.get().summary()).contains("killed by signal 9");
      assertThat(mark.find()).isEmpty();
    }
  }

  private static void awaitFile(Path file, CompletableFuture<AgentResult> run) throws Exception {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!Files.exists(file)) {
      assertThat(run.isDone()).as(() -> "ended early: " + run.join().summary()).isFalse();
      assertThat(System.nanoTime()).as("the shell command did not start").isLessThan(deadline);
      Thread.sleep(20);
    }
  }
}

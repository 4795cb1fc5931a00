package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.AgentResult.Outcome;
import dev.ralph.Usage;
import dev.ralph.agents.ScriptedModelServer.Reply;
import dev.ralph.agents.ScriptedModelServer.Request;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.test.TestTurn;
import java.math.BigDecimal;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real opencode, driven by the agent, with a scripted model. */
@Tag("clients")
@Timeout(600)
class OpencodeEndToEndTest {

  private static final Duration LONG = Duration.ofMinutes(5);

  private final ProcessMark mark = ProcessMark.unique();
  private ScriptedModelServer model;
  private OpencodeSandbox sandbox;
  private int port;
  private int iteration;

  /** The folder of all tests, because opencode needs long to initialize its state. */
  @TempDir static Path folder;

  @BeforeEach
  void sandbox() throws Exception {
    model = ScriptedModelServer.inOrder();
    sandbox = OpencodeSandbox.in(folder, model.baseUrl());
    Files.deleteIfExists(sandbox.project().resolve("made.txt"));
    Files.deleteIfExists(sandbox.project().resolve("ready"));
    port = OpencodeSandbox.freePort();
  }

  @AfterEach
  void nothingIsLeft() {
    model.close();
    List<Long> left = mark.endAll(Duration.ZERO);
    assertThat(left).as("processes left when the agent was closed").isEmpty();
  }

  @Test
  void withoutServer_opencodeUsesOwnTools() throws Exception {
    String prompt = "Say \"hi\" & don't ${expand} `this`:\n" + "é€😀 ".repeat(60_000) + "end";
    model.goOnWith(
        Reply.tool(
            "bash", Map.of("command", "echo made > made.txt; cat made.txt", "description", "x")),
        Reply.text("All done."));
    TestTurn turn = turn(prompt, LONG);

    AgentResult result;
    try (OpencodeAgent agent = agent(false)) {
      result = agent.run(turn);
    }

    assertThat(result.summary()).isEqualTo("All done.");
    assertThat(result.outcome()).isEqualTo(Outcome.SUCCESS);
    assertThat(result.usage()).isEqualTo(Usage.of(200, 40, new BigDecimal("0.00028")));
    assertThat(turn.outputs())
        .containsExactly("[bash] echo made > made.txt; cat made.txt", "All done.");
    assertThat(sandbox.project().resolve("made.txt")).hasContent("made");
    assertThat(model.turns()).hasSize(2);
    assertThat(model.turns().get(0).userText()).contains(prompt);
    assertThat(model.turns().get(1).toolResults()).singleElement().asString().contains("made");
  }

  @Test
  void server_isSharedByIterationsAndEndsWithAgent() throws Exception {
    model.goOnWith(Reply.text("one"), Reply.text("two"));
    TestTurn first = turn("first", LONG);
    TestTurn second = turn("second", LONG);

    try (OpencodeAgent agent = agent(true)) {
      assertThat(agent.run(first).summary()).isEqualTo("one");
      List<ProcessHandle> servers = mark.find();
      assertThat(agent.run(second).summary()).isEqualTo("two");
      assertThat(mark.find()).hasSize(1).isEqualTo(servers);
    }

    assertThat(first.notices()).contains("Web UI: http://127.0.0.1:" + port);
    assertThat(second.notices()).isEmpty();
    assertThat(mark.find()).isEmpty();
  }

  @Test
  void withoutServer_rejectedKeyIsFatalWithLogin() throws Exception {
    model.goOnWith(Reply.error(401, "bad key", Map.of()));

    try (OpencodeAgent agent = agent(false)) {
      AgentResult result = agent.run(turn("hello", LONG));

      assertThat(result.outcome()).isEqualTo(Outcome.FATAL);
      assertThat(result.summary()).contains("bad key").contains("opencode auth login");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void requestRejectedByModel_isFailure(boolean withServer) throws Exception {
    model.goOnWith(Reply.error(400, "no such luck", Map.of()));

    try (OpencodeAgent agent = agent(withServer)) {
      AgentResult result = agent.run(turn("hello", LONG));

      assertThat(result.outcome()).isEqualTo(Outcome.FAILURE);
      assertThat(result.summary()).contains("no such luck").contains("400");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void hangingModel_endsAtTimeLimit(boolean withServer) throws Exception {
    model.goOnWith(Reply.hang());
    TestTurn turn = turn("hello", LONG);

    try (OpencodeAgent agent = agent(withServer)) {
      CompletableFuture<AgentResult> run = CompletableFuture.supplyAsync(() -> agent.run(turn));
      model.await(turns -> !turns.isEmpty(), LONG);
      turn.timeLimit(Duration.ZERO);
      AgentResult result = run.get();

      assertThat(result.outcome()).isEqualTo(Outcome.FAILURE);
      assertThat(result.summary()).contains("timed out");
      assertThat(mark.find()).allMatch(process -> commandLine(process).contains(" serve "));

      model.goOnWith(Reply.text("back again"));
      assertThat(agent.run(turn("again", LONG)).summary()).isEqualTo("back again");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void cancelledTurn_endsShellCommands(boolean withServer) throws Exception {
    Path ready = sandbox.project().resolve("ready");
    model.goOnWith(
        Reply.tool(
            "bash",
            Map.of(
                "command",
                "trap '' TERM INT; setsid sh -c 'trap \"\" TERM; sleep 300; sleep 300' & touch"
                    + " ready; sleep 300",
                "description",
                "x")));
    TestTurn turn = turn("hello", null);

    try (OpencodeAgent agent = agent(withServer)) {
      CompletableFuture<AgentResult> run = new CompletableFuture<>();
      Thread loop = new Thread(() -> run.complete(agent.run(turn)));
      loop.start();
      awaitFile(ready, run);
      long start = System.nanoTime();
      turn.cancel();
      loop.interrupt();
      AgentResult result = run.get();

      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
      assertThat(result.outcome()).isEqualTo(Outcome.FAILURE);
      assertThat(result.summary()).contains("cancelled");
      assertThat(mark.find()).noneMatch(OpencodeEndToEndTest::isShellCommand);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void unknownModel_isNamed(boolean withServer) throws Exception {
    OpencodeAgent.Builder builder = sandbox.agent(port).model("scripted/nobody");

    try (OpencodeAgent agent = withServer ? builder.build() : builder.withoutServer().build()) {
      AgentResult result = agent.run(turn("hello", LONG));

      assertThat(result.outcome()).as(result.summary()).isEqualTo(Outcome.FATAL);
      assertThat(result.cause()).isEqualTo(Cause.MODEL_UNKNOWN);
      assertThat(result.summary()).contains("scripted/nobody");
    }
  }

  @Test
  void usedDefaultPort_isReplacedByFreePort() throws Exception {
    ServerSocket stranger = null;
    try {
      stranger = new ServerSocket(OpencodeAgent.DEFAULT_PORT, 1, InetAddress.getLoopbackAddress());
    } catch (BindException alreadyTaken) {
      // Another program already uses the port, which suits the test.
    }
    model.goOnWith(Reply.text("ok"));
    OpencodeAgent.Builder builder = OpencodeAgent.builder();
    builder.program(OpencodeSandbox.program().toString());
    sandbox.environment().forEach(builder::environment);
    TestTurn turn = turn("hello", LONG);

    try (OpencodeAgent agent = builder.build()) {
      assertThat(agent.run(turn).summary()).as("answer of the configured model").isEqualTo("ok");
    } finally {
      if (stranger != null) {
        stranger.close();
      }
    }
    assertThat(turn.notices())
        .startsWith("Starting opencode...")
        .anyMatch(notice -> notice.contains("Port 4096 is already in use"))
        .anyMatch(notice -> notice.startsWith("Web UI: http://127.0.0.1:"))
        .doesNotContain("Web UI: http://127.0.0.1:4096");
  }

  @Test
  void foreignServerOnPort_isNamedAndNeverCalled() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    HttpServer stranger =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    stranger.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    stranger.start();

    try (OpencodeAgent agent = agent(true)) {
      AgentResult result = agent.run(turn("hello", LONG));

      assertThat(result.outcome()).isEqualTo(Outcome.FATAL);
      assertThat(result.summary()).contains("port " + port).contains("--port");
      assertThat(asked).hasValue(0);
      assertThat(model.requests()).isEmpty();
    } finally {
      stranger.stop(0);
    }
  }

  @Test
  void deadServer_isRestarted() throws Exception {
    model.goOnWith(Reply.text("one"), Reply.text("two"));
    TestTurn second = turn("second", LONG);

    try (OpencodeAgent agent = agent(true)) {
      agent.run(turn("first", LONG));
      ProcessHandle server = mark.find().get(0);
      server.destroyForcibly();
      server.onExit().get();
      AgentResult result = agent.run(second);

      assertThat(result.summary()).isEqualTo("two");
      assertThat(second.notices())
          .anyMatch(notice -> notice.contains("starting a new server"))
          .contains("Web UI: http://127.0.0.1:" + port);
    }
  }

  @Test
  void serverDeathDuringIteration_isFailure() throws Exception {
    model.goOnWith(Reply.hang());

    try (OpencodeAgent agent = agent(true)) {
      CompletableFuture<AgentResult> run =
          CompletableFuture.supplyAsync(() -> agent.run(turn("hello", LONG)));
      model.await(turns -> !turns.isEmpty(), LONG);
      mark.find().stream()
          .filter(process -> commandLine(process).contains(" serve "))
          .forEach(ProcessHandle::destroyForcibly);

      assertThat(run.get().outcome()).isEqualTo(Outcome.FAILURE);
      assertThat(run.get().summary()).contains("server ended").contains("137");
    }
  }

  @Test
  void killedClient_isFailureAndEndsSession() throws Exception {
    model.goOnWith(Reply.hang());

    try (OpencodeAgent agent = agent(true)) {
      CompletableFuture<AgentResult> run =
          CompletableFuture.supplyAsync(() -> agent.run(turn("hello", LONG)));
      model.await(turns -> !turns.isEmpty(), LONG);
      mark.find().stream()
          .filter(process -> commandLine(process).contains(" run "))
          .forEach(ProcessHandle::destroyForcibly);

      assertThat(run.get().outcome()).isEqualTo(Outcome.FAILURE);
      assertThat(run.get().summary()).contains("killed by signal 9");

      model.goOnWith(Reply.text("next"));
      assertThat(agent.run(turn("again", LONG)).summary()).isEqualTo("next");
    }
  }

  @Test
  void withoutServer_repeatedCutOffsEndTurn() throws Exception {
    Reply half = Reply.cutOff("half an ");
    try (ScriptedModelServer broken = ScriptedModelServer.start(request -> half);
        OpencodeAgent agent = agent(false, OpencodeSandbox.in(sandbox.root(), broken.baseUrl()))) {
      AgentResult result = agent.run(turn("hello", LONG));

      assertThat(result.outcome()).isEqualTo(Outcome.FAILURE);
      assertThat(result.summary()).contains("cut off");
    }
  }

  @Test
  void message_reachesWorkingModel() throws Exception {
    TestTurn turn = turn("hello", LONG);
    model.goOnAlwaysWith(Reply.tool("bash", Map.of("command", "sleep 1", "description", "works")));

    try (OpencodeAgent agent = agent(true)) {
      CompletableFuture<AgentResult> run = CompletableFuture.supplyAsync(() -> agent.run(turn));
      model.await(turns -> !turns.isEmpty(), LONG);
      turn.session().inbox().send("Stop at once", "ann", null);
      model.await(turns -> turns.get(turns.size() - 1).userText().contains("Stop at once"), LONG);
      model.await(turns -> turn.session().inbox().unread().isEmpty(), LONG);
      model.goOnWith(Reply.text("I stopped."));

      assertThat(run.get().summary()).isEqualTo("I stopped.");
      assertThat(run.get().outcome()).isEqualTo(Outcome.SUCCESS);
    }
    assertThat(model.turns())
        .last()
        .satisfies(last -> assertThat(last.userText()).containsOnlyOnce("Stop at once"));
  }

  /**
   * A client whose session resumes after the client has exited, as if a late message had arrived.
   */
  private static final String BEGINS_AGAIN =
      """
      #!/bin/sh
      [ "$1" = run ] || exec '%1$s' "$@"
      '%1$s' "$@" || exit
      node -e '
        const [url, session] = process.argv.slice(1);
        const { OPENCODE_SERVER_PASSWORD: password, PWD: folder } = process.env;
        const query = "?directory=" + encodeURIComponent(folder);
        fetch(url + "/session/" + session + "/prompt_async" + query, {
          method: "POST",
          headers: {
            "Content-Type": "application/json",
            Authorization: "Basic " + btoa("opencode:" + password),
          },
          body: JSON.stringify({ parts: [{ type: "text", text: "And then?" }] }),
        }).then((answer) => process.exit(answer.ok ? 0 : 1));
      ' "$3" "$5" || exit
      while [ ! -e end ]; do sleep 0.1; done
      """;

  @Test
  void messageAfterLastAnswer_waitsForNextIteration() throws Exception {
    Path program = folder.resolve("begins-again");
    Files.writeString(program, BEGINS_AGAIN.formatted(OpencodeSandbox.program()));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    TestTurn turn = turn("hello", LONG);
    try (ScriptedModelServer scripted =
            ScriptedModelServer.start(OpencodeEndToEndTest::doneThenAtWorkUntilTold);
        OpencodeAgent agent =
            OpencodeSandbox.in(folder, scripted.baseUrl())
                .agent(port)
                .program(program.toString())
                .build()) {
      CompletableFuture<AgentResult> run = CompletableFuture.supplyAsync(() -> agent.run(turn));
      scripted.await(turns -> turns.size() > 1, LONG);
      turn.session().inbox().send("Stop at once");
      scripted.await(
          turns -> turns.get(turns.size() - 1).userText().contains("Stop at once"), LONG);
      Files.createFile(sandbox.project().resolve("end"));

      AgentResult result = run.get();

      assertThat(result.summary()).isEqualTo("I have done it.");
      assertThat(result.outcome()).isEqualTo(Outcome.SUCCESS);
      assertThat(turn.session().inbox().unread()).hasSize(1);
    } finally {
      Files.deleteIfExists(sandbox.project().resolve("end"));
    }
  }

  private static Reply doneThenAtWorkUntilTold(Request request) {
    if (request.userText().contains("Stop at once")) {
      return Reply.hang();
    }
    return request.userText().contains("And then?")
        ? Reply.tool("bash", Map.of("command", "sleep 1", "description", "works"))
        : Reply.text("I have done it.");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void endlessCompaction_endsTurn(boolean withServer) throws Exception {
    model.goOnAlwaysWith(Reply.text("I go on."));
    OpencodeAgent.Builder builder = sandbox.agent(port).model(OpencodeSandbox.TINY_MODEL);
    TestTurn turn = turn("hello", LONG);

    try (OpencodeAgent agent = withServer ? builder.build() : builder.withoutServer().build()) {
      AgentResult result = agent.run(turn);

      assertThat(result.outcome()).isEqualTo(Outcome.FAILURE);
      assertThat(result.summary()).contains("without calling a tool");
    }
    assertThat(model.requests()).hasSizeLessThan(100);
    assertThat(turn.usages()).as("reported during the run").hasSizeGreaterThan(1);
  }

  private OpencodeAgent agent(boolean withServer) {
    return agent(withServer, sandbox);
  }

  private OpencodeAgent agent(boolean withServer, OpencodeSandbox where) {
    OpencodeAgent.Builder agent = where.agent(port);
    return withServer ? agent.build() : agent.withoutServer().build();
  }

  private TestTurn turn(String prompt, Duration limit) {
    return TestTurn.inMemory()
        .iteration(++iteration)
        .prompt(prompt)
        .directory(sandbox.project())
        .processMark(mark.text())
        .timeLimit(limit);
  }

  private static boolean isShellCommand(ProcessHandle process) {
    return commandLine(process).contains("sleep") || commandLine(process).contains("trap");
  }

  private static String commandLine(ProcessHandle process) {
    return process.info().commandLine().orElse("");
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

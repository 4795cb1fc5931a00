package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.AgentResult.Outcome;
import dev.ralph.McpServerCommand;
import dev.ralph.agents.ClientSandbox.Client;
import dev.ralph.agents.ScriptedModelServer.Reply;
import dev.ralph.core.process.ProcessMark;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The real clients, driven by their agents, against a scripted model. */
@Tag("clients")
@Timeout(240)
class ClientsEndToEndTest {

  private static final Duration LONG = Duration.ofSeconds(100);
  private static final McpServerCommand TOOLS = ToolServer.asServer();
  private static final McpServerCommand NO_TOOLS =
      McpServerCommand.of(List.of("/bin/false", "${HOME}"));

  /** How the model fails, each time that it is asked. */
  private static final Map<String, Reply> FAILURES =
      Map.of(
          "401", Reply.error(401, "that key is not known", Map.of()),
          "429", Reply.error(429, "Too Many Requests", Map.of("Retry-After", "1")),
          "500", Reply.error(500, "something broke", Map.of()),
          "cut", Reply.cutOff("half an "));

  /** One for all tests of a client: some take their time to set up their state in a new one. */
  @TempDir static Path folder;

  private final ProcessMark mark = ProcessMark.unique();
  private ScriptedModelServer model;
  private int iteration;

  @BeforeEach
  void startModel() {
    model = ScriptedModelServer.inOrder();
  }

  @AfterEach
  void nothingIsLeft() {
    model.close();
    List<String> left = mark.find().stream().map(ClientsEndToEndTest::commandLine).toList();
    mark.endAll(Duration.ZERO);
    assertThat(left).as("processes left when the agent was closed").isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void theAgentWorksWithItsOwnToolsAndTheSessions(Client client) throws Exception {
    ClientSandbox sandbox = sandbox(client);
    model.goOnWith(
        Reply.tool(client.sessionTool("echo"), Map.of("text", "me")),
        client.shell("echo made >made.txt; cat made.txt"),
        Reply.text("All done."));
    String prompt = "Say \"hi\" & don't ${expand} `this`:\n" + "é€😀 ".repeat(60_000) + "end";
    RecordedTurn turn = turn(sandbox, prompt, LONG);

    AgentResult result = run(sandbox.agent().tools(TOOLS), turn);

    assertThat(result.summary()).isEqualTo("All done.");
    assertThat(result.outcome()).isEqualTo(Outcome.SUCCESS);
    assertThat(result.cause()).isNull();
    assertThat(result.usage().inputTokens()).isEqualTo(3 * Messages.INPUT_TOKENS);
    assertThat(result.usage().outputTokens()).isEqualTo(3 * Messages.OUTPUT_TOKENS);
    assertThat(turn.outputs())
        .hasSize(3)
        .anyMatch(line -> line.contains("echo made >made.txt"))
        .endsWith("All done.");
    assertThat(sandbox.project().resolve("made.txt")).hasContent("made");
    assertThat(model.turns()).hasSize(3);
    assertThat(model.turns().get(0).userText()).contains(prompt);
    assertThat(model.turns().get(0).conversation().toolNames())
        .contains(client.sessionTool("echo"));
    List<String> results = model.turns().get(2).toolResults();
    assertThat(results.get(0)).contains("hear: me");
    assertThat(results.get(1)).contains("made");
  }

  @ParameterizedTest
  @EnumSource
  void withoutItsToolServerAClientIsNotLeftToWork(Client client) throws Exception {
    ClientSandbox sandbox = sandbox(client);
    model.goOnWith(Reply.text("I did what I could."));

    AgentResult result = run(sandbox.agent().tools(NO_TOOLS), turn(sandbox, "hello", LONG));

    assertToolsMissing(result);
  }

  @Test
  void opencodeAloneIsNotLeftToWorkWithoutItsToolServerEither() throws Exception {
    ClientSandbox sandbox = sandbox(Client.OPENCODE);
    OpencodeAgent.Builder alone = ((OpencodeAgent.Builder) sandbox.agent()).withoutServer();
    model.goOnWith(Reply.text("I did what I could."));
    assertToolsMissing(run(alone.tools(NO_TOOLS), turn(sandbox, "hello", LONG)));

    model.goOnWith(
        Reply.tool(Client.OPENCODE.sessionTool("echo"), Map.of("text", "me")), Reply.text("ok"));
    AgentResult result = run(alone.tools(TOOLS), turn(sandbox, "hello", LONG));
    assertThat(result.summary()).isEqualTo("ok");
    assertThat(model.turns().get(model.turns().size() - 1).toolResults().get(0))
        .contains("hear: me");
  }

  private static void assertToolsMissing(AgentResult result) {
    assertThat(result.cause()).as(result.summary()).isEqualTo(Cause.TOOLS_MISSING);
    assertThat(result.outcome()).isEqualTo(Outcome.FAILURE);
    assertThat(result.summary()).contains("/bin/false ${HOME}");
  }

  @ParameterizedTest
  @EnumSource
  void aFailureOfTheModelIsToldSoonWhereTimeIsLimited(Client client) throws Exception {
    ClientSandbox sandbox = sandbox(client);
    Map<String, AgentResult> results = new TreeMap<>();
    try (Agent agent = sandbox.agent().tools(TOOLS).build()) {
      for (Map.Entry<String, Reply> failure : FAILURES.entrySet()) {
        model.goOnAlwaysWith(failure.getValue());
        int before = model.turns().size();
        long start = System.nanoTime();
        results.put(failure.getKey(), runOn(agent, turn(sandbox, "hello", LONG)));

        assertThat(Duration.ofNanos(System.nanoTime() - start))
            .as(failure.getKey())
            .isLessThan(Duration.ofSeconds(60));
        assertThat(model.turns().size()).as(failure.getKey()).isGreaterThan(before);
      }
    }

    assertResult(results.get("401"), Outcome.FATAL, Cause.NOT_LOGGED_IN);
    assertResult(results.get("429"), Outcome.RATE_LIMITED, Cause.RATE_LIMITED);
    assertResult(results.get("500"), Outcome.FAILURE, Cause.MODEL_ERROR);
    assertResult(results.get("cut"), Outcome.FAILURE, Cause.MODEL_ERROR);
    assertThat(results.get("401").summary()).contains("that key is not known");
  }

  @ParameterizedTest
  @EnumSource
  void aLongRateLimitIsHandedToTheLoop(Client client) throws Exception {
    ClientSandbox sandbox = sandbox(client);
    model.goOnAlwaysWith(Reply.error(429, "slow down", Map.of("Retry-After", "3600")));

    AgentResult result = run(sandbox.agent().tools(TOOLS), turn(sandbox, "hello", null));

    assertResult(result, Outcome.RATE_LIMITED, Cause.RATE_LIMITED);
    assertThat(result.summary()).contains(client == Client.CODEX ? "429" : "slow down");
    if (client == Client.OPENCODE) {
      // The others do not tell what the provider asked for.
      assertThat(result.retryAfter()).isCloseTo(Duration.ofHours(1), Duration.ofMinutes(2));
    }
  }

  private static void assertResult(AgentResult result, Outcome outcome, Cause cause) {
    assertThat(result.cause()).as(result.summary()).isEqualTo(cause);
    assertThat(result.outcome()).as(result.summary()).isEqualTo(outcome);
  }

  @ParameterizedTest
  @EnumSource
  void aModelThatCantBeReachedIsToldSoonWhereTimeIsLimited(Client client) throws Exception {
    URI nobody;
    try (ServerSocket taken = new ServerSocket(0)) {
      nobody = URI.create("http://127.0.0.1:" + taken.getLocalPort());
    }
    ClientSandbox sandbox = ClientSandbox.of(client, folder.resolve(client.name()), nobody);

    AgentResult result = run(sandbox.agent().tools(TOOLS), turn(sandbox, "hello", LONG));

    assertThat(result.cause()).as(result.summary()).isEqualTo(Cause.MODEL_ERROR);
  }

  @ParameterizedTest
  @EnumSource
  void aModelThatHangsIsLeftAfterALongSilence(Client client) throws Exception {
    ClientSandbox sandbox = sandbox(client);
    model.goOnAlwaysWith(Reply.hang());
    Duration silence = Duration.ofSeconds(3);
    AgentResult result;
    do {
      // A client is silent while it starts, too: on a busy machine longer than one would think.
      silence = silence.multipliedBy(2);
      result =
          run(sandbox.agent().tools(TOOLS).longestSilence(silence), turn(sandbox, "hello", null));
    } while (model.turns().isEmpty() && result.cause() == Cause.HUNG);

    assertThat(model.turns()).isNotEmpty();
    assertThat(result.cause()).as(result.summary()).isEqualTo(Cause.HUNG);
    assertThat(result.summary()).contains("said nothing for " + silence.toSeconds() + " s");
  }

  @ParameterizedTest
  @EnumSource(names = "OPENCODE", mode = EnumSource.Mode.EXCLUDE)
  void aCancelledTurnEndsShellCommandsInSessionsOfTheirOwn(Client client) throws Exception {
    ClientSandbox sandbox = sandbox(client);
    Path ready = sandbox.project().resolve("ready");
    Files.deleteIfExists(ready);
    model.goOnWith(
        client.shell(
            "trap '' TERM INT; setsid sh -c 'trap \"\" TERM; sleep 300; sleep 300' & touch ready;"
                + " sleep 300"));
    RecordedTurn turn = turn(sandbox, "hello", null);

    try (Agent agent = sandbox.agent().tools(TOOLS).build()) {
      CompletableFuture<AgentResult> run = new CompletableFuture<>();
      Thread loop = new Thread(() -> run.complete(runOn(agent, turn)));
      loop.start();
      awaitFile(ready, run);
      long start = System.nanoTime();
      turn.cancel();
      loop.interrupt();

      assertThat(run.get().cause()).isEqualTo(Cause.CANCELLED);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
      assertThat(mark.find()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = "OPENCODE", mode = EnumSource.Mode.EXCLUDE)
  void aClientThatIsKilledTakesAllItStartedWithIt(Client client) throws Exception {
    ClientSandbox sandbox = sandbox(client);
    Path ready = sandbox.project().resolve("ready");
    Files.deleteIfExists(ready);
    model.goOnWith(client.shell("touch ready; sleep 300"));
    RecordedTurn turn = turn(sandbox, "hello", LONG);

    try (Agent agent = sandbox.agent().tools(TOOLS).build()) {
      CompletableFuture<AgentResult> run = CompletableFuture.supplyAsync(() -> runOn(agent, turn));
      awaitFile(ready, run);
      // The first of them: Codex has its program proper as a child, which outlives its parent.
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

  @Test
  void claudeSaysThatAPromptIsTooLong() throws Exception {
    ClientSandbox sandbox = sandbox(Client.CLAUDE);

    AgentResult result =
        run(sandbox.agent().tools(TOOLS), turn(sandbox, "word ".repeat(600_000), LONG));

    assertThat(result.cause()).isEqualTo(Cause.PROMPT_TOO_LONG);
    assertThat(result.outcome()).isEqualTo(Outcome.FATAL);
  }

  @Test
  void codexMayCommitAndNotWriteElsewhere() throws Exception {
    ClientSandbox sandbox = sandbox(Client.CODEX);
    Path repository = Files.createDirectory(folder.resolve("a repository"));
    Process init = new ProcessBuilder("git", "-C", repository.toString(), "init", "-q").start();
    assertThat(init.waitFor()).isZero();
    model.goOnWith(
        Client.CODEX.shell(
            "git config user.name A; git config user.email a@localhost; date >new; git add new; git"
                + " commit -qm 'A commit' && git log -1 --format=%s; touch \"$HOME/ralph-was-here\""),
        Reply.text("ok"));
    RecordedTurn turn = new RecordedTurn(1, "hello", repository, mark.text(), LONG);

    assertThat(run(sandbox.agent().tools(TOOLS), turn).summary()).isEqualTo("ok");

    String said = model.turns().get(1).toolResults().get(0);
    assertThat(said).contains("A commit").containsAnyOf("Read-only file system", "denied");
  }

  private ClientSandbox sandbox(Client client) throws Exception {
    return ClientSandbox.of(client, folder.resolve(client.name()), model.origin());
  }

  private RecordedTurn turn(ClientSandbox sandbox, String prompt, Duration limit) {
    return new RecordedTurn(++iteration, prompt, sandbox.project(), mark.text(), limit);
  }

  private static AgentResult run(ClientBuilder<?> builder, RecordedTurn turn) {
    try (Agent agent = builder.build()) {
      return runOn(agent, turn);
    }
  }

  private static AgentResult runOn(Agent agent, RecordedTurn turn) {
    try {
      return agent.run(turn);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static String commandLine(ProcessHandle process) {
    return process.pid() + " " + process.info().commandLine().orElse("");
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

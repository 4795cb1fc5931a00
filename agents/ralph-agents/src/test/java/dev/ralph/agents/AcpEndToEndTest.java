package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.AgentResult.Outcome;
import dev.ralph.agents.ClientSandbox.Client;
import dev.ralph.agents.ScriptedModelServer.Reply;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.test.TestTurn;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real agents that use the Agent Client Protocol, with a scripted model. */
@Tag("clients")
@Timeout(600)
class AcpEndToEndTest {

  private static final Duration LONG = Duration.ofSeconds(160);

  /** An agent, with the settings that it needs to run here. */
  private enum AcpProgram {
    OPENCODE(Client.OPENCODE, "RALPH_OPENCODE", "opencode-ai@1.18.33", "opencode", "acp"),
    CLAUDE(
        Client.CLAUDE,
        "RALPH_CLAUDE_ACP",
        "@agentclientprotocol/claude-agent-acp@0.101.0",
        "claude-agent-acp",
        ""),
    CODEX(Client.CODEX, "RALPH_CODEX_ACP", "@agentclientprotocol/codex-acp@2.6.0", "codex-acp", ""),
    QWEN(Client.OPENCODE, "RALPH_QWEN", "@qwen-code/qwen-code@0.15.10", "qwen", "--acp"),
    COPILOT(Client.COPILOT),
    GEMINI(Client.GEMINI),
    KILO(Client.KILO);

    private final Client kin;
    private final String variable;
    private final String npmPackage;
    private final String program;
    private final String argument;

    AcpProgram(Client kin, String variable, String npmPackage, String program, String argument) {
      this.kin = kin;
      this.variable = variable;
      this.npmPackage = npmPackage;
      this.program = program;
      this.argument = argument;
    }

    /** A client with its own name. */
    AcpProgram(Client client) {
      this(client, "", "", "", "");
    }

    AcpAgent.Builder agent(ClientSandbox sandbox, URI model) throws IOException {
      if (variable.isEmpty()) {
        return ((AcpAgent.Builder) sandbox.agent()).tools(ToolServer.asServer());
      }
      List<String> command = new ArrayList<>();
      command.add(ClientSandbox.program(variable, npmPackage, program).toString());
      if (!argument.isEmpty()) {
        command.add(argument);
      }
      AcpAgent.Builder agent = AcpAgent.builder(command).tools(ToolServer.asServer());
      sandbox.environment().forEach(agent::environment);
      switch (this) {
        case OPENCODE -> agent.model(OpencodeSandbox.MODEL);
        // In its default mode the agent refuses the tools of MCP servers.
        case CLAUDE -> agent.mode("acceptEdits").environment("IS_SANDBOX", "1");
        // Otherwise the agent asks another model to approve each call.
        case CODEX -> agent.mode("workspace-write");
        case QWEN ->
            agent
                .authentication("openai")
                .environment("OPENAI_API_KEY", "scripted-key")
                .environment("OPENAI_BASE_URL", model + "/v1")
                .environment("OPENAI_MODEL", "scripted");
        default -> throw new IllegalStateException("has its own name: " + this);
      }
      return agent;
    }

    /** Returns a reply that calls a tool of the session's server. */
    Reply sessionTool() {
      // Qwen Code runs in the sandbox of another client.
      Client named = this == QWEN ? Client.CLAUDE : kin;
      return Reply.tool(named.sessionTool("echo"), Map.of("text", "me"));
    }

    Reply shell(String command) {
      return this == QWEN
          ? Reply.tool("run_shell_command", Map.of("command", command, "is_background", false))
          : kin.shell(command);
    }
  }

  @TempDir Path folder;

  private final ProcessMark mark = ProcessMark.unique();
  private ScriptedModelServer model;

  @BeforeEach
  void startModel() {
    model = ScriptedModelServer.inOrder();
  }

  @AfterEach
  void nothingIsLeft() {
    model.close();
    assertThat(mark.endAll(Duration.ZERO)).as("processes left").isEmpty();
  }

  private ClientSandbox sandbox(AcpProgram client) throws Exception {
    return ClientSandbox.of(client.kin, folder, model.origin());
  }

  private TestTurn turn(ClientSandbox sandbox, Duration limit) {
    return TestTurn.inMemory()
        .prompt("hello")
        .directory(sandbox.project())
        .processMark(mark.text())
        .timeLimit(limit);
  }

  @ParameterizedTest
  @EnumSource
  void task_usesOwnAndSessionTools(AcpProgram client) throws Exception {
    ClientSandbox sandbox = sandbox(client);
    model.goOnWith(
        client.sessionTool(),
        client.shell("echo made >made.txt; cat made.txt"),
        Reply.text("All done."));
    TestTurn turn = turn(sandbox, LONG);

    AgentResult result = client.agent(sandbox, model.origin()).build().run(turn);

    assertThat(result.outcome()).as(result.summary()).isEqualTo(Outcome.SUCCESS);
    assertThat(result.summary()).isEqualTo("All done.");
    assertThat(turn.outputs())
        .anyMatch(line -> line.startsWith("[") && line.contains("echo made >made.txt"))
        .endsWith("All done.");
    assertThat(sandbox.project().resolve("made.txt")).hasContent("made");
    // One agent sends another request after the end, to suggest the user's next input.
    assertThat(model.turns()).hasSizeGreaterThanOrEqualTo(3);
    assertThat(model.turns().get(2).toolResults().get(0)).contains("hear: me");
    boolean tellsAll = client == AcpProgram.CLAUDE || client == AcpProgram.CODEX;
    assertThat(result.usage().isPartial()).as(result.usage().toString()).isEqualTo(!tellsAll);
    if (tellsAll) {
      assertThat(result.usage().totalTokens())
          .isEqualTo(3 * (Messages.INPUT_TOKENS + Messages.OUTPUT_TOKENS));
    }
    boolean tellsCost =
        client == AcpProgram.CLAUDE || client == AcpProgram.OPENCODE || client == AcpProgram.KILO;
    assertThat(result.usage().costUsd() != null).isEqualTo(tellsCost);
  }

  @ParameterizedTest
  @EnumSource
  void rejectedKey_isFatal(AcpProgram client) throws Exception {
    ClientSandbox sandbox = sandbox(client);
    model.goOnAlwaysWith(Reply.error(401, "that API key is not known", Map.of()));

    AgentResult result =
        client
            .agent(sandbox, model.origin())
            .environment("CLAUDE_CODE_MAX_RETRIES", "1")
            .build()
            .run(turn(sandbox, LONG));

    assertThat(result.cause()).as(result.summary()).isEqualTo(Cause.NOT_LOGGED_IN);
    assertThat(result.outcome()).isEqualTo(Outcome.FATAL);
    assertThat(result.summary())
        .contains(
            "log in with: "
                + (client.variable.isEmpty() ? client.kin.command() : "the agent's own command"));
  }

  @ParameterizedTest
  @EnumSource
  void cancelledTurn_endsAllProcesses(AcpProgram client) throws Exception {
    ClientSandbox sandbox = sandbox(client);
    Path begun = sandbox.project().resolve("begun");
    Files.deleteIfExists(begun);
    model.goOnWith(client.shell("touch begun; tail -f /dev/null"));
    TestTurn turn = turn(sandbox, null);
    AcpAgent agent = client.agent(sandbox, model.origin()).build();
    Thread cancel =
        new Thread(
            () -> {
              while (Files.notExists(begun)) {
                java.util.concurrent.locks.LockSupport.parkNanos(50_000_000);
              }
              turn.cancel();
            });
    cancel.setDaemon(true);
    cancel.start();

    AgentResult result = agent.run(turn);

    assertThat(result.cause()).as(result.summary()).isEqualTo(Cause.CANCELLED);
  }
}

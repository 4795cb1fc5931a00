package dev.ralph.agents;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.AgentResult.Outcome;
import dev.ralph.test.TestTurn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The settings of the named clients, with a program that acts as each client. */
@Timeout(300)
class AcpClientTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** A tool server with texts that clients expand. */
  private static final McpServerCommand TOOLS =
      McpServerCommand.of(List.of("/a $path/ralph", "${HOME}")).variable("A_HOME", "/x$HOME");

  @TempDir Path folder;

  private AcpToolServer server() {
    return AcpToolServer.of(TOOLS, TestTurn.inMemory(), folder.resolve("ready"));
  }

  /** Returns the script of a client that records its arguments. */
  private Path program(String... behaviour) throws Exception {
    StringBuilder words = new StringBuilder();
    for (String word : FakeAcpAgent.command(List.of(behaviour))) {
      words.append(" '").append(word.replace("'", "'\\''")).append('\'');
    }
    String script =
        "#!/bin/sh\n[ \"$*\" = --version ] && echo 'version 0.0.1' && exit\n"
            + "printf '%s\\n' \"$@\" >'"
            + folder.resolve("arguments")
            + "'\nexec"
            + words
            + "\n";
    Path program = Files.writeString(folder.resolve("client"), script);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return program;
  }

  private AgentResult run(AcpClient client, TestTurn turn, String... behaviour) throws Exception {
    return AcpAgent.builder(client)
        .program(program(behaviour).toString())
        .tools(TOOLS)
        .model("big")
        .limits(Duration.ofSeconds(100), Duration.ofSeconds(1))
        .build()
        .run(turn.directory(folder));
  }

  @ParameterizedTest
  @CsvSource({
    "COPILOT, copilot, ralph-,     --acp --model big --additional-mcp-config",
    "GEMINI,  gemini,  mcp_ralph_, --acp --skip-trust --model big",
    "KILO,    kilo,    ralph_,     acp"
  })
  void client_hasTestedSettings(AcpClient client, String program, String prefix, String arguments) {
    assertThat(client.program()).isEqualTo(program);
    assertThat(AcpClient.of(program)).isSameAs(client);
    assertThat(client.toolPrefix()).isEqualTo(prefix);
    assertThat(String.join(" ", client.arguments("big", server()))).startsWith(arguments);
    assertThat(client.arguments(null, null)).doesNotContain("--model", "--additional-mcp-config");
  }

  @Test
  void unknownProgram_isNoClient() {
    assertThat(AcpClient.of("opencode")).isNull();
    assertThat(AcpClient.of("")).isNull();
  }

  @Test
  void copilotToolServer_isEscaped() throws Exception {
    List<String> arguments = AcpClient.COPILOT.arguments(null, server());

    JsonNode tools = JSON.readTree(arguments.get(arguments.size() - 1)).at("/mcpServers/ralph");
    assertThat(tools.path("command").asText()).isEqualTo("/a ${RALPH_NEVER_SET:-$}path/ralph");
    assertThat(tools.at("/args/0").asText()).isEqualTo("${RALPH_NEVER_SET:-$}{HOME}");
    assertThat(tools.at("/env/A_HOME").asText()).isEqualTo("/x${RALPH_NEVER_SET:-$}HOME");
    assertThat(tools.at("/env/RALPH_MCP_READY").asText())
        .isEqualTo(folder.resolve("ready").toString());
  }

  @ParameterizedTest
  @CsvSource({"GEMINI, /x\\$HOME", "KILO, /x$HOME"})
  void toolServerInSession_hasVariables(AcpClient client, String expected) {
    ArrayNode servers = JSON.createArrayNode();
    server().addTo(servers, client::variable);

    assertThat(servers.at("/0/command").asText()).isEqualTo("/a $path/ralph");
    assertThat(servers.at("/0/args/0").asText()).isEqualTo("${HOME}");
    assertThat(servers.at("/0/env/0/name").asText()).isEqualTo("A_HOME");
    assertThat(servers.at("/0/env/0/value").asText()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Authentication failed at http://box:443/v1 (HTTP 401). | FATAL        | NOT_LOGGED_IN",
        "Model 'x' not found on provider (HTTP 404).            | FATAL        | MODEL_UNKNOWN",
        "retried 5 times. Last error: 429 slow down             | RATE_LIMITED | RATE_LIMITED",
        "400 bad thing                                          | FAILURE      | MODEL_ERROR",
      })
  void copilotModelError_failsTurn(String text, Outcome outcome, Cause cause) throws Exception {
    AgentResult result =
        run(AcpClient.COPILOT, TestTurn.inMemory(), "session/prompt=say:Error: " + text);

    assertThat(result.cause()).as(result.summary()).isEqualTo(cause);
    assertThat(result.outcome()).isEqualTo(outcome);
    assertThat(Files.readString(folder.resolve("arguments")))
        .startsWith("--acp\n--model\nbig\n--additional-mcp-config\n{");
  }

  @Test
  void geminiTokens_areCounted() throws Exception {
    AgentResult result =
        run(
            AcpClient.GEMINI,
            TestTurn.inMemory(),
            "session/prompt=result_after_text:{\"stopReason\":\"end_turn\",\"_meta\":{\"quota\":"
                + "{\"token_count\":{\"input_tokens\":30,\"output_tokens\":5}}}}");

    assertThat(result.outcome()).as(result.summary()).isEqualTo(Outcome.SUCCESS);
    assertThat(result.usage().inputTokens()).isEqualTo(30);
    assertThat(result.usage().outputTokens()).isEqualTo(5);
  }

  @Test
  void geminiTitle_namesTool() throws Exception {
    TestTurn turn = TestTurn.inMemory();
    RunRecord record = new RunRecord(turn::output, turn::record);
    AcpUpdates updates =
        new AcpUpdates(AcpClient.GEMINI, record, new AcpUsage(record, Prices.builtIn()));

    updates.accept(
        JSON.readTree(
            "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"kind\":\"other\","
                + "\"status\":\"completed\",\"title\":\"task_next (ralph MCP Server)\"}"));

    assertThat(turn.records().get(0).string("tool")).isEqualTo("task_next");
  }

  /** A changed client is a likely reason for an unclear failure. */
  @Test
  void unclearFailure_namesUntestedVersion() throws Exception {
    TestTurn turn = TestTurn.inMemory();

    AgentResult result = run(AcpClient.GEMINI, turn, "session/prompt=exit:3");

    assertThat(result.outcome()).isEqualTo(Outcome.FAILURE);
    assertThat(turn.notices())
        .containsExactly("tested with Gemini CLI 0.61.0, found version 0.0.1");
  }

  @Test
  void modelOfKilo_isSelectedInSession() throws Exception {
    AgentResult result = run(AcpClient.KILO, TestTurn.inMemory(), "session/prompt=told");

    assertThat(result.summary()).contains("session/set_config_option", "big");
    assertThat(Files.readString(folder.resolve("arguments"))).isEqualTo("acp\n");
  }
}

package dev.ralph.agents;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Turn;
import dev.ralph.tool.McpServerCommand;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Claude Code as an agent: each iteration is a {@code claude -p} of its own.
 *
 * <p>What the user has configured counts and is never changed; the session's tools come as one more
 * tool server, by an argument. Where it is not connected the iteration fails, since Claude Code
 * would work without it.
 *
 * <p>Nobody is there to be asked, so the agent may edit files in the folder it works in, run any
 * shell command, and use the session's tools. Arguments that say what is permitted, such as {@code
 * --permission-mode} or {@code --allowedTools}, take the place of that; the session's tools stay
 * permitted.
 *
 * <p>It is told how much it may cost, where that is limited, and ends by itself when that is used
 * up. Until it tells what it has cost, which it does at its end, its tokens are valued by prices.
 *
 * <p>Immutable, and safe for use by many loops.
 */
public final class ClaudeAgent implements Agent {

  /** What Claude Code puts before the names of the session's tools. */
  public static final String TOOL_PREFIX = "mcp__ralph__";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MOST_RETRIES = "CLAUDE_CODE_MAX_RETRIES";
  private static final String TOOL_SEARCH = "ENABLE_TOOL_SEARCH";
  private static final String TOOLS_START = "MCP_TIMEOUT";

  /** How long the session's tools may take to start: on a busy machine its own 30 s are short. */
  private static final Duration LONGEST_TOOLS_START = Duration.ofMinutes(2);

  private static final String SETTINGS = "--settings";
  private static final String BUDGET = "--max-budget-usd";
  private static final String BUDGET_NOT_KNOWN = "unknown option '" + BUDGET + "'";
  private static final int BUDGET_DECIMALS = 6;
  private static final int HOOK_SECONDS = 30;

  /** Arguments that say what is permitted. */
  private static final List<String> PERMISSIONS =
      List.of(
          "--permission-mode",
          "--allowedTools",
          "--allowed-tools",
          "--dangerously-skip-permissions",
          "--restricted",
          "--tools");

  private final ClientSettings settings;
  private final TestedVersion version;

  private ClaudeAgent(Builder builder) {
    settings = builder.settings();
    version = new TestedVersion(ClientName.CLAUDE, settings);
  }

  /** Begins an agent that runs {@code claude} as found on the PATH. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns true: what the agent can do is in its prompt. */
  @Override
  public boolean needsTools() {
    return true;
  }

  /**
   * Runs one iteration.
   *
   * @return SUCCESS with the agent's last words; RATE_LIMITED, with the wait asked for where that
   *     was said; FATAL if Claude Code is not installed or not logged in, or if the prompt is too
   *     long for it; else FAILURE, with its cause
   */
  @Override
  public AgentResult run(Turn turn) {
    // It would keep it by its own idea of the price, which a table of the user's puts right.
    boolean itsOwn = settings.prices().isBuiltIn() && !settings.argumentsHaveAnyOf(List.of(BUDGET));
    BigDecimal budget = itsOwn ? turn.maxCost() : null;
    AgentResult result = run(turn, budget);
    if (budget != null && ClientRun.isRefused(result, BUDGET_NOT_KNOWN)) {
      turn.notice(
          "this Claude Code is too old to keep a budget itself, so it is kept by what its tokens"
              + " cost");
      result = run(turn, null);
    }
    return version.note(turn, result);
  }

  private AgentResult run(Turn turn, @Nullable BigDecimal budget) {
    RunRecord record = new RunRecord(turn::output, turn::record);
    record.put(settings.client(ClientName.CLAUDE));
    ClaudeEvents events = new ClaudeEvents(record, settings.tools(), settings.prices());
    AgentResult result =
        ClientRun.toTheEnd(
            ClientName.CLAUDE,
            settings,
            settings.command(turn, arguments(budget), variables(turn)),
            turn,
            record,
            events,
            Optional::empty,
            (code, stderr) -> unproven(code, events));
    return result.usage(record.usage());
  }

  /** A run that never said what tools it has must not pass for one that had them. */
  private Optional<AgentResult> unproven(int code, ClaudeEvents events) {
    McpServerCommand tools = settings.tools();
    return code == 0 && tools != null && !events.started()
        ? Optional.of(ToolsMissing.of(ClientName.CLAUDE, tools, "as far as it said"))
        : Optional.empty();
  }

  private List<String> arguments(@Nullable BigDecimal budget) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                // Else it tells only at its end how much its model has written.
                "--include-partial-messages"));
    if (settings.model() != null) {
      all.addAll(List.of("--model", settings.model()));
    }
    if (budget != null) {
      // Not less than what is left, else it would end before that is used up.
      BigDecimal dollars = budget.setScale(BUDGET_DECIMALS, RoundingMode.CEILING);
      all.addAll(List.of(BUDGET, dollars.toPlainString()));
    }
    McpServerCommand tools = settings.tools();
    if (tools != null) {
      all.addAll(List.of("--mcp-config", configuration(tools)));
      if (!settings.argumentsHaveAnyOf(List.of(SETTINGS))) {
        all.addAll(List.of(SETTINGS, hooks()));
      }
    }
    List<String> allowed = new ArrayList<>();
    if (tools != null) {
      allowed.add("mcp__" + ClientSettings.TOOL_SERVER);
    }
    if (!settings.argumentsHaveAnyOf(PERMISSIONS)) {
      allowed.add("Bash");
      all.addAll(List.of("--permission-mode", "acceptEdits"));
    }
    if (!allowed.isEmpty()) {
      // One word: a list would go on over the arguments that follow.
      all.addAll(List.of("--allowedTools", String.join(",", allowed)));
    }
    all.addAll(settings.arguments());
    return all;
  }

  /** Its variables are not here: a server inherits the client's environment. */
  private static String configuration(McpServerCommand tools) {
    ObjectNode config = JSON.createObjectNode();
    ObjectNode server = config.putObject("mcpServers").putObject(ClientSettings.TOOL_SERVER);
    server.put("type", "stdio").put("command", literal(tools.command().get(0)));
    ArrayNode arguments = server.putArray("args");
    ClientSettings.argumentsOf(tools).forEach(argument -> arguments.add(literal(argument)));
    return config.toString();
  }

  /** After each call of a tool the agent is told of the operator's messages. */
  private static String hooks() {
    ObjectNode config = JSON.createObjectNode();
    for (String event : List.of("PostToolUse", "PostToolUseFailure")) {
      config
          .withObject("/hooks")
          .putArray(event)
          .addObject()
          .putArray("hooks")
          .addObject()
          .put("type", "mcp_tool")
          .put("server", ClientSettings.TOOL_SERVER)
          .put("tool", McpServerCommand.HOOK_TOOL)
          .put("timeout", HOOK_SECONDS)
          .putObject("input")
          .put("after", "${tool_name}")
          .put("event", event)
          .put("agent", "${agent_id}");
    }
    return config.toString();
  }

  /** Claude Code puts a variable's value for {@code ${NAME}}, or the text after {@code :-}. */
  private static String literal(String text) {
    return text.replace("${", "${RALPH_NEVER_SET:-$}{");
  }

  private Map<String, String> variables(Turn turn) {
    Map<String, String> variables = new TreeMap<>();
    if (settings.tools() != null && settings.variable(TOOL_SEARCH) == null) {
      // Else the model has to search for the session's tools before it can call one.
      variables.put(TOOL_SEARCH, "false");
    }
    if (settings.tools() != null && settings.variable(TOOLS_START) == null) {
      variables.put(TOOLS_START, String.valueOf(LONGEST_TOOLS_START.toMillis()));
    }
    if (turn.deadline() != null && settings.variable(MOST_RETRIES) == null) {
      // Then it ends by itself in time to say what was wrong, which it does not with each retry.
      variables.put(MOST_RETRIES, String.valueOf(Retries.ENOUGH - 1));
    }
    return variables;
  }

  /** Sets up a {@link ClaudeAgent}. For one thread. */
  public static final class Builder extends ClientBuilder<Builder> {

    private Builder() {
      super("claude");
    }

    @Override
    Builder self() {
      return this;
    }

    @Override
    public ClaudeAgent build() {
      return new ClaudeAgent(this);
    }
  }
}

package dev.ralph.agents;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Turn;
import dev.ralph.agents.internal.ClientName;
import dev.ralph.internal.HookTool;
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
 * Runs Claude Code as an agent. Each iteration runs a separate {@code claude -p}.
 *
 * <p>The user's configuration applies and is never changed. An argument adds the session's tools as
 * a tool server. The iteration fails if this server is not connected, because Claude Code would
 * continue without it.
 *
 * <p>No person is present, so the agent may edit files in its working folder, run any shell command
 * and use the session's tools. Permission arguments, such as {@code --permission-mode} or {@code
 * --allowedTools}, replace these permissions. The session's tools stay permitted.
 *
 * <p>If the cost is limited, Claude Code receives the budget and stops when it is used up. Claude
 * Code reports the cost only at the end. Until then, its tokens are valued by prices.
 *
 * <p>Immutable, and safe for use by many loops.
 */
public final class ClaudeAgent implements Agent {

  /** The prefix of Claude Code for the names of the session's tools. */
  public static final String TOOL_PREFIX = "mcp__ralph__";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MOST_RETRIES = "CLAUDE_CODE_MAX_RETRIES";
  private static final String TOOL_SEARCH = "ENABLE_TOOL_SEARCH";
  private static final String TOOLS_START = "MCP_TIMEOUT";

  /**
   * The time limit for the start of the session's tools. The default of 30 seconds is too short on
   * a busy machine.
   */
  private static final Duration LONGEST_TOOLS_START = Duration.ofMinutes(2);

  private static final String SETTINGS = "--settings";
  private static final String BUDGET = "--max-budget-usd";
  private static final String BUDGET_NOT_KNOWN = "unknown option '" + BUDGET + "'";
  private static final int BUDGET_DECIMALS = 6;
  private static final int HOOK_SECONDS = 30;

  /** Permission arguments. */
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

  /** Returns a builder of an agent that runs {@code claude} from the PATH. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns true: the agent reaches the session only through the tools described in the prompt. */
  @Override
  public boolean needsTools() {
    return true;
  }

  /**
   * Runs an iteration.
   *
   * @return SUCCESS with the agent's last message; RATE_LIMITED with the requested wait, if known;
   *     FATAL if Claude Code is not installed or not logged in, or if the prompt is too long;
   *     otherwise FAILURE with the cause
   */
  @Override
  public AgentResult run(Turn turn) {
    // Claude Code values the budget by its own prices, which differ from a user's table.
    boolean itsOwn = settings.prices().isBuiltIn() && !settings.argumentsHaveAnyOf(List.of(BUDGET));
    BigDecimal budget = itsOwn ? turn.maxCost() : null;
    AgentResult result = run(turn, budget);
    if (budget != null && ClientRun.isRefused(result, BUDGET_NOT_KNOWN)) {
      turn.notice(
          "this Claude Code is too old to enforce a budget; the loop enforces the budget from"
              + " token costs");
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

  /**
   * Returns a failure if the client did not report its tools, because they may have been missing.
   */
  private Optional<AgentResult> unproven(int code, ClaudeEvents events) {
    McpServerCommand tools = settings.tools();
    return code == 0 && tools != null && !events.started()
        ? Optional.of(ToolsMissing.of(ClientName.CLAUDE, tools, "according to its output"))
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
                // Without this option, output tokens are reported only at the end.
                "--include-partial-messages"));
    if (settings.model() != null) {
      all.addAll(List.of("--model", settings.model()));
    }
    if (budget != null) {
      // Rounded up, because a lower budget would end the run before the budget is used up.
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
      // A single argument. A list would also consume the arguments that follow.
      all.addAll(List.of("--allowedTools", String.join(",", allowed)));
    }
    all.addAll(settings.arguments());
    return all;
  }

  /**
   * Returns the configuration of the tool server. The configuration contains no variables, because
   * a server inherits the client's environment.
   */
  private static String configuration(McpServerCommand tools) {
    ObjectNode config = JSON.createObjectNode();
    ObjectNode server = config.putObject("mcpServers").putObject(ClientSettings.TOOL_SERVER);
    server.put("type", "stdio").put("command", literal(tools.command().get(0)));
    ArrayNode arguments = server.putArray("args");
    ClientSettings.argumentsOf(tools).forEach(argument -> arguments.add(literal(argument)));
    return config.toString();
  }

  /** Returns the hooks that pass the operator's messages to the agent after each tool call. */
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
          .put("tool", HookTool.NAME)
          .put("timeout", HOOK_SECONDS)
          .putObject("input")
          .put("after", "${tool_name}")
          .put("event", event)
          .put("agent", "${agent_id}");
    }
    return config.toString();
  }

  /** Escapes a text for Claude Code, which expands {@code ${NAME}} and {@code ${NAME:-DEFAULT}}. */
  private static String literal(String text) {
    return text.replace("${", "${RALPH_NEVER_SET:-$}{");
  }

  private Map<String, String> variables(Turn turn) {
    Map<String, String> variables = new TreeMap<>();
    if (settings.tools() != null && settings.variable(TOOL_SEARCH) == null) {
      // Otherwise the model must search for the session's tools before it can call them.
      variables.put(TOOL_SEARCH, "false");
    }
    if (settings.tools() != null && settings.variable(TOOLS_START) == null) {
      variables.put(TOOLS_START, String.valueOf(LONGEST_TOOLS_START.toMillis()));
    }
    if (turn.deadline() != null && settings.variable(MOST_RETRIES) == null) {
      // With fewer retries, Claude Code stops early enough to report the error of its model.
      variables.put(MOST_RETRIES, String.valueOf(Retries.ENOUGH - 1));
    }
    return variables;
  }

  /** Builds a {@link ClaudeAgent}. Not thread-safe. */
  public static final class Builder extends ClientBuilder<Builder> {

    private Builder() {
      super("claude");
    }

    @Override
    Builder self() {
      return this;
    }

    @Override
    String usualPermissions() {
      return "edit files and run commands (--permission-mode acceptEdits --allowedTools Bash)";
    }

    @Override
    List<String> permissionArguments() {
      ClientSettings settings = settings();
      return settings.argumentsHaveAnyOf(PERMISSIONS) ? settings.arguments() : List.of();
    }

    @Override
    public ClaudeAgent build() {
      return new ClaudeAgent(this);
    }
  }
}

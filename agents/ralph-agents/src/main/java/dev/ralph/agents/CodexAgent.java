package dev.ralph.agents;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.agents.internal.ClientName;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.core.internal.process.ProcessMark;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs Codex as an agent. Each iteration runs a separate {@code codex exec}.
 *
 * <p>The user's configuration applies and is never changed. Arguments add the session's tools as a
 * tool server, and Codex does not start without this server.
 *
 * <p>No person is present, so the agent runs in Codex's sandbox and is never asked. The agent may
 * write to its working folder, to the git repository of this folder for commits, and to the
 * temporary folder. The sandbox has no network. Permission arguments, such as {@code --sandbox},
 * replace these permissions.
 *
 * <p>The usage is read during the run from the files in which Codex stores its sessions. Without
 * these files, as with {@code --ephemeral}, the usage is known only at the end of an iteration.
 *
 * <p>Immutable, and safe for use by many loops.
 */
public final class CodexAgent implements Agent {

  /** The prefix of Codex for the names of the session's tools. */
  public static final String TOOL_PREFIX = "mcp__ralph__";

  /** The longest prompt that Codex accepts, in characters. */
  static final int LONGEST_PROMPT = 1_048_576;

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Permission arguments. */
  private static final List<String> PERMISSIONS =
      List.of(
          "-s",
          "--sandbox",
          "--approve-for-me",
          "--dangerously-bypass-approvals-and-sandbox",
          "--yolo",
          "--full-auto",
          "-p",
          "--profile");

  private static final List<String> PERMISSION_KEYS =
      List.of("sandbox_mode", "approval_policy", "default_permissions");

  /**
   * The start limit in seconds. Codex waits for a required server, which may start slowly on a busy
   * machine.
   */
  private static final int SERVER_START_LIMIT = 60;

  private static final int TOOL_LIMIT = 3_600;
  private static final String EPHEMERAL = "--ephemeral";

  private final ClientSettings settings;
  private final TestedVersion version;
  private final AtomicBoolean reportedLate = new AtomicBoolean();

  private CodexAgent(Builder builder) {
    settings = builder.settings();
    version = new TestedVersion(ClientName.CODEX, settings);
  }

  /** Returns a builder of an agent that runs {@code codex} from the PATH. */
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
   *     FATAL if Codex is not installed or not logged in, or if the prompt is too long; otherwise
   *     FAILURE with the cause
   */
  @Override
  public AgentResult run(Turn turn) {
    int length = turn.prompt().codePointCount(0, turn.prompt().length());
    if (length > LONGEST_PROMPT) {
      return AgentResult.fatal(
              "the prompt has "
                  + length
                  + " characters; Codex accepts "
                  + LONGEST_PROMPT
                  + " at most; shorten the template or the spec")
          .cause(Cause.PROMPT_TOO_LONG);
    }
    AgentResult result = run(turn, settings.tools() != null);
    if (ClientRun.isRefused(result, CodexHook.NOT_KNOWN)) {
      turn.notice(
          "this Codex is too old to deliver messages after calls of its own tools; messages"
              + " arrive with the session's tools only");
      result = run(turn, false);
    }
    return version.note(turn, result);
  }

  private AgentResult run(Turn turn, boolean withHook) {
    RunRecord record = new RunRecord(turn::output, turn::record);
    record.put(settings.client(ClientName.CODEX));
    Path home = home(turn);
    CodexRollouts rollouts = new CodexRollouts(home, record, settings.prices(), settings.model());
    CodexEvents events = new CodexEvents(record, rollouts);
    if (settings.argumentsHaveAnyOf(List.of(EPHEMERAL))) {
      reportLateUsage(turn, EPHEMERAL + " prevents a usage file");
    }
    ClientRun.Watch watch =
        () -> {
          rollouts.findNewFiles();
          if (rollouts.isMissing()) {
            reportLateUsage(turn, "no usage file in " + home);
          }
          return Optional.empty();
        };
    AgentResult result =
        ClientRun.toTheEnd(
            ClientName.CODEX,
            settings,
            settings.command(turn, arguments(turn, withHook), Map.of()),
            turn,
            record,
            events,
            watch,
            this::exited);
    rollouts.end();
    Usage used = record.usage();
    boolean known = rollouts.isFound() || events.hasReportedUsage() || !record.answered();
    return result.usage(known ? used : used.plus(Usage.UNKNOWN));
  }

  private void reportLateUsage(Turn turn, String why) {
    if (!reportedLate.getAndSet(true)) {
      turn.notice(
          "Codex reports usage only at the end: "
              + why
              + "; limits of tokens or cost apply only then");
    }
  }

  private Path home(Turn turn) {
    String home = settings.variable("CODEX_HOME");
    String user = settings.variable("HOME");
    Path own = Path.of(user == null ? System.getProperty("user.home") : user, ".codex");
    return home == null ? own : ClientSettings.directory(turn).resolve(home);
  }

  /**
   * Returns a failure for an error before the first turn, which Codex prints to standard error with
   * a stack trace.
   */
  private Optional<AgentResult> exited(int code, OutputTail stderr) {
    if (code == 0) {
      return Optional.empty();
    }
    Optional<String> said = stderr.lastLineFrom("Error: ");
    McpServerCommand tools = settings.tools();
    if (tools != null && said.filter(line -> line.contains("required MCP servers")).isPresent()) {
      return Optional.of(ToolsMissing.of(ClientName.CODEX, tools, said.get()));
    }
    return said.map(
        line -> AgentResult.failure("Codex ended with " + ProcessExit.words(code) + ": " + line));
  }

  private List<String> arguments(Turn turn, boolean withHook) {
    List<String> all = new ArrayList<>(List.of("exec", "--json", "--skip-git-repo-check"));
    if (settings.model() != null) {
      all.addAll(List.of("--model", settings.model()));
    }
    if (!permissionsGiven()) {
      all.addAll(List.of("--sandbox", "workspace-write"));
      set(all, "approval_policy", "\"never\"");
      // A repository is not writable by default, even inside the working folder.
      for (Path repository : GitFolders.of(ClientSettings.directory(turn))) {
        all.addAll(List.of("--add-dir", repository.toString()));
      }
    }
    if (turn.deadline() != null) {
      // Otherwise Codex waits without end for an unreachable network, and retries rarely.
      all.addAll(List.of("--disable", "unbounded_connection_retries"));
    }
    McpServerCommand tools = settings.tools();
    if (tools != null) {
      String server = "mcp_servers." + ClientSettings.TOOL_SERVER + ".";
      set(all, server + "command", text(tools.command().get(0)));
      set(all, server + "args", list(ClientSettings.argumentsOf(tools)));
      set(all, server + "env_vars", list(variables(turn, tools)));
      set(all, server + "required", "true");
      set(all, server + "default_tools_approval_mode", "\"approve\"");
      set(all, server + "startup_timeout_sec", String.valueOf(SERVER_START_LIMIT));
      set(all, server + "tool_timeout_sec", String.valueOf(TOOL_LIMIT));
    }
    if (withHook) {
      set(all, "hooks", CodexHook.setting());
    }
    all.addAll(settings.arguments());
    all.add("-");
    return all;
  }

  /**
   * Returns the variables to pass on, because a server of Codex receives only the named variables.
   * The process mark identifies the server.
   */
  private static Set<String> variables(Turn turn, McpServerCommand tools) {
    Set<String> names = new TreeSet<>(tools.environment().keySet());
    names.add(ProcessMark.VARIABLE);
    if (turn.agent() > 0) {
      names.add(Turn.AGENT);
    }
    return names;
  }

  private boolean permissionsGiven() {
    return permissionsGiven(settings);
  }

  private static boolean permissionsGiven(ClientSettings settings) {
    return settings.argumentsHaveAnyOf(PERMISSIONS)
        || settings.arguments().stream()
            .anyMatch(given -> PERMISSION_KEYS.stream().anyMatch(given::contains));
  }

  private static void set(List<String> arguments, String key, String value) {
    arguments.addAll(List.of("-c", key + "=" + value));
  }

  /**
   * Returns a TOML string. A JSON string is a TOML string after DEL, which JSON does not escape, is
   * escaped.
   */
  private static String text(String text) {
    return JSON.getNodeFactory().textNode(text).toString().replace("\u007f", "\\u007f");
  }

  private static String list(Collection<String> texts) {
    ArrayNode list = JSON.createArrayNode();
    texts.forEach(list::add);
    return list.toString().replace("\u007f", "\\u007f");
  }

  /** Builds a {@link CodexAgent}. Not thread-safe. */
  public static final class Builder extends ClientBuilder<Builder> {

    private Builder() {
      super("codex");
    }

    @Override
    Builder self() {
      return this;
    }

    @Override
    String usualPermissions() {
      return "write in the folder and its repository, no network (--sandbox workspace-write,"
          + " approval_policy never)";
    }

    @Override
    List<String> permissionArguments() {
      ClientSettings settings = settings();
      return permissionsGiven(settings) ? settings.arguments() : List.of();
    }

    @Override
    public CodexAgent build() {
      return new CodexAgent(this);
    }
  }
}

package dev.ralph.agents;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.tool.McpServerCommand;
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
 * Codex as an agent: each iteration is a {@code codex exec} of its own.
 *
 * <p>What the user has configured counts and is never changed; the session's tools come as one more
 * tool server, by arguments, and Codex does not begin without it.
 *
 * <p>Nobody is there to be asked, so the agent runs in Codex's own sandbox: it may write in the
 * folder it works in, in that folder's git repository so that it can commit, and in the folder for
 * temporary files, has no network, and is never asked. Arguments that say what is permitted, such
 * as {@code --sandbox}, take the place of that.
 *
 * <p>What it uses is read while it works, from the files in which Codex keeps its sessions. Without
 * them, as with {@code --ephemeral}, it is known at the end of an iteration only.
 *
 * <p>Immutable, and safe for use by many loops.
 */
public final class CodexAgent implements Agent {

  /** What Codex puts before the names of the session's tools. */
  public static final String TOOL_PREFIX = "mcp__ralph__";

  /** The most characters that Codex takes as a prompt. */
  static final int LONGEST_PROMPT = 1_048_576;

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Arguments that say what is permitted. */
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

  /** In seconds. Codex waits for a server that it requires; a busy machine may need some time. */
  private static final int SERVER_START_LIMIT = 60;

  private static final int TOOL_LIMIT = 3_600;
  private static final String EPHEMERAL = "--ephemeral";

  private final ClientSettings settings;
  private final TestedVersion version;
  private final AtomicBoolean saidLate = new AtomicBoolean();

  private CodexAgent(Builder builder) {
    settings = builder.settings();
    version = new TestedVersion(ClientName.CODEX, settings);
  }

  /** Begins an agent that runs {@code codex} as found on the PATH. */
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
   *     was said; FATAL if Codex is not installed or not logged in, or if the prompt is too long
   *     for it; else FAILURE, with its cause
   */
  @Override
  public AgentResult run(Turn turn) {
    int length = turn.prompt().codePointCount(0, turn.prompt().length());
    if (length > LONGEST_PROMPT) {
      return AgentResult.fatal(
              "the prompt has "
                  + length
                  + " characters and Codex takes "
                  + LONGEST_PROMPT
                  + " at most; shorten the template or the spec")
          .cause(Cause.PROMPT_TOO_LONG);
    }
    AgentResult result = run(turn, settings.tools() != null);
    if (ClientRun.isRefused(result, CodexHook.NOT_KNOWN)) {
      turn.notice(
          "this Codex is too old to hand on messages after calls of its own tools, so they come"
              + " with the session's tools only");
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
      sayThatUsageComesLate(turn, EPHEMERAL + " lets it keep no file of it");
    }
    ClientRun.Watch watch =
        () -> {
          rollouts.lookForMore();
          if (rollouts.isMissing()) {
            sayThatUsageComesLate(turn, "it keeps no file of it in " + home);
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
    boolean known = rollouts.isFound() || events.hasToldUsage() || !record.answered();
    return result.usage(known ? used : used.plus(Usage.UNKNOWN));
  }

  private void sayThatUsageComesLate(Turn turn, String why) {
    if (!saidLate.getAndSet(true)) {
      turn.notice(
          "what Codex uses is known only at its end, because "
              + why
              + "; until then no limit of tokens or cost can end it");
    }
  }

  private Path home(Turn turn) {
    String home = settings.variable("CODEX_HOME");
    String user = settings.variable("HOME");
    Path own = Path.of(user == null ? System.getProperty("user.home") : user, ".codex");
    return home == null ? own : ClientSettings.directory(turn).resolve(home);
  }

  /** What goes wrong before the first turn is told on standard error, with a trace of the stack. */
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
      // A repository is not writable by itself, even where it lies in the folder to work in.
      for (Path repository : GitFolders.of(ClientSettings.directory(turn))) {
        all.addAll(List.of("--add-dir", repository.toString()));
      }
    }
    if (turn.deadline() != null) {
      // Else it waits for an unreachable network without end, and asks seldom.
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

  /** A server of Codex has no more of its environment than is named; the mark is to find it by. */
  private static Set<String> variables(Turn turn, McpServerCommand tools) {
    Set<String> names = new TreeSet<>(tools.environment().keySet());
    names.add(ProcessMark.VARIABLE);
    if (turn.agent() > 0) {
      names.add(Turn.AGENT);
    }
    return names;
  }

  private boolean permissionsGiven() {
    return settings.argumentsHaveAnyOf(PERMISSIONS)
        || settings.arguments().stream()
            .anyMatch(given -> PERMISSION_KEYS.stream().anyMatch(given::contains));
  }

  private static void set(List<String> arguments, String key, String value) {
    arguments.addAll(List.of("-c", key + "=" + value));
  }

  /** A JSON string is a TOML string too, once the one character is escaped that JSON leaves. */
  private static String text(String text) {
    return JSON.getNodeFactory().textNode(text).toString().replace("\u007f", "\\u007f");
  }

  private static String list(Collection<String> texts) {
    ArrayNode list = JSON.createArrayNode();
    texts.forEach(list::add);
    return list.toString().replace("\u007f", "\\u007f");
  }

  /** Sets up a {@link CodexAgent}. For one thread. */
  public static final class Builder extends ClientBuilder<Builder> {

    private Builder() {
      super("codex");
    }

    @Override
    Builder self() {
      return this;
    }

    @Override
    public CodexAgent build() {
      return new CodexAgent(this);
    }
  }
}

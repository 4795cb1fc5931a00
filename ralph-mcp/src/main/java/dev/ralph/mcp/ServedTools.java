package dev.ralph.mcp;

import dev.ralph.Engine;
import dev.ralph.HostTools;
import dev.ralph.Ralph;
import dev.ralph.ToolSettings;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import dev.ralph.tool.McpServerCommand;
import dev.ralph.tool.ToolDefinition;
import dev.ralph.tool.ToolResult;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tools as a client calls them: those of one session, or each call with the name of its own.
 * Safe for use by many threads.
 */
final class ServedTools implements AutoCloseable {

  private static final String SESSION = "session_name";

  /** The tools that begin a session. */
  private static final Set<String> CREATING = Set.of("task_add", "note_add", "ask");

  /** Runs gates, which may take long. */
  private static final String COMPLETION = "session_complete";

  private final @Nullable String session;
  private final Engine engine;
  private final ToolSettings settings;
  private final List<HostTools> others;
  private final Supplier<Ralph> store;
  private final Map<String, AgentTools> open = new ConcurrentHashMap<>();

  /** The named sessions that have frames. */
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  /** What the agent was told last with a result beside the result itself. */
  private volatile String toldLast = "";

  /**
   * @param session the session that all calls are for, or null if each names its own
   * @param store is asked in the thread of a call
   * @param engine knows the tools of a session
   * @param others the host's own tools
   */
  ServedTools(
      @Nullable String session,
      Supplier<Ralph> store,
      Engine engine,
      ToolSettings settings,
      List<HostTools> others) {
    this.session = session;
    this.store = store;
    this.engine = engine;
    this.settings = settings;
    this.others = others;
  }

  /** Returns the names of the tools that a model is told of. */
  List<String> names() {
    return definitions().map(ToolDefinition::name).toList();
  }

  private Stream<ToolDefinition> definitions() {
    return Stream.concat(
        engine.toolDefinitions().stream(),
        others.stream().flatMap(tools -> tools.definitions().stream()));
  }

  boolean has(String name) {
    return name.equals(McpServerCommand.HOOK_TOOL) || names().contains(name);
  }

  /** Returns what a client is told of the host's own tools, after a blank; or nothing. */
  String instructions() {
    StringBuilder all = new StringBuilder();
    for (HostTools tools : others) {
      String text = tools.instructions();
      all.append(text.isEmpty() ? "" : " ").append(text);
    }
    return all.toString();
  }

  /** Returns what is to be told with a result, which the host's own tools say; or nothing. */
  private String hint() {
    StringBuilder all = new StringBuilder();
    for (HostTools tools : others) {
      try {
        String text = tools.hint(store.get());
        all.append(text.isEmpty() || all.isEmpty() ? "" : "\n").append(text);
      } catch (RuntimeException e) {
        System.getLogger(ServedTools.class.getName())
            .log(Level.DEBUG, "a hint could not be given with a result; the next one has it", e);
      }
    }
    toldLast = all.toString();
    return toldLast;
  }

  /** Returns what {@link #hint()} does, unless the agent was told the same before. */
  private String newHint() {
    String before = toldLast;
    String hint = hint();
    return hint.equals(before) ? "" : hint;
  }

  /** Returns whether calls of a tool are made one at a time, because they change something. */
  boolean isQueued(String name) {
    return !name.equals(COMPLETION)
        && definitions().anyMatch(tool -> tool.name().equals(name) && !tool.readOnly());
  }

  /** Returns what a client is told of them. */
  List<Meta> list() {
    return definitions().map(this::described).toList();
  }

  private Meta described(ToolDefinition tool) {
    return Meta.of("name", tool.name())
        .with("description", tool.description())
        .with(
            "inputSchema",
            owner(tool.name()) == null
                ? withSession(Meta.parse(tool.schema()))
                : Meta.parse(tool.schema()))
        .with(
            "annotations",
            Meta.of("readOnlyHint", tool.readOnly())
                .with("destructiveHint", false)
                .with("openWorldHint", false));
  }

  /** Returns a tool's schema with the session's name as the first of its arguments. */
  private Meta withSession(Meta schema) {
    Meta name =
        Meta.of("type", "string")
            .with("description", session == null ? "Session to work on" : "Not needed");
    Meta properties = Meta.of(SESSION, name);
    Meta own = schema.object("properties");
    if (own != null) {
      for (String key : own.keys()) {
        properties = properties.with(key, own.value(key));
      }
    }
    Meta described = schema.with("properties", properties);
    return session == null ? described.with("required", required(schema)) : described;
  }

  private static List<String> required(Meta schema) {
    List<String> required = new ArrayList<>(List.of(SESSION));
    required.addAll(schema.strings("required"));
    return required;
  }

  /**
   * Begins a call.
   *
   * @param given the arguments, or null for none
   * @throws RalphException if it is for no session
   */
  AgentTools.Call begin(String tool, @Nullable Meta given) {
    Meta arguments = given == null ? Meta.empty() : given;
    HostTools owner = owner(tool);
    if (owner != null) {
      AgentTools.Call messages = session == null ? null : open(session).beginMessages();
      return new Hinted(new OwnCall(store, owner.begin(store, tool, arguments), messages));
    }
    AgentTools open;
    String name;
    try {
      name = named(arguments);
      open = open(name);
    } catch (RalphException e) {
      if (tool.equals(McpServerCommand.HOOK_TOOL)) {
        return SteeringHook.SILENT;
      }
      throw e;
    }
    return tool.equals(McpServerCommand.HOOK_TOOL)
        ? SteeringHook.begin(open, arguments, names(), this::newHint)
        : new Hinted(begin(open, name, tool, arguments.without(SESSION)));
  }

  private AgentTools.Call begin(AgentTools open, String name, String tool, Meta arguments) {
    AgentTools.Call call = open.begin(tool, arguments);
    return session == null && !known.contains(name) ? new FirstCall(call, name, tool) : call;
  }

  /** Returns the host's own tools that the one of that name is among, or null if it is none. */
  private @Nullable HostTools owner(String name) {
    for (HostTools tools : others) {
      if (tools.definitions().stream().anyMatch(tool -> tool.name().equals(name))) {
        return tools;
      }
    }
    return null;
  }

  private AgentTools open(String name) {
    return open.computeIfAbsent(
        name, missing -> engine.openTools(() -> store.get().session(missing), settings));
  }

  /** Returns the name of the session that a call is for. */
  private String named(Meta arguments) {
    Object given = arguments.value(SESSION);
    if (given != null && !(given instanceof String)) {
      throw RalphException.invalid(SESSION + " must be a text");
    }
    String name = given == null || given.toString().isBlank() ? session : given.toString();
    if (name == null) {
      throw RalphException.invalid(SESSION + " required");
    }
    if (session != null && !session.equals(name)) {
      throw RalphException.invalid(
          "this server is for session "
              + session
              + ", not "
              + RalphException.quote(name)
              + "; leave session_name out");
    }
    return name;
  }

  /** Gives back what the agent holds. */
  @Override
  public void close() {
    open.values().forEach(AgentTools::close);
    RuntimeException failure = null;
    for (HostTools tools : others) {
      try {
        tools.close();
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * A call of one of the host's own tools.
   *
   * @param messages adds what the operator has sent, or null where no session is served
   */
  private record OwnCall(
      Supplier<Ralph> store, AgentTools.Call own, AgentTools.@Nullable Call messages)
      implements AgentTools.Call {

    @Override
    public ToolResult run(Consumer<String> progress) {
      Ralph unused = store.get(); // if it can't be opened, no messages can be read either
      ToolResult result;
      try {
        result = own.run(progress);
      } catch (RalphException e) {
        result = ToolResult.error(String.valueOf(e.getMessage()));
      }
      String news = news(progress);
      return news.isEmpty() ? result : result.plus("\n\n" + news);
    }

    private String news(Consumer<String> progress) {
      try {
        return messages == null ? "" : messages.run(progress).text();
      } catch (RalphException e) {
        // They stay unread, and come with the next call or prompt.
        System.getLogger(ServedTools.class.getName())
            .log(Level.WARNING, "messages could not be shown with a reply; they stay unread", e);
        return "";
      }
    }

    @Override
    public void answered() {
      if (messages != null) {
        messages.answered();
      }
      own.answered();
    }
  }

  /** A call that names a session of which this server does not know yet whether it exists. */
  private final class FirstCall implements AgentTools.Call {

    private final AgentTools.Call call;
    private final String name;
    private final String tool;

    FirstCall(AgentTools.Call call, String name, String tool) {
      this.call = call;
      this.name = name;
      this.tool = tool;
    }

    @Override
    public ToolResult run(Consumer<String> progress) {
      try {
        Ralph ralph = store.get();
        if (ralph.hasSession(name)) {
          known.add(name);
        } else {
          SessionName typed = new SessionName(name);
          String problem =
              CREATING.contains(tool)
                  ? typed.confusedWith(ralph.sessions())
                  : typed.unknown(ralph.sessions());
          if (problem != null) {
            return ToolResult.error(problem);
          }
        }
      } catch (RalphException e) {
        return ToolResult.error(String.valueOf(e.getMessage()));
      }
      return call.run(progress);
    }

    @Override
    public void answered() {
      call.answered();
    }
  }

  /** A call whose result is shown with what the host's own tools have to say. */
  private final class Hinted implements AgentTools.Call {

    private final AgentTools.Call call;

    Hinted(AgentTools.Call call) {
      this.call = call;
    }

    @Override
    public ToolResult run(Consumer<String> progress) {
      ToolResult result = call.run(progress);
      String hint = hint();
      return hint.isEmpty() ? result : result.plus("\n\n" + hint);
    }

    @Override
    public void answered() {
      call.answered();
    }
  }
}

package dev.ralph.mcp;

import dev.ralph.Engine;
import dev.ralph.HostTools;
import dev.ralph.Ralph;
import dev.ralph.ToolSettings;
import dev.ralph.internal.HookTool;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tools called by a client: the tools of one session, or of the session named in each call.
 * Safe for use by many threads.
 */
final class ServedTools implements AutoCloseable {

  private static final String SESSION = "session_name";

  /** The tools for creating a session. */
  private static final Set<String> CREATING = Set.of("task_add", "note_add", "ask");

  /** The tool that runs the gates, so a call may take minutes. */
  private static final String COMPLETION = "session_complete";

  private final @Nullable String session;
  private final Engine engine;
  private final ToolSettings settings;
  private final List<HostTools> others;
  private final Supplier<Ralph> store;
  private final Map<String, AgentTools> open = new ConcurrentHashMap<>();

  /** The listed tools by name in their order, or null before the first use. */
  private volatile @Nullable Map<String, ServedTool> listed;

  /** The existing named sessions. */
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  /** The last hint sent with a result. */
  private volatile String toldLast = "";

  /**
   * Creates the tools.
   *
   * @param session the session of all calls, or null if each call names its session
   * @param store opens the store, called on the thread of a call
   * @param engine provides the tools of a session
   * @param others the tools of the embedder
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

  /** Returns the names of the listed tools. */
  List<String> names() {
    return List.copyOf(listed().keySet());
  }

  private Map<String, ServedTool> listed() {
    Map<String, ServedTool> known = listed;
    return known == null ? listed = createList() : known;
  }

  private Map<String, ServedTool> createList() {
    Map<String, ServedTool> tools = new LinkedHashMap<>();
    for (AgentTools.Definition tool : engine.toolDefinitions()) {
      tools.put(tool.name(), new ServedTool(tool, null));
    }
    for (HostTools owner : others) {
      for (AgentTools.Definition tool : owner.definitions()) {
        // An embedder may replace a tool of the session.
        tools.merge(
            tool.name(),
            new ServedTool(tool, owner),
            (listed, own) -> listed.owner() == null ? own : listed);
      }
    }
    return Collections.unmodifiableMap(tools);
  }

  boolean has(String name) {
    return name.equals(HookTool.NAME) || listed().containsKey(name);
  }

  /**
   * Returns the instructions of the embedder's tools with a space before them, or an empty string.
   */
  String instructions() {
    StringBuilder all = new StringBuilder();
    for (HostTools tools : others) {
      String text = tools.instructions();
      all.append(text.isEmpty() ? "" : " ").append(text);
    }
    return all.toString();
  }

  /** Returns the hints of the embedder's tools for a result, or an empty string. */
  private String hint() {
    StringBuilder all = new StringBuilder();
    for (HostTools tools : others) {
      try {
        String text = tools.hint(store.get());
        all.append(text.isEmpty() || all.isEmpty() ? "" : "\n").append(text);
      } catch (RuntimeException e) {
        System.getLogger(ServedTools.class.getName())
            .log(
                Level.DEBUG,
                "a hint could not be added to a result; the next result contains the hint",
                e);
      }
    }
    toldLast = all.toString();
    return toldLast;
  }

  /** Returns {@link #hint()}, or an empty string if the hint is unchanged. */
  private String newHint() {
    String before = toldLast;
    String hint = hint();
    return hint.equals(before) ? "" : hint;
  }

  /** Returns whether calls of a tool run one at a time because they change state. */
  boolean isQueued(String name) {
    ServedTool tool = listed().get(name);
    return !name.equals(COMPLETION) && tool != null && !tool.definition().readOnly();
  }

  /** Returns the descriptions of the listed tools. */
  List<Meta> list() {
    return listed().values().stream().map(this::described).toList();
  }

  private Meta described(ServedTool served) {
    AgentTools.Definition tool = served.definition();
    Meta schema = Meta.parse(tool.schema());
    return Meta.of("name", tool.name())
        .with("description", tool.description())
        .with("inputSchema", served.owner() == null ? withSession(schema) : schema)
        .with(
            "annotations",
            Meta.of("readOnlyHint", tool.readOnly())
                .with("destructiveHint", false)
                .with("openWorldHint", false));
  }

  /** Returns a tool's schema with the session's name as its first argument. */
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
   * @throws RalphException if the call names no valid session
   */
  AgentTools.Call begin(String tool, @Nullable Meta given) {
    Meta arguments = given == null ? Meta.empty() : given;
    ServedTool served = listed().get(tool);
    HostTools owner = served == null ? null : served.owner();
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
      if (tool.equals(HookTool.NAME)) {
        return SteeringHook.SILENT;
      }
      throw e;
    }
    return tool.equals(HookTool.NAME)
        ? SteeringHook.begin(open, arguments, names(), this::newHint)
        : new Hinted(begin(open, name, tool, arguments.without(SESSION)));
  }

  private AgentTools.Call begin(AgentTools open, String name, String tool, Meta arguments) {
    AgentTools.Call call = open.begin(tool, arguments);
    return session == null && !known.contains(name) ? new FirstCall(call, name, tool) : call;
  }

  private AgentTools open(String name) {
    return open.computeIfAbsent(
        name, missing -> engine.openTools(() -> store.get().session(missing), settings));
  }

  /** Returns the name of the session of a call. */
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
          "this server serves session "
              + session
              + ", not "
              + RalphException.quote(name)
              + "; omit session_name");
    }
    return name;
  }

  /** Releases the agent's leases and closes the embedder's tools. */
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
   * A listed tool.
   *
   * @param owner the embedder's tools that execute its calls, or null for a tool of the session
   */
  private record ServedTool(AgentTools.Definition definition, @Nullable HostTools owner) {}

  /**
   * A call of an embedder's tool.
   *
   * @param messages adds the operator's messages to the result, or null if no session is served
   */
  private record OwnCall(
      Supplier<Ralph> store, AgentTools.Call own, AgentTools.@Nullable Call messages)
      implements AgentTools.Call {

    @Override
    public AgentTools.Result run(Consumer<String> progress) {
      Ralph unused = store.get(); // if the store cannot be opened, messages are unreadable too
      AgentTools.Result result;
      try {
        result = own.run(progress);
      } catch (RalphException e) {
        result = AgentTools.Result.error(String.valueOf(e.getMessage()));
      }
      String news = news(progress);
      return news.isEmpty() ? result : result.plus("\n\n" + news);
    }

    private String news(Consumer<String> progress) {
      try {
        return messages == null ? "" : messages.run(progress).text();
      } catch (RalphException e) {
        // The messages stay unread, and are shown with the next call or prompt.
        System.getLogger(ServedTools.class.getName())
            .log(
                Level.WARNING,
                "messages could not be added to a reply; the messages stay unread",
                e);
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

  /** A call in a named session that may not exist. */
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
    public AgentTools.Result run(Consumer<String> progress) {
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
            return AgentTools.Result.error(problem);
          }
        }
      } catch (RalphException e) {
        return AgentTools.Result.error(String.valueOf(e.getMessage()));
      }
      return call.run(progress);
    }

    @Override
    public void answered() {
      call.answered();
    }
  }

  /** A call whose result is extended by the hints of the embedder's tools. */
  private final class Hinted implements AgentTools.Call {

    private final AgentTools.Call call;

    Hinted(AgentTools.Call call) {
      this.call = call;
    }

    @Override
    public AgentTools.Result run(Consumer<String> progress) {
      AgentTools.Result result = call.run(progress);
      String hint = hint();
      return hint.isEmpty() ? result : result.plus("\n\n" + hint);
    }

    @Override
    public void answered() {
      call.answered();
    }
  }
}

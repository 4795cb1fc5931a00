package dev.ralph.core.internal.tool;

import dev.ralph.Message;
import dev.ralph.Session;
import dev.ralph.ToolSettings;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.core.internal.delivery.OperatorMessages;
import dev.ralph.core.internal.delivery.ReadingProof;
import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.log.ClosedException;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.spi.Scru128;
import dev.ralph.tool.AgentTools;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The tools of a session, opened for one agent. */
public final class OpenTools implements AgentTools {

  /** The definitions of all tools for a model. */
  public static final List<AgentTools.Definition> DEFINITIONS;

  private static final Map<String, SessionTool> TOOLS = new LinkedHashMap<>();

  static {
    SessionTools.all().forEach(tool -> TOOLS.put(tool.name(), tool));
    DEFINITIONS = TOOLS.values().stream().map(SessionTool::definition).toList();
  }

  /**
   * The maximum number of remembered results with messages, more than an agent receives. A message
   * of a forgotten result would be repeated.
   */
  private static final int MOST_REMEMBERED = 1_000;

  private final Supplier<Session> lookup;
  private final ToolSettings settings;
  private final HeldClaims claims;
  private final CompletionGates gates;
  private final String reader = "agent-" + new Scru128(Clock.systemUTC()).next();
  private final AtomicLong calls = new AtomicLong();
  private final ReentrantLock looking = new ReentrantLock();

  /** The calls with messages in their results that were answered. Replaced, never changed. */
  private volatile Set<String> answered = Set.of();

  /** The long messages whose ends were sent to the agent. Replaced, never changed. */
  private volatile Set<String> ended = Set.of();

  private volatile @Nullable Session session;
  private volatile boolean closed;

  /**
   * Opens tools.
   *
   * @param session looks up the session at the first call, and again after a failure
   */
  public OpenTools(Supplier<Session> session, ToolSettings settings) {
    this.lookup = session;
    this.settings = settings;
    this.claims = new HeldClaims(settings.claimLease());
    this.gates = new CompletionGates(settings.gates(), settings.directory(), settings.gateLimit());
  }

  @Override
  public List<AgentTools.Definition> definitions() {
    return DEFINITIONS;
  }

  @Override
  public Call begin(String name, Meta arguments) {
    return new OneCall((call, progress) -> call.work(name, new ToolArguments(arguments), progress));
  }

  @Override
  public Call beginMessages() {
    return new OneCall(
        (call, progress) -> {
          Session worked = session();
          return AgentTools.Result.of(call.messages(worked, call.of(worked)).strip());
        });
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    claims.releaseAll();
    Session worked = session;
    if (worked != null) {
      try {
        AgentInbox.of(worked).release(reader);
      } catch (RuntimeException e) {
        log().log(Level.DEBUG, "can't end leases on messages; the leases expire later", e);
      }
    }
  }

  @Override
  public String toString() {
    Session worked = session;
    return "tools of " + (worked == null ? "an unused session" : worked);
  }

  private Session session() {
    if (closed) {
      throw RalphException.closed("the tools");
    }
    Session known = session;
    if (known != null) {
      return known;
    }
    looking.lock();
    try {
      known = session;
      if (known == null) {
        known = lookup.get().asAgent(settings.agent(), settings.directory());
        session = known;
      }
      return known;
    } finally {
      looking.unlock();
    }
  }

  private synchronized void remember(String call) {
    answered = with(answered, Set.of(call));
  }

  private synchronized void rememberEnds(Set<String> messages) {
    ended = with(ended, messages);
  }

  private static Set<String> with(Set<String> known, Set<String> more) {
    LinkedHashSet<String> all = new LinkedHashSet<>(known);
    all.addAll(more);
    while (all.size() > MOST_REMEMBERED) {
      all.remove(all.iterator().next());
    }
    return all;
  }

  private static System.Logger log() {
    return System.getLogger(OpenTools.class.getName());
  }

  /** The action of a call. */
  @FunctionalInterface
  private interface Work {
    AgentTools.Result run(OneCall call, Consumer<String> progress);
  }

  private final class OneCall implements Call {

    private final Work work;
    private final AgentInbox.Call begun =
        new AgentInbox.Call(reader, Long.toString(calls.incrementAndGet()), answered);
    private final Set<String> endedBefore = ended;
    private volatile boolean shows;
    private volatile Set<String> ends = Set.of();

    OneCall(Work work) {
      this.work = work;
    }

    @Override
    public AgentTools.Result run(Consumer<String> progress) {
      return work.run(this, progress);
    }

    @Override
    public void answered() {
      if (shows) {
        remember(begun.id());
      }
      if (!ends.isEmpty()) {
        rememberEnds(ends);
      }
    }

    private AgentTools.Result work(
        String name, ToolArguments arguments, Consumer<String> progress) {
      Session worked = null;
      AgentInbox.Call call = begun;
      boolean listsInbox = false;
      boolean completes = false;
      Set<String> ending = new HashSet<>();
      AgentTools.Result reply;
      try {
        SessionTool tool = tool(name);
        completes = tool.completes();
        worked = session();
        arguments.requireKnown(tool.arguments());
        call = of(worked);
        listsInbox = tool.listsInbox();
        CallScope scope =
            new CallScope(worked, settings, call, claims, gates, progress, endedBefore, ending);
        TaskTools.takeAlong(scope);
        reply = AgentTools.Result.of(tool.work().run(scope, arguments));
        ends = Set.copyOf(ending);
      } catch (RalphException e) {
        String reason = TextExcerpt.indented(String.valueOf(e.getMessage()));
        reply = AgentTools.Result.error(reason + advice(name, e));
      } catch (RuntimeException e) {
        reply = AgentTools.Result.error("internal error: " + TextExcerpt.indented(e.toString()));
        log().log(Level.WARNING, "the tool " + name + " failed", e);
      }
      if (worked == null || (listsInbox && !reply.isError())) {
        return reply;
      }
      return reply.plus(
          completes && reply.isError() ? unread(worked, call) : messages(worked, call));
    }

    /** Returns this call, assigned to the iteration at whose end the agent's work ends. */
    private AgentInbox.Call of(Session worked) {
      if (!settings.isInLoop()) {
        return begun;
      }
      int fixed = settings.iteration();
      return begun.in(fixed > 0 ? fixed : CallScope.running(worked, settings.agent()));
    }

    /** Returns the unread messages of the operator, to be appended to a reply. */
    private String messages(Session worked, AgentInbox.Call call) {
      List<AgentInbox.Delivery> deliveries;
      try {
        deliveries = AgentInbox.of(worked).deliver(call, settings.messageLease());
      } catch (RuntimeException e) {
        // The messages stay unread; the next call or prompt shows them.
        Level level = e instanceof ClosedException ? Level.DEBUG : Level.WARNING;
        log().log(level, "can't show messages with a reply; the messages stay unread", e);
        return "";
      }
      if (deliveries.isEmpty()) {
        return "";
      }
      shows = true;
      return "\n\n"
          + OperatorMessages.whileAtWork(deliveries, SessionTools::line)
          + "\n(Call inbox_mark_read with "
          + (deliveries.size() == 1 ? "its ID" : "each ID")
          + " after reading.)";
    }

    /**
     * Returns the messages that the agent must read before completion, with the word that proves
     * the reading.
     */
    private String unread(Session worked, AgentInbox.Call call) {
      try {
        ReadingProof proof = SessionTools.proof(worked, call.reader(), endedBefore);
        if (!proof.isPossible()) {
          return messages(worked, call) + SessionTools.readFirst(proof.cut());
        }
        List<String> ids = proof.messages().stream().map(Message::id).toList();
        if (AgentInbox.of(worked).take(call, settings.messageLease(), ids).size() < ids.size()) {
          return messages(worked, call); // another agent was quicker
        }
        return SessionTools.proof(proof);
      } catch (RuntimeException e) {
        log().log(Level.WARNING, "can't show messages with a refusal", e);
        return "";
      }
    }
  }

  private static SessionTool tool(String name) {
    SessionTool tool = TOOLS.get(name);
    if (tool == null) {
      throw RalphException.notFound(
          "unknown tool "
              + RalphException.quote(name)
              + "; use one of "
              + String.join(", ", TOOLS.keySet()));
    }
    return tool;
  }

  private static String advice(String tool, RalphException e) {
    return switch (e.code()) {
      case NOT_FOUND ->
          tool.startsWith("task_")
              ? "; see task_list"
              : tool.startsWith("inbox_")
                  ? "; see inbox_list"
                  : tool.startsWith("note_") ? "; see note_list" : "";
      case LOCKED, FULL, UNAVAILABLE, INDETERMINATE, IO ->
          "; try again, and tell the operator if the error persists";
      default -> "";
    };
  }
}

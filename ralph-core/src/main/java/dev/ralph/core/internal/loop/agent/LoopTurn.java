package dev.ralph.core.internal.loop.agent;

import dev.ralph.Iteration;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.run.Budget;
import dev.ralph.core.internal.loop.run.Cancellation;
import dev.ralph.core.internal.loop.run.LoopEvents;
import dev.ralph.core.internal.loop.run.Transcript;
import dev.ralph.core.internal.prompt.TeamContext;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.log.StoreInfo;
import dev.ralph.tool.AgentTools;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The agent's view of an iteration. Reports of the agent after its end are dropped. */
final class LoopTurn implements Turn {

  private static final Set<RecordEntry.Type> OF_THE_LOOP =
      EnumSet.of(RecordEntry.Type.BEGIN, RecordEntry.Type.END, RecordEntry.Type.GATE);

  private final LiveSession session;
  private final Session agents;
  private final Duration grace;
  private final Map<String, String> variables;
  private final IterationVariables own;
  private final AgentPlace place;
  private final String prompt;
  private final @Nullable Instant deadline;
  private final LoopEvents events;
  private final Transcript transcript;
  private final Budget.Share share;
  private final AtomicInteger toolCalls = new AtomicInteger();
  private final @Nullable BigDecimal maxCost;
  private final Cancellation ending = new Cancellation();
  private final AtomicReference<Usage> usage = new AtomicReference<>(Usage.NONE);
  private volatile boolean endedEarly;
  private volatile boolean cancelled;
  private volatile boolean closed;

  /**
   * Creates a turn with a prompt from the present state.
   *
   * @param team the agent's assignment; null if it is the loop's only agent
   * @param deadline the end of the agent's time; null for no limit
   */
  LoopTurn(
      AgentTurns turns,
      AgentTurns.Begun begun,
      AgentPlace place,
      @Nullable TeamContext team,
      @Nullable Instant deadline) {
    this.session = turns.session().present();
    this.agents =
        place.agent() == 0 ? session.asAgent() : session.asAgent(place.agent(), place.directory());
    this.grace = turns.settings().grace();
    this.variables = begun.role().variables();
    this.own = IterationVariables.of(begun.iteration(), place.directory(), team);
    this.place = place;
    this.prompt = turns.render(begun.role(), begun.iteration(), team);
    this.deadline = deadline;
    this.events = turns.reporter().events();
    this.transcript =
        new Transcript(
            session.iterations(),
            begun.iteration(),
            session::redacted,
            session.clock(),
            turns.settings().record());
    this.share = begun.share();
    this.maxCost = share.left();
  }

  /** Asks the agent to end. */
  void cancel() {
    cancelled = true;
  }

  /** Asks the agent to end, without counting it as a failure. */
  void endEarly(String why) {
    endedEarly = true;
    cancel();
    ending.request(why);
  }

  /** Returns the cancellation of this agent, but not of its loop, with the reason. */
  Cancellation ending() {
    return ending;
  }

  /** Returns the outcome of an agent asked to end. */
  AgentOutcome ended(AgentOutcome outcome) {
    // The end of a whole run is no failure of its last iteration.
    boolean isFailure = !endedEarly && !share.isRunSpent();
    return outcome.as(
        isFailure ? Iteration.Status.FAILURE : Iteration.Status.INTERRUPTED, ending.reason());
  }

  /** Returns the output and the record of this turn. */
  Transcript transcript() {
    return transcript;
  }

  /** Ends the iteration: later reports of the agent are dropped. */
  void close() {
    closed = true;
    transcript.close(directory());
    own.close();
  }

  /** Returns the usage that the agent has reported. */
  Usage used() {
    return Objects.requireNonNull(usage.get(), "a usage is never null");
  }

  @Override
  public Session session() {
    return agents;
  }

  @Override
  public AgentTools openTools() {
    return new RecordedTools(Turn.super.openTools(), this::record, toolCalls);
  }

  @Override
  public int iteration() {
    return share.iteration();
  }

  @Override
  public int agent() {
    return place.agent();
  }

  @Override
  public String prompt() {
    return prompt;
  }

  @Override
  public Path directory() {
    return place.directory();
  }

  @Override
  public @Nullable Instant deadline() {
    return deadline;
  }

  @Override
  public Duration grace() {
    return grace;
  }

  @Override
  public @Nullable BigDecimal maxCost() {
    return maxCost;
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  @Override
  public String processMark() {
    return place.mark().text();
  }

  @Override
  public Map<String, String> variables() {
    StoreInfo store = session.agentStore();
    Map<String, String> all = new TreeMap<>(Turn.super.variables());
    if (store.capabilities().contains(StoreInfo.Capability.MULTI_PROCESS)) {
      all.put("RALPH_STORE", store.location());
    }
    all.putAll(variables);
    all.putAll(own.all());
    if (place.agent() > 0) {
      // These values override the host's variables.
      all.put(AGENT, Integer.toString(place.agent()));
      all.put("RALPH_MAIL_PROJECT", session.name());
      all.put("RALPH_MAIL_AS", "agent-" + place.agent());
      all.putAll(place.variables());
    }
    return all;
  }

  @Override
  public void output(String text) {
    Objects.requireNonNull(text, "an output must not be null");
    if (!closed) {
      transcript.add(text);
      events.output(iteration(), text);
    }
  }

  @Override
  public void usage(Usage soFar) {
    Objects.requireNonNull(soFar, "the usage must not be null; use Usage.NONE for unknown usage");
    if (!closed && !usage.getAndSet(soFar).equals(soFar)) {
      // First, because a listener may be slow.
      String ofRun = share.reachedWith(soFar);
      String words = ofRun == null ? share.reachedByIteration(soFar) : ofRun;
      if (words != null) {
        ending.request(words);
      }
      events.used(iteration(), soFar);
      String blind = share.blindTo(soFar);
      if (blind != null) {
        notice(blind);
      }
    }
  }

  @Override
  public void record(RecordEntry entry) {
    Objects.requireNonNull(entry, "an entry of the record must not be null");
    if (!closed && !OF_THE_LOOP.contains(entry.type())) {
      transcript.add(entry);
    }
  }

  @Override
  public void notice(String text) {
    Objects.requireNonNull(text, "a notice must not be null");
    if (!closed) {
      events.notice(iteration(), text);
    }
  }
}

package dev.ralph.core.internal.loop.agent;

import dev.ralph.Iteration;
import dev.ralph.Task;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.Backoff;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.core.internal.loop.policy.WaitNotice;
import dev.ralph.core.internal.loop.run.Budget;
import dev.ralph.core.internal.loop.run.LoopReporter;
import dev.ralph.core.internal.loop.run.LoopRole;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.LoopSettings;
import dev.ralph.core.internal.loop.run.RunLimits;
import dev.ralph.core.internal.loop.run.TimeBox;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.prompt.TeamContext;
import dev.ralph.core.internal.session.LiveSession;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The iterations of an agent: role, prompt, start, turn, and end. For the stepping thread. */
public final class AgentTurns {

  /**
   * A begun iteration.
   *
   * @param share the iteration's share of the budget
   * @param nanos the reading of the loop's clock at the start
   */
  public record Begun(LoopRole role, Budget.Share share, long nanos) {
    public int iteration() {
      return share.iteration();
    }
  }

  private final LoopSession session;
  private final LoopSettings settings;
  private final Roles roles;
  private final LoopReporter reporter;
  private final PolicyInterpreter interpreter;
  private final ProcessMark mark;
  private final AgentRunner runner;
  private Backoff backoff;

  public AgentTurns(
      LoopSession session,
      LoopSettings settings,
      Roles roles,
      LoopReporter reporter,
      PolicyInterpreter interpreter) {
    this.session = session;
    this.settings = settings;
    this.roles = roles;
    this.reporter = reporter;
    this.interpreter = interpreter;
    int agent = reporter.agent();
    this.mark = agent == 0 ? session.mark() : session.mark().ofAgent(agent);
    this.runner = new AgentRunner(session, mark);
    this.backoff = Backoff.none(settings.failurePause(), session.time().nanos());
  }

  /** Returns the turns of one of several agents. */
  public AgentTurns ofAgent(int number) {
    return new AgentTurns(session, settings, roles, reporter.ofAgent(number), interpreter);
  }

  LoopSession session() {
    return session;
  }

  public LoopSettings settings() {
    return settings;
  }

  public LoopReporter reporter() {
    return reporter;
  }

  public Roles roles() {
    return roles;
  }

  public PolicyInterpreter interpreter() {
    return interpreter;
  }

  public AgentRunner runner() {
    return runner;
  }

  public Backoff backoff() {
    return backoff;
  }

  /** Ends a delay due to missing progress if the session has new work. */
  public void cutShortIfStirred() {
    if (backoff.isIdlePause() && interpreter.facts().changes().hasNewWork()) {
      backoff = backoff.cutShort(session.time().nanos());
    }
  }

  /** Records that a notice was reported. */
  public void reported(WaitNotice notice) {
    backoff = notice.equals(backoff.notice()) ? backoff.reported() : backoff;
  }

  /**
   * Renders the prompt of an iteration as of the last read.
   *
   * @param team the agent's assignment; null if it is the loop's only agent
   */
  public String render(LoopRole role, int iteration, @Nullable TeamContext team) {
    return role.prompt()
        .render(
            session.seen(),
            iteration,
            session.present().log().clock().instant(),
            interpreter.completion().refusedFor(),
            interpreter.facts().idle().warning(),
            team);
  }

  /** Returns the place of the agent, with the mark of its processes. */
  public AgentPlace place(Path directory, Map<String, String> variables) {
    return new AgentPlace(reporter.agent(), directory, mark, variables);
  }

  /** Renews the claim on the session if due, and records the start of an iteration. */
  public Begun begin(LoopRole role, @Nullable Task task) {
    session.claim().renewIfDue();
    String id = task == null ? null : task.id();
    int number = reporter.recorder().begin(roles.word(role), reporter.agent(), id);
    Budget.Share share = session.limits().begin(number, role.limits());
    return new Begun(role, share, session.time().nanos());
  }

  /**
   * Prepares a turn from the present state, and reports its start.
   *
   * @param team the agent's assignment; null if it is the loop's only agent
   */
  public ReadyTurn prepare(Begun begun, AgentPlace place, @Nullable TeamContext team) {
    LiveSession present = session.present();
    RunLimits limits = session.limits();
    LoopRole role = begun.role();
    int number = begun.iteration();
    TimeBox limit = limits.timeLimit().and(session.time().box(role.timeLimit()));
    session.readNewFrames();
    Instant deadline = limit.isLimited() ? present.log().host().instant().plus(limit.left()) : null;
    LoopTurn turn = new LoopTurn(this, begun, place, team, deadline);
    String word = roles.word(role);
    turn.transcript().begin(word, turn.prompt(), place.directory(), limits.budget().json());
    String task = team == null || team.task() == null ? null : team.task().id();
    UsageLog used = new UsageLog(present.iterations(), number, turn::used, session.time());
    reporter.events().iterationStarted(number, role.role(), word, task);
    Executor executor = settings.threads("ralph-agent-" + present.name() + "-" + number);
    return new ReadyTurn(role.agent(), turn, used, limit, executor);
  }

  /**
   * Keeps the outcome of an iteration to be recorded, and adds its usage to the run's.
   *
   * @param changed returns whether the iteration changed anything
   * @return the reason why the agent stops; null if it continues
   */
  public @Nullable LoopEnding ended(
      Begun begun, AgentOutcome outcome, Duration took, BooleanSupplier changed) {
    RunLimits limits = session.limits();
    Iteration.Role role = begun.role().role();
    reporter.recorder().ended(begun.iteration(), outcome, took);
    reporter.notice(limits.last(), limits.spend(begun.share(), outcome));
    RunFacts facts = interpreter.facts();
    facts.ended(role, outcome, changed.getAsBoolean());
    backoff = backoff.after(outcome, facts.idle().isStuck(), session.time().nanos());
    // Only a building agent can repair the reasons of a rejected completion.
    if (outcome.status() == Iteration.Status.SUCCESS && role == Iteration.Role.BUILD) {
      interpreter.completion().forgetRefusal();
    }
    return interpreter.afterAgent(outcome, backoff);
  }
}

package dev.ralph.core.internal.loop;

import dev.ralph.Agent;
import dev.ralph.LoopEvent;
import dev.ralph.core.internal.process.GitHead;
import dev.ralph.core.internal.prompt.TeamContext;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.log.Meta;
import java.time.Instant;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A prepared turn of an agent, with its prompt, transcript and limits. */
final class ReadyTurn {

  private final Agent agent;
  private final LoopTurn turn;
  private final Transcript transcript;
  private final UsageLog used;
  private final TimeBox limit;
  private final Executor executor;

  private ReadyTurn(
      Agent agent,
      LoopTurn turn,
      Transcript transcript,
      UsageLog used,
      TimeBox limit,
      Executor executor) {
    this.agent = agent;
    this.turn = turn;
    this.transcript = transcript;
    this.used = used;
    this.limit = limit;
    this.executor = executor;
  }

  /**
   * Prepares a turn from the present state, and reports its start. Called only by the stepping
   * thread.
   *
   * @param number the number of the iteration
   * @param company the agent's assignment; null if it is the loop's only agent
   * @param events the listeners of this agent
   */
  static ReadyTurn prepare(
      Parts parts,
      LoopRole role,
      Budget.Share share,
      int number,
      AgentPlace place,
      @Nullable TeamContext company,
      Listeners events) {
    LiveSession session = parts.session;
    LoopSettings settings = parts.settings;
    TimeBox limit = parts.limits.timeLimit().and(parts.time.box(role.timeLimit()));
    parts.look();
    String text = parts.render(role, number, company);
    Transcript transcript =
        new Transcript(
            session.iterations(), number, session::redacted, session.clock(), settings.record());
    String word = parts.roles.word(role);
    transcript.begin(word, text, place.directory(), parts.limits.budget().json());
    Instant deadline = limit.isLimited() ? session.log().host().instant().plus(limit.left()) : null;
    LoopTurn turn =
        new LoopTurn(
            session,
            settings.grace(),
            role.variables(),
            variables(number, place, company),
            place,
            number,
            text,
            deadline,
            events,
            transcript,
            parts.limits.budget(),
            share);
    String task = company == null || company.task() == null ? null : company.task().id();
    UsageLog used = new UsageLog(session.iterations(), number, turn::used, parts.time);
    events.emit(
        LoopEvent.Type.ITERATION_STARTED,
        number,
        "iteration " + number + " started",
        Meta.empty().with("role", word).with("task", task),
        head -> new LoopEvent.IterationStarted(head, role.role(), task));
    Executor executor = settings.threads("ralph-agent-" + session.name() + "-" + number);
    return new ReadyTurn(role.agent(), turn, transcript, used, limit, executor);
  }

  private static IterationVariables variables(
      int number, AgentPlace place, @Nullable TeamContext company) {
    String branch = company == null ? null : company.branch();
    return new IterationVariables(
        number,
        branch == null ? GitHead.of(place.directory()).branch() : branch,
        company == null ? null : company.task(),
        company == null ? 0 : company.attempt());
  }

  /**
   * Runs the agent.
   *
   * @param tick called about every second during the run
   */
  AgentOutcome take(AgentRunner runner, Runnable tick) {
    return runner.run(
        agent,
        turn,
        executor,
        limit,
        () -> {
          transcript.flush();
          used.keep();
          tick.run();
        });
  }

  /** Ends the turn for a reason that concerns the whole run. From any thread. */
  void end(String why) {
    turn.ending().request(why);
  }
}

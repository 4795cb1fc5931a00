package dev.ralph.core.internal.loop;

import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.time.Instant;

/** One iteration of a run: its beginning, its agent, how it ended, and what follows from that. */
final class IterationStep {

  private final Parts parts;
  private final LiveSession session;
  private final LoopSettings settings;
  private final Listeners events;
  private final RunState state;

  IterationStep(Parts parts) {
    this.parts = parts;
    this.session = parts.session;
    this.settings = parts.settings;
    this.events = parts.events;
    this.state = parts.state;
  }

  /** Runs the next iteration. */
  void run() {
    parts.claim.renewIfDue();
    parts.progress.begin();
    LoopRole role = parts.roles.next(parts.seen);
    parts.budget.begin(role.limits());
    int number = parts.recorder.begin(parts.roles.word(role));
    state.begin(number);
    long began = parts.time.nanos();
    AgentOutcome outcome;
    try {
      outcome = runAgent(role, number);
    } catch (RuntimeException | Error e) {
      parts.recorder.ended(number, AgentOutcome.broken(e), took(began));
      if (parts.agents.hasLeftBehind()) {
        parts.endings.besideAgent();
      }
      throw e;
    }
    parts.recorder.ended(number, outcome, took(began));
    spend(outcome);
    parts.progress.ended(role.role(), outcome.status());
    // Before anything can fail: an agent that was abandoned must never be joined by a second one.
    follow(role, outcome);
    parts.talk.tell();
    parts.writeEnd();
  }

  private Duration took(long began) {
    return parts.time.since(began);
  }

  private AgentOutcome runAgent(LoopRole role, int number) {
    TimeBox limit = state.timeLimit().and(parts.time.box(role.timeLimit()));
    parts.look();
    String text = parts.render(role, number);
    Transcript transcript =
        new Transcript(
            session.iterations(), number, session::redacted, session.clock(), settings.record());
    String word = parts.roles.word(role);
    transcript.begin(word, text, settings.directory(), parts.budget.json());
    Instant deadline = limit.isLimited() ? session.log().host().instant().plus(limit.left()) : null;
    LoopTurn turn =
        new LoopTurn(
            session,
            settings,
            role.variables(),
            number,
            text,
            parts.mark.text(),
            deadline,
            events,
            transcript,
            parts.budget);
    UsageLog used = new UsageLog(session.iterations(), number, turn::used, parts.time);
    events.emit(
        LoopEvent.Type.ITERATION_STARTED,
        number,
        "iteration " + number + " started",
        Meta.empty().with("role", word),
        head -> new LoopEvent.IterationStarted(head, role.role()));
    return parts.agents.run(
        role.agent(),
        turn,
        settings.threads("ralph-agent-" + session.name() + "-" + number),
        limit,
        () -> {
          transcript.flush();
          used.keep();
          parts.glance();
        });
  }

  private void spend(AgentOutcome outcome) {
    state.used(outcome.usage());
    parts.budget.add(outcome.usage());
    String blind =
        parts.budget.blindToEnded(outcome.usage(), outcome.status() == Iteration.Status.SUCCESS);
    if (blind != null) {
      events.emit(LoopEvent.Type.NOTICE, state.last(), blind);
    }
  }

  /** Draws the consequences of how the agent ended. */
  private void follow(LoopRole role, AgentOutcome outcome) {
    int failuresBefore = parts.backoff.failures();
    parts.backoff.note(outcome, parts.progress.isStuck());
    // Only who builds puts right what completion was refused for.
    if (outcome.status() == Iteration.Status.SUCCESS && role.role() == Iteration.Role.BUILD) {
      parts.completion.forgetRefusal();
    }
    boolean failed = parts.backoff.failures() > failuresBefore;
    parts.endings.afterAgent(outcome, failed ? parts.backoff.failures() : 0);
  }
}

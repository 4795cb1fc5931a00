package dev.ralph.core.internal.loop;

import dev.ralph.Iteration;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.view.SharedReading;
import dev.ralph.domain.ProcessIdentity;
import java.time.Duration;

/** The parts of one run of a loop, put together; each is told its job in its own class. */
final class Parts {

  private static final Duration LISTENER_PATIENCE = Duration.ofSeconds(10);

  /** The session as the host and its agents have it. */
  final LiveSession session;

  /** The session as the loop itself has it: as it was when it last looked. */
  final LiveSession seen;

  private final SharedReading reading;
  final LoopSettings settings;
  final Roles roles;
  final ProcessMark mark;
  final Time time;
  final Cancellation cancellation = new Cancellation();
  final RunState state;
  final Listeners events;
  final RunClaim claim;
  final AgentRunner agents;
  final Gates gates;
  final Completion completion;
  final Budget budget;
  final ProgressWatch progress;
  final TalkWatch talk;
  final IterationRecorder recorder;
  final Backoff backoff;
  final Endings endings;

  /** How often in a row the store has refused; part of a step may get through before the rest. */
  final Pause refusals;

  Parts(LiveSession session, LoopSettings settings, Roles roles) {
    ProcessIdentity process = ProcessIdentity.current();
    this.claim =
        new RunClaim(session.control(), process, settings.lease(), settings.grace(), cancellation);
    this.session = session.fenced(claim::check);
    this.reading = this.session.reading();
    this.seen = this.session.seen(reading);
    this.settings = settings;
    this.roles = roles;
    this.mark = ProcessMark.ofLoops(this.session.log().store().info(), session.name());
    this.time = Time.of(this.session.log().clock());
    this.state = new RunState(time);
    this.events =
        new Listeners(
            this.session.name(),
            settings.listeners(),
            this.session.log().clock(),
            LISTENER_PATIENCE,
            cancellation);
    this.agents = new AgentRunner(mark, claim, cancellation, time);
    this.gates =
        new Gates(this.session, settings, mark, this.session::redacted, cancellation, events, time);
    this.completion =
        new Completion(this.session.control(), gates, this.session::redacted, cancellation, events);
    this.budget = new Budget(settings.limits());
    this.progress =
        new ProgressWatch(
            seen,
            reading,
            new WorkFolder(settings.directory(), session.log().store().info()),
            settings.maxIdle(),
            settings.maxIterations());
    this.talk = new TalkWatch(seen, reading, state, events);
    this.recorder = new IterationRecorder(seen, process, events);
    this.backoff = new Backoff(settings.failurePause(), time);
    this.endings =
        new Endings(this.session, settings, completion, budget, progress, cancellation, state);
    this.refusals = new Pause(settings.failurePause(), Backoff.LONGEST_FAILURE_PAUSE);
  }

  /** Looks at what has come to the session. */
  void look() {
    reading.look();
  }

  /**
   * Looks at what has come while an agent works, which must not depend on whether that succeeds.
   */
  void glance() {
    talk.look();
    claim.look(seen.control());
  }

  /** Returns the number that the next iteration of the session has. */
  int nextIteration() {
    return seen.iterations().last().map(Iteration::number).orElse(0) + 1;
  }

  /** Returns the prompt of an iteration as things stood at the last look. */
  String render(LoopRole role, int iteration) {
    return role.prompt()
        .render(
            seen,
            iteration,
            session.log().clock().instant(),
            completion.refusedFor(),
            progress.warning());
  }

  /** Writes the end of the last iteration, if that is still to be done. */
  void writeEnd() {
    if (recorder.write()) {
      refusals.reset();
    }
  }
}

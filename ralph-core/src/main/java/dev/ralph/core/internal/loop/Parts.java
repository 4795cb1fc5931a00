package dev.ralph.core.internal.loop;

import dev.ralph.Agent;
import dev.ralph.Iteration;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.prompt.SessionPrompt;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.domain.ProcessIdentity;
import java.time.Duration;

/** The parts of one run of a loop, put together; each is told its job in its own class. */
final class Parts {

  private static final Duration LISTENER_PATIENCE = Duration.ofSeconds(10);

  final LiveSession session;
  final LoopSettings settings;
  private final SessionPrompt prompt;
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

  Parts(Agent agent, LiveSession session, LoopSettings settings, SessionPrompt prompt) {
    ProcessIdentity process = ProcessIdentity.current();
    this.claim =
        new RunClaim(session.control(), process, settings.lease(), settings.grace(), cancellation);
    this.session = session.fenced(claim::check);
    this.settings = settings;
    this.prompt = prompt;
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
    this.agents = new AgentRunner(agent, mark, claim, cancellation, time);
    this.gates =
        new Gates(this.session, settings, mark, this.session::redacted, cancellation, events, time);
    this.completion =
        new Completion(this.session.control(), gates, this.session::redacted, cancellation, events);
    this.budget = new Budget(settings.limits(), settings.iterationLimits());
    this.progress =
        new ProgressWatch(
            this.session,
            new WorkFolder(settings.directory(), session.log().store().info()),
            settings.maxIdle(),
            settings.maxIterations());
    this.talk = new TalkWatch(this.session, state, events);
    this.recorder = new IterationRecorder(this.session, process, events);
    this.backoff = new Backoff(settings.failurePause(), time);
    this.endings =
        new Endings(this.session, settings, completion, budget, progress, cancellation, state);
    this.refusals = new Pause(settings.failurePause(), Backoff.LONGEST_FAILURE_PAUSE);
  }

  /** Returns the number that the next iteration of the session has. */
  int nextIteration() {
    return session.iterations().last().map(Iteration::number).orElse(0) + 1;
  }

  /** Returns the prompt of an iteration as things stand. */
  String render(int iteration) {
    return prompt.render(
        iteration, session.log().clock().instant(), completion.refusedFor(), progress.warning());
  }

  /** Writes the end of the last iteration, if that is still to be done. */
  void writeEnd() {
    if (recorder.write()) {
      refusals.reset();
    }
  }
}

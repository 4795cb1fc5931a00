package dev.ralph.core.internal.loop;

import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.prompt.Company;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.view.SharedReading;
import dev.ralph.core.internal.workspace.Workspaces;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The parts of one run of a loop, put together; each is told its job in its own class. */
final class Parts {

  private static final System.Logger LOG = System.getLogger(Parts.class.getPackageName());

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

  /** What the run as a whole does, or its only agent instead of working. */
  final Doing doing;

  final Gates gates;
  final Completion completion;
  final Budget budget;
  final ProgressWatch progress;
  final TalkWatch talk;
  final IterationRecorder recorder;
  final Backoff backoff;
  final Endings endings;
  private final Function<NextTurn, Course> course;

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
    this.doing = doing(0);
    LoopSettings.Several several = settings.several();
    this.gates =
        new Gates(
            this.session,
            settings,
            several == null ? mark : mark.ofAgent(0),
            this.session::redacted,
            cancellation,
            events,
            doing,
            time);
    Completion.Checks checks = gates::runAll;
    if (several == null) {
      this.course = nextTurn -> new OneAgent(this, nextTurn);
    } else {
      Workspaces places = several.places(settings.directory(), this.session, mark);
      Seat seat =
          new Seat(
              this.session,
              seen,
              places,
              settings,
              gates,
              claim,
              cancellation,
              events,
              doing,
              time);
      checks = seat::check;
      this.course = nextTurn -> new SeveralAgents(this, nextTurn, several.agents(), places, seat);
    }
    this.completion = new Completion(this.session.control(), checks, cancellation, events);
    this.budget = new Budget(settings.limits());
    this.progress =
        new ProgressWatch(
            seen,
            reading,
            new FileChanges(workFolder(settings.directory())),
            several == null ? this.session::isWork : this.session::isWorkBesideClaims,
            settings.maxIdle(),
            settings.maxIterations());
    this.talk = new TalkWatch(seen, reading, state, events);
    this.recorder = new IterationRecorder(seen, process, events, settings.beforeEnd());
    this.backoff = new Backoff(settings.failurePause(), time);
    this.endings =
        new Endings(
            this.session, seen, settings, completion, budget, progress, cancellation, state);
    this.refusals = new Pause(settings.failurePause(), Backoff.LONGEST_FAILURE_PAUSE);
  }

  /** Returns how the iterations follow each other. */
  Course course(NextTurn nextTurn) {
    return course.apply(nextTurn);
  }

  /** Returns what says in the log what an agent does besides its work. */
  Doing doing(int agent) {
    return new Doing(session, claim, agent);
  }

  /** Returns what sees whether files change in a folder that an agent works in. */
  WorkFolder workFolder(Path directory) {
    return new WorkFolder(directory, session.log().store().info());
  }

  /** Looks at what has come to the session. */
  void look() {
    reading.look();
    raise();
  }

  /**
   * Looks at what has come while an agent works, which must not depend on whether that succeeds.
   */
  void glance() {
    talk.look();
    claim.look(seen.control());
    try {
      raise();
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "whether a limit was raised can't be looked at", e);
    }
  }

  private void raise() {
    budget.raise(seen.control().steering().raised());
  }

  /** Returns the number that the next iteration of the session has. */
  int nextIteration() {
    return seen.iterations().last().map(Iteration::number).orElse(0) + 1;
  }

  /** Adds what an iteration has used, and tells of limits that can't be kept. */
  void spend(Budget.Share share, AgentOutcome outcome, Listeners told) {
    state.used(outcome.usage());
    share.end(outcome.usage());
    String blind =
        share.blindToEnded(outcome.usage(), outcome.status() == Iteration.Status.SUCCESS);
    if (blind != null) {
      told.emit(LoopEvent.Type.NOTICE, state.last(), blind);
    }
  }

  /**
   * Returns the prompt of an iteration as things stood at the last look.
   *
   * @param company whom the agent works with; null where it is the loop's only one
   */
  String render(LoopRole role, int iteration, @Nullable Company company) {
    return role.prompt()
        .render(
            seen,
            iteration,
            session.log().clock().instant(),
            completion.refusedFor(),
            progress.warning(),
            company);
  }

  /** Writes the end of the last iteration, if that is still to be done. */
  void writeEnd() {
    if (recorder.write()) {
      refusals.reset();
    }
  }
}

package dev.ralph.core.internal.loop;

import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.prompt.TeamContext;
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

/** Creates and connects the parts of a run. */
final class Parts {

  private static final System.Logger LOG = System.getLogger(Parts.class.getPackageName());

  private static final Duration LISTENER_PATIENCE = Duration.ofSeconds(10);

  /** The session of the host and its agents. */
  final LiveSession session;

  /** The session of the loop itself, as of its last look. */
  final LiveSession seen;

  private final SharedReading reading;
  final LoopSettings settings;
  final Roles roles;
  final ProcessMark mark;
  final LoopClock time;
  final Cancellation cancellation = new Cancellation();
  final RunLimits limits;
  final Listeners events;
  final RunClaim claim;
  final AgentRunner agents;

  /** The activity of the whole run, or of its only agent. */
  final ActivityReporter doing;

  final Gates gates;
  final Completion completion;
  final ProgressWatch progress;
  final ConversationEvents talk;
  final IterationRecorder recorder;
  final Backoff backoff;
  final Endings endings;
  private final Function<NextTurn, RunStrategy> course;

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
    this.time = LoopClock.of(this.session.log().clock());
    this.limits = new RunLimits(settings, time);
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
      MergeQueue seat =
          new MergeQueue(
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
    this.progress =
        new ProgressWatch(
            seen,
            reading,
            new FileChanges(workFolder(settings.directory())),
            several == null ? this.session::isWork : this.session::isWorkBesideClaims,
            settings.maxIdle(),
            settings.maxIterations());
    this.talk = new ConversationEvents(seen, reading, limits, events);
    this.recorder = new IterationRecorder(seen, process, events, settings.beforeEnd());
    this.backoff = new Backoff(settings.failurePause(), time);
    this.endings =
        new Endings(
            this.session, seen, settings, completion, progress, cancellation, limits);
  }

  /** Returns the order of the iterations. */
  RunStrategy course(NextTurn nextTurn) {
    return course.apply(nextTurn);
  }

  /** Creates the activity reporter of an agent. */
  ActivityReporter doing(int agent) {
    return new ActivityReporter(session, claim, agent);
  }

  /** Creates the detector of file changes in an agent's folder. */
  WorkFolder workFolder(Path directory) {
    return new WorkFolder(directory, session.log().store().info());
  }

  /** Reads the new frames of the session. */
  void look() {
    reading.look();
    raise();
  }

  /** Reads the new frames while an agent works. A failure must not affect the agent. */
  void glance() {
    talk.look();
    claim.look(seen.control());
    try {
      raise();
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "can't read whether a limit was raised", e);
    }
  }

  private void raise() {
    limits.raise(seen.control().steering());
  }

  /** Returns the number of the session's next iteration. */
  int nextIteration() {
    return seen.iterations().last().map(Iteration::number).orElse(0) + 1;
  }

  /** Adds the usage of an iteration, and reports limits that can't be enforced. */
  void spend(Budget.Share share, AgentOutcome outcome, Listeners told) {
    String blind = limits.spend(share, outcome);
    if (blind != null) {
      told.emit(LoopEvent.Type.NOTICE, limits.last(), blind);
    }
  }

  /**
   * Renders the prompt of an iteration as of the last look.
   *
   * @param company the agent's assignment; null if it is the loop's only agent
   */
  String render(LoopRole role, int iteration, @Nullable TeamContext company) {
    return role.prompt()
        .render(
            seen,
            iteration,
            session.log().clock().instant(),
            completion.refusedFor(),
            progress.warning(),
            company);
  }

  /** Writes the end of the last iteration, unless it is written. */
  void writeEnd() {
    if (recorder.write()) {
      limits.refusals().reset();
    }
  }
}

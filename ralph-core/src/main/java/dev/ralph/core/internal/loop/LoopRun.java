package dev.ralph.core.internal.loop;

import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.core.internal.loop.agent.AgentTurns;
import dev.ralph.core.internal.loop.agent.Completion;
import dev.ralph.core.internal.loop.agent.FileChanges;
import dev.ralph.core.internal.loop.agent.PolicyInterpreter;
import dev.ralph.core.internal.loop.agent.Roles;
import dev.ralph.core.internal.loop.agent.RunFacts;
import dev.ralph.core.internal.loop.agent.WorkDetector;
import dev.ralph.core.internal.loop.policy.IdleCount;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.core.internal.loop.policy.LoopPolicy;
import dev.ralph.core.internal.loop.policy.RetryPause;
import dev.ralph.core.internal.loop.run.Cancellation;
import dev.ralph.core.internal.loop.run.LoopClock;
import dev.ralph.core.internal.loop.run.LoopReporter;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.LoopSettings;
import dev.ralph.core.internal.loop.run.RunClaim;
import dev.ralph.core.internal.loop.run.RunLimits;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.text.LogText;
import dev.ralph.core.internal.workspace.Workspaces;
import dev.ralph.internal.BackgroundRun;
import dev.ralph.log.ContendedException;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A run of a loop. Each step runs in the caller's thread; only agents and gates run on other
 * threads. A single agent has ended when its step returns. Several agents continue from one step to
 * the next.
 *
 * <p>Records are written after the fact. If the store refuses a record, the step fails, and the
 * next step or the end writes it first. After any other failure the run ends immediately, to
 * release the session.
 */
final class LoopRun implements Loop {

  private static final System.Logger LOG = System.getLogger(LoopRun.class.getPackageName());

  /** Interval between attempts to take over a held session. */
  private static final Duration STAND_BY = Duration.ofMillis(500);

  private final LoopSession session;
  private final LoopSettings settings;
  private final LoopReporter reporter;
  private final RunFacts facts;
  private final AgentTurns turns;
  private final RunOpening opening;
  private final LoopWaits waits;
  private final RunStrategy course;

  /** Held by the thread that steps or closes the loop; guards the following fields. */
  private final ReentrantLock stepping = new ReentrantLock();

  /** The failure of the store at the last step, or null. */
  private @Nullable RalphException refused;

  private volatile @Nullable LoopResult result;

  /** True from the first call of {@link #close}; a step then waits for the end. */
  private volatile boolean isClosing;

  LoopRun(LiveSession live, LoopSettings settings, Roles roles) {
    this.settings = settings;
    RunLimits limits = new RunLimits(settings, LoopClock.of(live.log().clock()));
    this.session = new LoopSession(live, settings, limits, new Cancellation());
    this.reporter = new LoopReporter(session, settings);
    LiveSession present = session.present();
    Gates gates = new Gates(session, settings, reporter, present::redacted);
    MergeQueue queue = queue(session, settings, reporter, gates);
    Completion completion =
        new Completion(
            present,
            settings.done(),
            queue == null ? gates::runAll : queue::check,
            session.cancellation(),
            reporter.events());
    IdleCount idle = IdleCount.of(settings.maxIdle(), settings.maxIterations());
    WorkDetector changes =
        new WorkDetector(
            session,
            new FileChanges(session.workFolder(settings.directory())),
            queue == null ? present::isWork : present::isWorkBesideClaims,
            idle.isWatching());
    this.facts = new RunFacts(session, changes, idle);
    LoopPolicy policy = new LoopPolicy(roles.rules(settings));
    PolicyInterpreter interpreter =
        new PolicyInterpreter(policy, session, reporter, facts, completion);
    this.turns = new AgentTurns(session, settings, roles, reporter, interpreter);
    this.opening = new RunOpening(session, settings, reporter, roles);
    this.waits = new LoopWaits(session, reporter, queue == null);
    this.course =
        queue == null
            ? new OneAgent(session, settings, turns, waits)
            : new SeveralAgents(session, settings, turns, waits, queue);
  }

  /** Creates the merge queue of several agents; null for one agent. */
  private static @Nullable MergeQueue queue(
      LoopSession session, LoopSettings settings, LoopReporter reporter, Gates gates) {
    LoopSettings.Several several = settings.several();
    if (several == null) {
      return null;
    }
    Workspaces workspaces = several.places(settings.directory(), session.present(), session.mark());
    return new MergeQueue(session, settings, reporter, workspaces, gates);
  }

  LoopSettings settings() {
    return settings;
  }

  Roles roles() {
    return turns.roles();
  }

  @Override
  public LoopResult run() {
    boolean saidStandBy = false;
    while (true) {
      try {
        if (!step()) {
          return result().orElseThrow();
        }
        session.limits().accepted();
      } catch (RalphException e) {
        if (settings.standBy() && isTakenByAnother(e)) {
          pause(0, saidStandBy ? null : "waiting for the session: " + e.getMessage(), STAND_BY);
          saidStandBy = true;
          continue;
        }
        RetryPause pause = session.limits().refused();
        boolean isTriedEnough = pause.tries() >= settings.maxFailures();
        if (!isUnavailable(e) && (!mayPass(e) || isTriedEnough)) {
          throw e;
        }
        String time = LogText.time(pause.pause());
        String why = "trying again in " + time + ", because the store failed: " + e.getMessage();
        pause(session.limits().last(), why, pause.pause());
      }
    }
  }

  @Override
  public CompletionStage<LoopResult> start() {
    return BackgroundRun.start(this::run, settings.executor());
  }

  /** Returns whether the store's server is unreachable; the loop then retries without a limit. */
  private static boolean isUnavailable(RalphException failure) {
    return failure.code() == RalphException.Code.UNAVAILABLE
        || failure instanceof IndeterminateException
            && failure.getCause() instanceof RalphException cause
            && isUnavailable(cause);
  }

  /**
   * Returns whether a later step may succeed. A loop that finds the session held by another loop is
   * not retried.
   */
  private boolean mayPass(RalphException failure) {
    return switch (failure.code()) {
      case LOCKED, FULL -> true;
      case CONTENDED -> session.claim().wasTaken();
      default -> false;
    };
  }

  private boolean isTakenByAnother(RalphException failure) {
    return failure instanceof ContendedException && !session.claim().wasTaken();
  }

  /** Reports a wait, and waits, unless the loop has ended meanwhile. */
  private void pause(int iteration, @Nullable String notice, Duration pause) {
    stepping.lock();
    try {
      if (result == null && waits.isOpen() && !session.cancellation().isRequested()) {
        reporter.notice(iteration, notice);
        waits.pause(session.time().box(pause));
      }
    } finally {
      stepping.unlock();
      session.cancellation().restoreInterrupt();
    }
  }

  @Override
  public boolean step() {
    if (isWithinStep() || !lockStep()) {
      throw RalphException.invalid(
          "another thread runs a step of this loop; use one thread at a time");
    }
    try {
      if (result == null) {
        refused = null;
        advance();
        reporter.listeners().throwError();
      }
      return result == null;
    } catch (RepositoryLockedException e) {
      facts.decide(new LoopEnding(StopReason.REPOSITORY_LOCKED, e.getMessage()));
      return true; // the next step ends the loop
    } catch (RalphException e) {
      String lost = session.claim().lost();
      if (lost != null) { // unwritten records are left to the loop that now holds the session
        endAndFinish(new LoopEnding(StopReason.LOST, lost));
        return false;
      }
      refused = isTakenByAnother(e) ? null : e;
      throw e;
    } catch (RuntimeException | Error fault) {
      endAtFault(fault);
      throw fault;
    } finally {
      stepping.unlock();
      session.cancellation().restoreInterrupt();
    }
  }

  /** Returns false if another thread holds the lock for a step. */
  private boolean lockStep() {
    if (stepping.tryLock()) {
      return true;
    }
    if (isClosing) {
      stepping.lock();
    }
    return isClosing;
  }

  /** Returns whether the current thread takes the step, or a step waits for it. */
  private boolean isWithinStep() {
    return stepping.isHeldByCurrentThread() || session.work().isCurrentThread();
  }

  @Override
  public String preview() {
    opening.warn();
    session.readNewFrames();
    return turns.render(
        turns.roles().of(turns.interpreter().role()), session.nextIteration(), course.next());
  }

  @Override
  public Optional<LoopResult> result() {
    return Optional.ofNullable(result);
  }

  @Override
  public void cancel(String reason) {
    Objects.requireNonNull(reason, "reason");
    if (result == null) {
      session.cancellation().request(LogText.unicode(reason));
    }
  }

  @Override
  public void close() {
    cancel(RunFacts.CLOSED);
    if (isWithinStep() || reporter.listeners().isDispatching()) {
      // The calling step ends the loop when it regains the thread.
      return;
    }
    isClosing = true;
    stepping.lock();
    try {
      if (result == null) {
        endForGood(facts.atClose(refused));
        reporter.listeners().throwError();
      }
    } finally {
      stepping.unlock();
    }
  }

  private void advance() {
    if (Thread.interrupted()) {
      session.cancellation().interrupted();
    }
    if (facts.ending() == null) {
      waits.open(); // before the first write, because waits for the store need it
      opening.begin();
      course.open();
      course.advance();
    }
    reporter.listeners().throwError();
    LoopEnding ending = facts.ending();
    if (ending != null) {
      endAndFinish(ending);
    }
  }

  // ---- the end

  private void endAndFinish(LoopEnding why) {
    end(why, Runnable::run);
    finish(why);
  }

  /**
   * Ends the work, and writes pending records unless another loop holds the session.
   *
   * @param attempt runs each part
   */
  private void end(LoopEnding why, Consumer<Runnable> attempt) {
    RunClaim claim = session.claim();
    attempt.accept(course::cutOff);
    if (claim.wasTaken()) {
      attempt.accept(() -> session.mark().endOrphansIfUsed(settings.grace()));
    }
    if (claim.wasTaken() && claim.lost() == null) {
      attempt.accept(course::write);
    }
    if (claim.lost() == null && session.work().isEmpty()) {
      attempt.accept(() -> claim.end(recorded(why)));
    }
  }

  private LoopEnding recorded(LoopEnding why) {
    return why.recorded(session.present()::redacted);
  }

  /** Ends the loop even if the store fails. */
  private void endForGood(LoopEnding why) {
    try {
      end(why, Runnable::run);
    } catch (RalphException e) {
      // A failure of the store that ended the loop was already thrown.
      LOG.log(
          why.reason() == StopReason.STORE_FAILED ? Level.DEBUG : Level.WARNING,
          "the end of the loop on session "
              + session.present().name()
              + " could not be recorded; the next loop will report an interrupted run: "
              + e.getMessage());
      LOG.log(Level.DEBUG, "the stack trace of the failure", e);
    } catch (RuntimeException | Error fault) {
      endAtFault(fault);
      throw fault;
    }
    finish(why);
  }

  /** Ends the loop after a fault; later failures are added to the fault as suppressed. */
  private void endAtFault(Throwable fault) {
    if (result != null) {
      return;
    }
    LoopEnding why = LoopPolicy.atFault(fault);
    end(why, work -> attempt(work, fault));
    attempt(() -> finish(why), fault);
  }

  private static void attempt(Runnable work, Throwable fault) {
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      if (e != fault) {
        fault.addSuppressed(e);
      }
    }
  }

  /** Reports the end. Releases the session, or leaves the release to an abandoned agent. */
  private void finish(LoopEnding decided) {
    String lost = session.claim().lost();
    LoopEnding why = lost == null ? decided : new LoopEnding(StopReason.LOST, lost);
    LoopResult ended =
        new LoopResult(
            why.reason(), session.limits().iterations(), session.limits().usage(), why.detail());
    result = ended;
    if (session.work().isEmpty()) {
      session.claim().release();
    } else { // an abandoned agent may work on the session
      session.work().whenEnded(() -> session.claim().leave(recorded(why)));
    }
    course.close();
    waits.close();
    if (opening.isAnnounced()) {
      reporter.events().loopEnded(session.limits().last(), ended);
    }
  }
}

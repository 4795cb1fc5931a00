package dev.ralph.core.internal.loop;

import dev.ralph.Agent;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.RalphException;
import dev.ralph.StopReason;
import dev.ralph.Usage;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.control.RunToken;
import dev.ralph.core.internal.control.Steering;
import dev.ralph.core.internal.host.ProcessIdentity;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.prompt.SessionPrompt;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.log.Meta;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.Nullable;

/**
 * One run of a loop. Each step is taken in the caller's thread; only the agent and the gates have
 * threads of their own, and a step does not return before these have ended.
 *
 * <p>What has to be written is written once the thing itself is over. If the store refuses, the
 * step fails with nothing left running, and the next step, or the end, writes it first.
 */
final class LoopRun implements Loop {

  private static final System.Logger LOG = System.getLogger(LoopRun.class.getPackageName());
  private static final Duration LISTENER_PATIENCE = Duration.ofSeconds(10);
  private static final String CLOSED = "the loop was closed";
  private static final Backoff.Notice PAUSED =
      new Backoff.Notice("paused", Meta.of("reason", "paused"));

  private final LiveSession session;
  private final LedgerControl control;
  private final ProcessIdentity process = ProcessIdentity.current();
  private final LoopSettings settings;
  private final SessionPrompt prompt;
  private final List<String> warnings;
  private final ProcessMark mark;
  private final Events events;
  private final Cancellation cancellation = new Cancellation();
  private final AgentRunner agents;
  private final Completion completion;
  private final Budget budget;
  private final ProgressWatch progress;
  private final Endings endings;
  private final IterationRecorder recorder;
  private final Backoff backoff;
  private final QuestionWatch questions;

  /** How often in a row the store has refused; part of a step may get through before the rest. */
  private final Pause refusals;

  /** Held by the thread that takes a step or closes the loop; guards what follows. */
  private final ReentrantLock stepping = new ReentrantLock();

  @Nullable private RunToken token;
  private boolean claimed;
  private boolean announced;
  private boolean begun;
  @Nullable private Waiter waiter;
  private TimeBox timeLimit = TimeBox.of(null);
  private int last;
  private int iterations;
  private Usage usage = Usage.NONE;
  @Nullable private Ending ending;

  /** What the store did to the last step, or null where that got through. */
  @Nullable private RalphException failure;

  @Nullable private volatile LoopResult result;

  LoopRun(
      Agent agent,
      LiveSession session,
      LoopSettings settings,
      SessionPrompt prompt,
      List<String> warnings) {
    this.session = session;
    this.control = session.control();
    this.settings = settings;
    this.prompt = prompt;
    this.warnings = warnings;
    this.mark = ProcessMark.ofLoops(session.log().store().info(), session.name());
    this.events = new Events(settings.listeners(), session.log().clock(), LISTENER_PATIENCE);
    this.agents = new AgentRunner(agent, mark, cancellation);
    this.completion =
        new Completion(
            control,
            new Gates(settings, mark, cancellation, events),
            session.log()::redacted,
            cancellation,
            events);
    this.budget = new Budget(settings.limits(), settings.iterationLimits());
    this.progress =
        new ProgressWatch(
            session,
            new WorkFolder(settings.directory(), session.log().store().info()),
            settings.maxIdle(),
            settings.maxIterations());
    this.endings = new Endings(session, settings, completion, budget, progress);
    this.recorder = new IterationRecorder(session, events);
    this.backoff = new Backoff(settings.failurePause());
    this.questions = new QuestionWatch(session.questions(), events);
    this.refusals = new Pause(settings.failurePause(), Backoff.LONGEST_FAILURE_PAUSE);
  }

  @Override
  public LoopResult run() {
    while (true) {
      try {
        if (step() == Progress.ENDED) {
          return result().orElseThrow();
        }
        refusals.reset();
      } catch (RalphException e) {
        Duration pause = refusals.next();
        if (!mayPass(e) || refusals.tries() >= settings.maxFailures()) {
          throw e;
        }
        awaitStore(e, pause);
      }
    }
  }

  /** Whether a step may do better later; one that finds the session taken by another may not. */
  private boolean mayPass(RalphException failure) {
    return switch (failure.code()) {
      case LOCKED, FULL -> true;
      case CONTENDED -> claimed;
      default -> false;
    };
  }

  private void awaitStore(RalphException failure, Duration pause) {
    stepping.lock();
    try {
      Waiter stepWaiter = waiter;
      if (result != null || stepWaiter == null || cancellation.isRequested()) {
        return;
      }
      events.emit(
          LoopEvent.Type.NOTICE,
          last,
          "trying again in "
              + Words.time(pause)
              + ", as the store refused: "
              + failure.getMessage());
      TimeBox until = timeLimit.and(TimeBox.of(pause));
      while (!until.isUp() && !cancellation.isRequested()) {
        stepWaiter.await(until);
      }
    } finally {
      stepping.unlock();
      cancellation.restoreInterrupt();
    }
  }

  @Override
  public Progress step() {
    if (stepping.isHeldByCurrentThread() || agents.isCurrentThread() || !stepping.tryLock()) {
      throw RalphException.invalid("a step of this loop is under way; one thread steps a loop");
    }
    try {
      if (result == null) {
        failure = null;
        advance();
      }
      return result == null ? Progress.CONTINUE : Progress.ENDED;
    } catch (RalphException e) {
      boolean takenByAnother = e.code() == RalphException.Code.CONTENDED && !claimed;
      failure = takenByAnother ? null : e;
      throw e;
    } finally {
      stepping.unlock();
      cancellation.restoreInterrupt();
    }
  }

  @Override
  public String preview() {
    return render(nextIteration());
  }

  private int nextIteration() {
    return session.iterations().last().map(Iteration::number).orElse(0) + 1;
  }

  private String render(int iteration) {
    return prompt.render(
        iteration, session.log().clock().instant(), completion.refusedFor(), progress.warning());
  }

  @Override
  public Optional<LoopResult> result() {
    return Optional.ofNullable(result);
  }

  @Override
  public void cancel(String reason) {
    if (result == null) {
      cancellation.request(Words.unicode(reason));
    }
  }

  @Override
  public void close() {
    cancel(CLOSED);
    if (stepping.isHeldByCurrentThread() || agents.isCurrentThread() || events.isDispatching()) {
      // The step that called this ends the loop as soon as it gets the thread back.
      return;
    }
    stepping.lock();
    try {
      if (result == null) {
        endForGood();
      }
    } finally {
      stepping.unlock();
    }
  }

  // ---- a step

  private void advance() {
    if (Thread.interrupted()) {
      cancellation.interrupted();
    }
    if (ending == null && !cancellation.isRequested()) {
      begin();
      writeEnd();
      awaitTurn();
    }
    if (ending == null && !cancellation.isRequested()) {
      iterate();
    }
    if (ending == null && cancellation.isRequested()) {
      ending = new Ending(StopReason.INTERRUPTED, cancellation.reason());
    }
    if (ending != null) {
      end(ending);
    }
  }

  private void begin() {
    if (begun) {
      return;
    }
    if (token == null) {
      token = RunToken.take();
    }
    if (waiter == null) {
      // Before anything is written: whoever has to wait for the store needs it.
      waiter = new Waiter(session.followControl(), cancellation);
    }
    if (!claimed) {
      control.startLoop(process, token, nextIteration(), settings.maxIterations());
      claimed = true;
    }
    if (!announced) {
      events.emit(LoopEvent.Type.LOOP_STARTED, 0, "loop started on session " + session.name());
      announced = true;
      warnings.forEach(warning -> events.emit(LoopEvent.Type.NOTICE, 0, warning));
    }
    questions.look();
    endOrphans();
    recorder.closeDangling();
    carryUsageOver();
    timeLimit = TimeBox.of(settings.timeLimit());
    begun = true;
  }

  /** What a killed loop used counts towards the budget of the one that takes its place. */
  private void carryUsageOver() {
    Usage before = session.iterations().usageFrom(Math.max(1, control.firstOfRun()));
    if (budget.isLimited() && !before.equals(Usage.NONE)) {
      budget.add(before);
      events.emit(
          LoopEvent.Type.NOTICE,
          0,
          "the run that was cut off counts towards the budget; it used " + before);
    }
  }

  private void endOrphans() {
    List<Long> pids = mark.endOrphans(settings.grace());
    if (!pids.isEmpty()) {
      events.emit(
          LoopEvent.Type.ORPHANS_ENDED,
          0,
          "ended what an earlier run left behind: process "
              + String.join(", ", pids.stream().map(String::valueOf).toList()),
          Meta.of("pids", pids));
    }
  }

  /** Returns when the next iteration may begin, or the loop is to end. */
  private void awaitTurn() {
    boolean saidPaused = false;
    List<String> saidOpen = List.of();
    Waiter orders = Objects.requireNonNull(waiter, "the loop has not begun");
    while (!cancellation.isRequested()) {
      questions.look();
      Steering steering = control.steering();
      ending = endings.between(steering, last, iterations, timeLimit);
      if (ending != null) {
        return;
      }
      if (steering.claimed()) {
        continue; // it was judged, which may have taken long, or could not be
      }
      List<String> open = openQuestions();
      if (steering.paused()) {
        if (!saidPaused) {
          say(PAUSED);
          saidPaused = true;
        }
        orders.await(timeLimit);
      } else if (!open.isEmpty()) {
        if (!open.equals(saidOpen)) {
          say(waitingFor(open));
          saidOpen = open;
        }
        orders.await(timeLimit);
      } else if (!backoff.notBefore().isUp()) {
        Backoff.Notice notice = backoff.takeNotice();
        if (notice != null) {
          say(notice);
        }
        orders.await(timeLimit.and(backoff.notBefore()));
        if (backoff.isIdlePause() && progress.isStirred()) {
          backoff.cutShort();
        }
      } else {
        return;
      }
    }
  }

  /** Returns the questions that the loop has to wait for. */
  private List<String> openQuestions() {
    return settings.waitForAnswers()
        ? session.questions().open().stream().map(question -> "q" + question.number()).toList()
        : List.of();
  }

  private static Backoff.Notice waitingFor(List<String> open) {
    return new Backoff.Notice(
        "waiting for "
            + (open.size() == 1 ? "an answer to " : "answers to ")
            + String.join(", ", open),
        Meta.of("reason", "questions").with("open", open));
  }

  private void say(Backoff.Notice notice) {
    events.emit(LoopEvent.Type.WAITING, last, notice.message(), notice.data());
  }

  // ---- an iteration

  private void iterate() {
    progress.begin();
    int number = recorder.begin(process);
    last = number;
    iterations++;
    long began = System.nanoTime();
    AgentOutcome outcome;
    try {
      outcome = runAgent(number);
    } catch (RuntimeException | Error e) {
      recorder.ended(number, AgentOutcome.broken(e), took(began));
      if (agents.hasLeftBehind()) {
        endBesideAgent();
      }
      throw e;
    }
    recorder.ended(number, outcome, took(began));
    usage = usage.plus(outcome.usage());
    spend(outcome.usage());
    progress.ended(outcome.status());
    // Before anything can fail: an agent that was abandoned must never be joined by a second one.
    follow(outcome);
    questions.look();
    writeEnd();
    if (ending == null && !cancellation.isRequested()) {
      // Ends right after an iteration, where it is known that no other follows.
      ending = endings.between(control.steering(), last, iterations, timeLimit);
    }
  }

  private void spend(Usage used) {
    boolean wasBlind = budget.isBlindToCost();
    budget.add(used);
    if (!wasBlind && budget.isBlindToCost()) {
      events.emit(
          LoopEvent.Type.NOTICE,
          last,
          "the agent does not say what it costs, so the limit of the cost has no effect; limit the"
              + " tokens instead");
    }
  }

  private AgentOutcome runAgent(int number) {
    TimeBox limit = timeLimit.and(TimeBox.of(settings.iterationTimeLimit()));
    String text = render(number);
    Transcript transcript = new Transcript(session.iterations(), number, session.log()::redacted);
    LoopTurn turn =
        new LoopTurn(
            session,
            settings,
            number,
            text,
            mark.text(),
            limit.isLimited() ? session.log().clock().instant().plus(limit.left()) : null,
            events,
            transcript,
            budget);
    UsageLog used = new UsageLog(session.iterations(), number, turn::used);
    events.emit(LoopEvent.Type.ITERATION_STARTED, number, "iteration " + number + " started");
    return agents.run(
        turn,
        "ralph-agent-" + session.name() + "-" + number,
        limit,
        () -> {
          transcript.flush();
          used.keep();
          questions.look();
        });
  }

  private static Duration took(long began) {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  /** Writes the end of the last iteration, if that is still to be done. */
  private void writeEnd() {
    if (recorder.write()) {
      refusals.reset();
    }
  }

  /** Draws the consequences of how the agent ended. */
  private void follow(AgentOutcome outcome) {
    int failuresBefore = backoff.failures();
    backoff.note(outcome, progress.isStuck());
    if (outcome.status() == Iteration.Status.SUCCESS) {
      completion.forgetRefusal();
    }
    boolean failed = backoff.failures() > failuresBefore;
    ending = endings.after(outcome, failed ? backoff.failures() : 0, timeLimit);
    if (outcome.isAbandoned()) {
      endBesideAgent();
    }
  }

  private void endBesideAgent() {
    if (ending == null && !cancellation.isRequested()) {
      ending = Endings.besideAgent(last, timeLimit);
    }
  }

  // ---- the end

  private void end(Ending why) {
    if (claimed) {
      mark.endOrphans(settings.grace());
      writeEnd();
    }
    // Where nobody knows whether its beginning was written, its end may have to be.
    if (token != null && !agents.hasLeftBehind()) {
      control.endLoop(token, why.reason().word());
    }
    finish(why);
  }

  /** Ends the loop whatever the store says. */
  private void endForGood() {
    Ending why = ending != null ? ending : forGood();
    try {
      end(why);
    } catch (RalphException e) {
      // Where the store ended the loop, its failure was thrown already.
      LOG.log(
          why.reason() == StopReason.STORE_FAILED ? Level.DEBUG : Level.WARNING,
          "the end of the loop on session "
              + session.name()
              + " could not be written; the next loop there will find it cut off: "
              + e.getMessage());
      LOG.log(Level.DEBUG, "where that came from", e);
      finish(why);
    } catch (RuntimeException | Error e) {
      // A fault in the store, the clock or here. Others may work on the session all the same.
      if (token != null && !agents.hasLeftBehind()) {
        leave(token, why);
      }
      finish(why);
      throw e;
    }
  }

  /** Returns why a loop ends that was closed before it came to an end by itself. */
  private Ending forGood() {
    RalphException refused = failure;
    String reason = cancellation.reason();
    return refused != null && CLOSED.equals(reason)
        ? new Ending(StopReason.STORE_FAILED, refused.getMessage())
        : new Ending(StopReason.INTERRUPTED, reason);
  }

  /** Gives the session free, to this process and all others. */
  private void leave(RunToken left, Ending why) {
    try {
      control.endLoop(left, why.reason().word());
    } catch (RuntimeException e) {
      LOG.log(
          Level.DEBUG,
          "the end of a loop that left its agent behind could not be written; this process, or its"
              + " end, tells",
          e);
    } finally {
      left.release();
    }
  }

  private void finish(Ending why) {
    if (waiter != null) {
      waiter.close();
    }
    RunToken left = token;
    if (left != null && agents.hasLeftBehind()) {
      // The session stays taken as long as an agent may still work on it.
      agents.whenEnded(() -> leave(left, why));
    } else if (left != null) {
      left.release();
    }
    LoopResult ended = LoopResult.of(why.reason(), iterations, usage, why.detail());
    result = ended;
    if (announced) {
      events.emit(
          LoopEvent.Type.LOOP_ENDED,
          last,
          "loop ended: " + ended,
          Meta.of("reason", why.reason().word())
              .with("detail", why.detail())
              .with("iterations", iterations)
              .with("usage", IterationRecorder.meta(usage)));
    }
  }
}

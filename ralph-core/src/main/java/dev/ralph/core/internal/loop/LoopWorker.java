package dev.ralph.core.internal.loop;

import dev.ralph.AgentResult;
import dev.ralph.Claim;
import dev.ralph.Control.Activity.Kind;
import dev.ralph.Iteration;
import dev.ralph.Task;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.core.internal.loop.WorkPhase.Assigned;
import dev.ralph.core.internal.loop.WorkPhase.Committing;
import dev.ralph.core.internal.loop.WorkPhase.Ended;
import dev.ralph.core.internal.loop.WorkPhase.Entered;
import dev.ralph.core.internal.loop.WorkPhase.Entering;
import dev.ralph.core.internal.loop.WorkPhase.Recording;
import dev.ralph.core.internal.loop.WorkPhase.Working;
import dev.ralph.core.internal.loop.agent.AgentPlace;
import dev.ralph.core.internal.loop.agent.AgentTurns;
import dev.ralph.core.internal.loop.agent.AgentTurns.Begun;
import dev.ralph.core.internal.loop.agent.FileChanges;
import dev.ralph.core.internal.loop.agent.PolicyInterpreter;
import dev.ralph.core.internal.loop.agent.ReadyTurn;
import dev.ralph.core.internal.loop.agent.WorkDetector;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.core.internal.loop.policy.TeamFacts;
import dev.ralph.core.internal.loop.policy.WaitNotice;
import dev.ralph.core.internal.loop.run.CutOffWork;
import dev.ralph.core.internal.loop.run.LoopReporter;
import dev.ralph.core.internal.loop.run.LoopRole;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.WorkFolder;
import dev.ralph.core.internal.prompt.TeamContext;
import dev.ralph.core.internal.text.LogText;
import dev.ralph.core.internal.workspace.Workspaces;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A worker: one of several agents with an assignment and progress. Long work runs on other threads.
 * Only the thread that steps decides and writes; the thread waits only at the end of the run.
 */
final class LoopWorker {

  /** The time limit of a commit, which may be slow in a large repository. */
  private static final Duration KEEPING = Duration.ofMinutes(2);

  /** The time for ended work to return, in addition to the grace of its processes. */
  private static final Duration MARGIN = Duration.ofSeconds(20);

  private static final AgentOutcome INTERRUPTED =
      AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, AgentResult.success(), true);

  /** The assignment of the agent; the lease is null if it works alone without a task. */
  private record Job(LoopRole role, @Nullable TaskLease lease) {
    private @Nullable Task task() {
      return lease == null ? null : lease.task();
    }
  }

  private final LoopSession session;
  private final AgentTurns turns;
  private final LoopReporter reporter;
  private final PolicyInterpreter interpreter;
  private final Workspaces workspaces;
  private final LoopRole role;
  private final Function<Workspace, TeamContext> teamContext;
  private final Runnable wake;

  /** The agent's folder; null before the first assignment. */
  private @Nullable WorkFolder folder;

  /** Null without an assignment, like the phase. */
  private @Nullable Job job;

  private @Nullable WorkPhase phase;

  /** The reason why the agent stops; null while the agent continues. */
  private @Nullable LoopEnding over;

  /**
   * @param turns the turns of the agent
   * @param role the role in which the agent builds
   * @param teamContext returns the agent's assignment in its folder
   * @param wake called when the worker can advance; must be quick, and safe to call from any thread
   */
  LoopWorker(
      LoopSession session,
      AgentTurns turns,
      Workspaces workspaces,
      LoopRole role,
      Function<Workspace, TeamContext> teamContext,
      Runnable wake) {
    this.session = session;
    this.turns = turns;
    this.reporter = turns.reporter();
    this.interpreter = turns.interpreter();
    this.workspaces = workspaces;
    this.role = role;
    this.teamContext = teamContext;
    this.wake = wake;
  }

  int number() {
    return reporter.agent();
  }

  AgentTurns turns() {
    return turns;
  }

  /** Returns the facts of the worker for the policy. */
  TeamFacts.Worker facts() {
    Task task = task();
    String id = task == null ? "" : task.id();
    return new TeamFacts.Worker(number(), phase != null, id, over, turns.backoff());
  }

  /** Returns whether the agent can accept an assignment. */
  boolean isFree() {
    return facts().isFree(session.time().nanos());
  }

  /** Returns the task of the agent; null if it is idle or has no task. */
  @Nullable Task task() {
    return job == null ? null : job.task();
  }

  /** Assigns a task claimed for the agent, and begins to work. */
  void assign(Task task, Claim claim) {
    accept(new Job(role, new TaskLease(session.present(), task, claim)));
  }

  /**
   * Lets the agent work alone without a task.
   *
   * @param other the role to use; null for the role in which the agent builds
   */
  void workAlone(@Nullable LoopRole other) {
    accept(new Job(other == null ? role : other, null));
  }

  private void accept(Job given) {
    job = given;
    phase = new Assigned();
    advance();
  }

  /** Advances the assignment without waiting; returns whether the assignment ended. */
  boolean advance() {
    Job now = job;
    if (now == null) {
      if (isFree()) {
        reporter.activity().end();
      }
      return false;
    }
    for (WorkPhase next = phase; next != null; next = phase) {
      CutOffWork<?> work = next.work();
      if (work == null || work.isDone()) {
        step(now, next);
      } else if (next instanceof Working) {
        if (now.lease() != null) {
          now.lease().renewIfDue();
        }
        return false;
      } else {
        reporter.activity().goesOn();
        return false;
      }
    }
    return true;
  }

  /** Enters the next phase. After an exception of the ended work, the next phase is entered too. */
  private void step(Job now, WorkPhase before) {
    if (before instanceof Assigned) {
      begin(turns.begin(now.role(), now.task()));
    } else if (before instanceof Entering entering) {
      entered(entering);
    } else if (before instanceof Working working) {
      worked(working);
    } else if (before instanceof Committing committing) {
      kept(committing);
    } else if (before instanceof Ended ended) {
      conclude(now.lease(), ended);
    } else {
      reporter.writeEnd();
      job = null;
      phase = null;
    }
  }

  private void begin(Begun begun) {
    reporter.activity().begin(Kind.FOLDER, null, List.of());
    phase = ended(begun, INTERRUPTED); // if no thread can be started
    Task task = task();
    WorkFolder known = folder;
    phase = new Entering(begun, start("place", () -> enter(task, known)));
  }

  /** Prepares the folder, and computes the digest of its files if progress is watched. */
  private Entered enter(@Nullable Task task, @Nullable WorkFolder known)
      throws InterruptedException {
    int number = task == null ? Workspaces.NO_TASK : task.number();
    Workspace place = workspaces.enter(number(), number, task == null ? "" : task.id());
    FileChanges files =
        new FileChanges(known == null ? session.workFolder(place.directory()) : known);
    if (interpreter.facts().changes().isWatching()) {
      files.begin();
    }
    return new Entered(place, files);
  }

  private void entered(Entering now) {
    Begun begun = now.begun();
    Throwable failure = now.work().failure();
    Entered entered = now.work().value();
    reporter.activity().end();
    boolean isCancelled = session.cancellation().isRequested();
    if (entered == null || isCancelled) {
      boolean isInterrupted = failure == null || isLocked(failure) || isCancelled;
      String why =
          failure == null ? "" : "can't prepare the agent's folder: " + LogText.of(failure);
      phase = ended(begun, isInterrupted ? INTERRUPTED : AgentOutcome.of(AgentResult.failure(why)));
      throwIfError(failure);
      return;
    }
    try {
      folder = entered.files().folder();
      Workspace place = entered.place();
      AgentPlace own = turns.place(place.directory(), place.variables());
      ReadyTurn turn = turns.prepare(begun, own, teamContext.apply(place));
      CutOffWork<AgentOutcome> work = start("turn", () -> turn.take(turns.runner(), () -> {}));
      phase = new Working(begun, entered, turn, work);
    } catch (RuntimeException | Error e) {
      phase = ended(begun, AgentOutcome.broken(e));
      throw e;
    }
  }

  /** Starts work on its own thread, which wakes the stepping thread at its end. */
  private <T> CutOffWork<T> start(String what, Callable<T> work) {
    String thread = "ralph-" + what + "-" + session.present().name() + "-" + number();
    CutOffWork<T> started = new CutOffWork<>(CutOffWork.ownThread(thread), work);
    started.start();
    started.whenDone(wake);
    return started;
  }

  private Ended ended(Begun begun, AgentOutcome outcome) {
    Duration took = session.time().since(begun.nanos());
    return new Ended(begun, outcome, took, false, null, false);
  }

  /** Returns whether the cause is a lock file of the repository, which no agent can remove. */
  private static boolean isLocked(@Nullable Throwable failure) {
    return failure instanceof RepositoryLockedException;
  }

  private static boolean isStorageFailure(@Nullable Throwable failure) {
    return failure instanceof RalphException refused
        && (refused.code() == RalphException.Code.FULL || refused.code() == RalphException.Code.IO);
  }

  private static void throwIfError(@Nullable Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RepositoryLockedException locked) {
      throw locked;
    }
  }

  private void worked(Working now) {
    Throwable failure = now.work().failure();
    AgentOutcome outcome = now.work().value();
    Ended ended = ended(now.begun(), outcome == null ? AgentOutcome.broken(failure) : outcome);
    phase = ended;
    if (turns.runner().hasLeftBehind()) {
      interpreter.endBesideAgent(now.begun().iteration());
    } else if (session.claim().lost() == null) {
      // After the loss of the session, another loop owns the folder too.
      keep(now.folder(), ended);
    }
    throwIfError(failure);
    if (failure instanceof RuntimeException fault) {
      throw fault;
    }
  }

  private void keep(Entered folder, Ended ended) {
    Task task = task();
    String what = task == null ? "Work without a task" : "Work on t" + task.number();
    String title = what + ", in iteration " + ended.begun().iteration();
    boolean isWatching = interpreter.facts().changes().isWatching();
    CutOffWork<Boolean> work =
        start(
            "keep",
            () -> {
              boolean isChanged = !isWatching || folder.files().since();
              workspaces.keep(folder.place(), title);
              return isChanged;
            });
    phase = new Committing(ended, work);
    reporter.activity().begin(Kind.COMMIT, null, List.of());
  }

  private void kept(Committing now) {
    Ended ended = now.ended();
    Throwable failure = now.work().failure();
    Boolean isChanged = now.work().value();
    reporter.activity().end();
    Begun begun = ended.begun();
    if (isChanged != null) {
      phase = new Ended(begun, ended.outcome(), ended.took(), isChanged, null, false);
      return;
    }
    String why =
        "can't commit the agent's work, which stays in its folder"
            + (failure == null ? "" : ": " + LogText.of(failure));
    // The next loop commits changes that a lock file blocked.
    String unkept = isLocked(failure) ? null : why;
    Iteration.Status status =
        unkept == null ? Iteration.Status.INTERRUPTED : Iteration.Status.FAILURE;
    boolean isCancelled = session.cancellation().isRequested();
    AgentOutcome outcome = isCancelled ? ended.outcome() : ended.outcome().as(status, why);
    phase = new Ended(begun, outcome, ended.took(), true, unkept, isStorageFailure(failure));
    throwIfError(failure);
  }

  /** Records the end of the iteration in memory; may be called again after a failure. */
  private void conclude(@Nullable TaskLease lease, Ended ended) {
    boolean isRepeated = lease != null && lease.isRepeated();
    if (lease != null) {
      returnTask(lease, ended);
    }
    phase = new Recording();
    WorkDetector changes = interpreter.facts().changes();
    over =
        turns.ended(
            ended.begun(),
            ended.outcome(),
            ended.took(),
            () -> changes.hasChanged(isRepeated, ended::isChanged));
    reportPause();
  }

  /**
   * Returns the task if its work could not be committed, or the agent ended without completing it.
   */
  private void returnTask(TaskLease lease, Ended ended) {
    boolean isCancelled = session.cancellation().isRequested();
    boolean isRefusal = ended.unkept() == null && !isCancelled && ended.outcome().isEnded();
    String why = isRefusal ? lease.refused() : ended.unkept();
    boolean isUncounted = isCancelled || ended.isStorageFailure();
    int before = why == null ? 0 : session.present().tasks().get(lease.task().id()).attempts();
    Task returned =
        why == null ? null : lease.reopen(why, isUncounted ? -1 : turns.settings().maxAttempts());
    if (returned != null) {
      int iteration = ended.begun().iteration();
      TaskReturn.report(session.present(), reporter.events(), returned, before, iteration);
    }
  }

  private void reportPause() {
    WaitNotice waits = turns.backoff().notice();
    if (over != null) {
      reporter.activity().await(Kind.OVER, over.detail(), List.of(), null);
    } else if (waits != null) {
      reporter.activity().await(waits.reason(), List.of(), waits.atMost());
    }
  }

  /** Ends the agent for a reason that concerns the whole run. */
  void endEarly(String why) {
    if (phase instanceof Working working) {
      working.turn().end(why);
    }
  }

  // ---- the end of the run

  /** Starts to cancel the work, when the loop is cancelled. */
  void cutOff() {
    if (phase instanceof Entering entering) {
      entering.work().interrupt();
    }
  }

  /**
   * Waits until the cancelled work has ended.
   *
   * @throws RuntimeException the exception of the agent's turn; the work has ended nevertheless
   * @throws Error the error of the agent's turn; the work has ended nevertheless
   */
  void settle() {
    Duration grace = turns.settings().grace();
    if (phase instanceof Entering entering
        && endsWithin(entering.begun(), entering.work(), grace.plus(MARGIN))) {
      entered(entering);
    }
    Duration agents = grace.multipliedBy(3).plus(MARGIN.multipliedBy(2));
    if (phase instanceof Working working && endsWithin(working.begun(), working.work(), agents)) {
      worked(working);
    }
    if (phase instanceof Committing committing
        && endsWithin(committing.ended().begun(), committing.work(), KEEPING)) {
      kept(committing);
    }
  }

  /** Returns whether the work of a phase has ended in time; otherwise the work is abandoned. */
  private boolean endsWithin(Begun begun, CutOffWork<?> work, Duration limit) {
    if (work.awaitEnd(limit)) {
      return true;
    }
    work.interrupt();
    if (work.awaitEnd(MARGIN)) {
      return true;
    }
    session.work().add(work);
    phase = ended(begun, AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, null, false));
    return false;
  }

  /** Writes pending records after {@link #settle}. */
  void writeEnd() {
    Job now = job;
    if (now != null && phase instanceof Assigned && now.lease() != null) {
      now.lease().release();
    } else if (now != null && (phase instanceof Ended || phase instanceof Recording)) {
      advance();
    }
    job = null;
    phase = null;
  }
}

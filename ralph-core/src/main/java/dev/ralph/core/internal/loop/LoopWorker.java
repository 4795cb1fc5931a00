package dev.ralph.core.internal.loop;

import dev.ralph.AgentResult;
import dev.ralph.Claim;
import dev.ralph.Control.Activity.Kind;
import dev.ralph.Iteration;
import dev.ralph.Task;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.Backoff;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.core.internal.loop.policy.TeamFacts;
import dev.ralph.core.internal.prompt.TeamContext;
import dev.ralph.core.internal.text.LogText;
import dev.ralph.core.internal.workspace.Workspaces;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A worker: one of several agents with an assignment and progress. Long work runs on other threads.
 * Only the thread that steps decides and writes; the thread waits only at the end of the run.
 */
final class LoopWorker {

  /** The time limit of a commit, which may be slow in a large repository. */
  private static final Duration KEEPING = Duration.ofMinutes(2);

  /** The phase of an assignment. */
  private enum Phase {
    /** The iteration is to begin. */
    BEGIN,
    /** The folder is being prepared. */
    ENTER,
    /** The agent works. */
    WORK,
    /** The changes are being committed. */
    KEEP,
    /** The end of the iteration is to be written. */
    END
  }

  /** The assignment of the agent. */
  private static final class Job {
    private final LoopRole role;

    /** Null if the agent works alone without a task. */
    private final @Nullable TaskLease lease;

    private Phase phase = Phase.BEGIN;
    private int iteration;
    private Budget.@Nullable Share share;
    private long began;
    private @Nullable FileChanges files;
    private @Nullable CutOffWork<Workspace> entering;
    private @Nullable ReadyTurn turn;
    private @Nullable CutOffWork<AgentOutcome> working;
    private @Nullable CutOffWork<Boolean> keeping;
    private @Nullable AgentOutcome outcome;
    private @Nullable Duration took;

    /** The reason why the work could not be committed; null otherwise. */
    private @Nullable String unkept;

    /** Whether the disk was full or not accessible when the work was committed. */
    private boolean isStorageFailure;

    private boolean isChanged;
    private boolean isTold;

    private Job(LoopRole role, @Nullable TaskLease lease) {
      this.role = role;
      this.lease = lease;
    }

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
  private final Function<Workspace, TeamContext> company;
  private final LaneThreads threads;
  private @Nullable WorkFolder folder;
  private @Nullable Path folderOf;
  private @Nullable Job job;

  /** The reason why the agent stops; null while the agent continues. */
  private @Nullable LoopEnding over;

  /**
   * @param turns the turns of the agent
   * @param role the role in which the agent builds
   * @param company returns the agent's assignment in its folder
   * @param wake called when the worker can advance; must be quick, and safe to call from any thread
   */
  LoopWorker(
      LoopSession session,
      AgentTurns turns,
      Workspaces workspaces,
      LoopRole role,
      Function<Workspace, TeamContext> company,
      Runnable wake) {
    this.session = session;
    this.turns = turns;
    this.reporter = turns.reporter();
    this.interpreter = turns.interpreter();
    this.workspaces = workspaces;
    this.role = role;
    this.company = company;
    this.threads = new LaneThreads(session.present().name() + "-" + number(), wake);
  }

  int number() {
    return reporter.agent();
  }

  LoopReporter reporter() {
    return reporter;
  }

  AgentPauses pauses() {
    return turns.pauses();
  }

  /** Returns the facts of the worker for the policy. */
  TeamFacts.Worker facts() {
    Task task = task();
    return new TeamFacts.Worker(
        number(), job != null, task == null ? "" : task.id(), over, pauses().backoff());
  }

  private boolean isPaused() {
    return !pauses().backoff().notBefore().isUp(session.time().nanos());
  }

  /** Returns the name under which tasks are claimed for the agent. */
  String owner() {
    return "agent-" + number();
  }

  boolean isBusy() {
    return job != null;
  }

  /** Returns the reason why the agent stops; null while the agent continues. */
  @Nullable LoopEnding over() {
    return over;
  }

  /** Returns whether the agent can accept an assignment. */
  boolean isFree() {
    return job == null && over == null && !isPaused();
  }

  /** Returns the task of the agent; null if it is idle or has no task. */
  @Nullable Task task() {
    return job == null ? null : job.task();
  }

  /** Assigns a task claimed for the agent. */
  void give(Task task, Claim claim) {
    job = new Job(role, new TaskLease(session.present(), task, claim));
  }

  /**
   * Lets the agent work alone without a task.
   *
   * @param other the role to use; null for the role in which the agent builds
   */
  void letAlone(@Nullable LoopRole other) {
    job = new Job(other == null ? role : other, null);
  }

  /** Advances the assignment without waiting; returns whether the assignment ended. */
  boolean advance() {
    Job now = job;
    if (now == null && over == null && !isPaused()) {
      reporter.activity().end();
    }
    while (now != null) {
      switch (now.phase) {
        case BEGIN -> begin(now);
        case ENTER -> {
          if (LaneThreads.isRunning(now.entering)) {
            reporter.activity().goesOn();
            return false;
          }
          entered(now);
        }
        case WORK -> {
          if (LaneThreads.isRunning(now.working)) {
            if (now.lease != null) {
              now.lease.renewIfDue();
            }
            return false;
          }
          worked(now);
        }
        case KEEP -> {
          if (LaneThreads.isRunning(now.keeping)) {
            reporter.activity().goesOn();
            return false;
          }
          kept(now);
        }
        case END -> {
          write(now);
          job = null;
          return true;
        }
      }
    }
    return false;
  }

  private void begin(Job now) {
    Task task = now.task();
    session.claim().renewIfDue();
    Budget.Share share = turns.begin(now.role, task);
    now.share = share;
    now.iteration = share.iteration();
    now.began = session.time().nanos();
    now.phase = Phase.ENTER;
    reporter.activity().begin(Kind.FOLDER, null, List.of());
    now.entering =
        threads.start(
            "place",
            () -> {
              Workspace place =
                  workspaces.enter(
                      number(),
                      task == null ? Workspaces.NO_TASK : task.number(),
                      task == null ? "" : task.id());
              lookAt(now, place.directory());
              return place;
            });
  }

  /** Takes a look at the files before the agent works, if progress is watched. */
  private void lookAt(Job now, Path directory) {
    if (interpreter.facts().changes().isWatching()) {
      WorkFolder known = folder;
      if (known == null || !directory.equals(folderOf)) {
        known = session.workFolder(directory);
        folder = known;
        folderOf = directory;
      }
      FileChanges files = new FileChanges(known);
      files.begin();
      now.files = files;
    }
  }

  private void entered(Job now) {
    Throwable failure = failureOf(now.entering);
    Workspace place = now.entering == null ? null : now.entering.value();
    reporter.activity().end();
    now.phase = Phase.END;
    now.took = session.time().since(now.began);
    if (place == null || session.cancellation().isRequested()) {
      now.outcome =
          failure == null || isLocked(failure) || session.cancellation().isRequested()
              ? AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, AgentResult.success(), true)
              : AgentOutcome.of(
                  AgentResult.failure("can't prepare the agent's folder: " + LogText.of(failure)));
      throwIfError(failure);
      return;
    }
    try {
      ReadyTurn turn =
          turns.prepare(
              now.role,
              share(now),
              turns.place(place.directory(), place.variables()),
              company.apply(place));
      now.turn = turn;
      now.working = threads.start("turn", () -> turn.take(turns.runner(), () -> {}));
      now.phase = Phase.WORK;
    } catch (RuntimeException | Error e) {
      now.outcome = AgentOutcome.broken(e);
      throw e;
    }
  }

  private static Budget.Share share(Job now) {
    return Objects.requireNonNull(now.share, "the iteration has not begun");
  }

  private static @Nullable Throwable failureOf(@Nullable CutOffWork<?> work) {
    return work == null ? null : work.failure();
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

  private void worked(Job now) {
    Throwable failure = failureOf(now.working);
    AgentOutcome outcome = now.working == null ? null : now.working.value();
    now.outcome = outcome == null ? AgentOutcome.broken(failure) : outcome;
    now.took = session.time().since(now.began);
    now.phase = Phase.END;
    if (turns.runner().hasLeftBehind()) {
      interpreter.endBesideAgent(now.iteration);
    } else if (session.claim().lost() == null) {
      // After the loss of the session, another loop owns the folder too.
      keep(now);
    }
    throwIfError(failure);
    if (failure instanceof RuntimeException fault) {
      throw fault;
    }
  }

  private void keep(Job now) {
    Workspace place =
        Objects.requireNonNull(now.entering == null ? null : now.entering.value(), "no folder");
    FileChanges files = now.files;
    Task task = now.task();
    String what = task == null ? "Work without a task" : "Work on t" + task.number();
    now.keeping =
        threads.start(
            "keep",
            () -> {
              boolean isChanged = files == null || files.since();
              workspaces.keep(place, what + ", in iteration " + now.iteration);
              return isChanged;
            });
    now.phase = Phase.KEEP;
    reporter.activity().begin(Kind.COMMIT, null, List.of());
  }

  private void kept(Job now) {
    Throwable failure = failureOf(now.keeping);
    Boolean isChanged = now.keeping == null ? null : now.keeping.value();
    now.phase = Phase.END;
    reporter.activity().end();
    now.isChanged = isChanged == null || isChanged;
    if (isChanged == null) {
      String why =
          "can't commit the agent's work, which stays in its folder"
              + (failure == null ? "" : ": " + LogText.of(failure));
      // The next loop commits changes that a lock file blocked.
      now.unkept = isLocked(failure) ? null : why;
      now.isStorageFailure = isStorageFailure(failure);
      AgentOutcome outcome = now.outcome;
      Iteration.Status status =
          isLocked(failure) ? Iteration.Status.INTERRUPTED : Iteration.Status.FAILURE;
      now.outcome =
          outcome == null || session.cancellation().isRequested()
              ? outcome
              : outcome.as(status, why);
      throwIfError(failure);
    }
  }

  /** Writes the end of the iteration; may be called again after a failure. */
  private void write(Job now) {
    AgentOutcome outcome = Objects.requireNonNull(now.outcome, "it has ended");
    boolean isRepeated = now.lease != null && now.lease.isRepeated();
    returnTask(now, outcome);
    if (!now.isTold) {
      now.isTold = true;
      WorkDetector changes = interpreter.facts().changes();
      over =
          turns.ended(
              share(now),
              now.role,
              outcome,
              Objects.requireNonNull(now.took, "it has ended"),
              () -> changes.hasChanged(isRepeated, () -> now.isChanged));
      reportPause();
    }
    reporter.writeEnd();
  }

  /**
   * Returns the task if its work could not be committed, or the agent ended without completing it.
   */
  private void returnTask(Job now, AgentOutcome outcome) {
    TaskLease lease = now.lease;
    String unkept = now.unkept;
    now.unkept = null;
    if (lease == null) {
      return;
    }
    boolean isCancelled = session.cancellation().isRequested();
    boolean isRefusal = unkept == null && !isCancelled && outcome.isEnded();
    String why = isRefusal ? lease.refused() : unkept;
    boolean isUncounted = isCancelled || now.isStorageFailure;
    int before = why == null ? 0 : session.present().tasks().get(lease.task().id()).attempts();
    Task returned =
        why == null ? null : lease.reopen(why, isUncounted ? -1 : turns.settings().maxAttempts());
    if (returned != null) {
      TaskReturn.report(session.present(), reporter.events(), returned, before, now.iteration);
    }
  }

  private void reportPause() {
    Backoff.Notice waits = pauses().backoff().notice();
    if (over != null) {
      reporter.activity().await(Kind.OVER, over.detail(), List.of(), null);
    } else if (waits != null) {
      reporter.activity().await(waits.reason(), List.of(), waits.atMost());
    }
  }

  /** Ends the agent for a reason that concerns the whole run. */
  void endEarly(String why) {
    ReadyTurn turn = job == null ? null : job.turn;
    if (turn != null) {
      turn.end(why);
    }
  }

  // ---- the end of the run

  /** Starts to cancel the work, when the loop is cancelled. */
  void cutOff() {
    if (job != null && job.phase == Phase.ENTER && job.entering != null) {
      job.entering.interrupt();
    }
  }

  /**
   * Waits until the cancelled work has ended.
   *
   * @throws RuntimeException the exception of the agent's turn; the work has ended nevertheless
   * @throws Error the error of the agent's turn; the work has ended nevertheless
   */
  void settle() {
    Job now = job;
    if (now == null) {
      return;
    }
    Duration grace = turns.settings().grace();
    if (now.phase == Phase.ENTER && isOver(now, now.entering, grace.plus(LaneThreads.MARGIN))) {
      entered(now);
    }
    if (now.phase == Phase.WORK
        && isOver(
            now, now.working, grace.multipliedBy(3).plus(LaneThreads.MARGIN.multipliedBy(2)))) {
      worked(now);
    }
    if (now.phase == Phase.KEEP && isOver(now, now.keeping, KEEPING)) {
      kept(now);
    }
  }

  /** Returns whether work has ended in time; otherwise the work is abandoned. */
  private boolean isOver(Job now, @Nullable CutOffWork<?> work, Duration limit) {
    boolean hasEnded = threads.endsWithin(work, limit);
    if (!hasEnded) {
      now.phase = Phase.END;
      now.took = session.time().since(now.began);
      now.outcome = AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, null, false);
    }
    return hasEnded;
  }

  /** Writes pending records after {@link #settle}. */
  void writeEnd() {
    Job now = job;
    if (now != null && now.phase == Phase.END) {
      write(now);
    } else if (now != null && now.phase == Phase.BEGIN && now.lease != null) {
      now.lease.giveBack();
    }
    job = null;
  }

  /** Returns whether the current thread is the agent's thread. */
  boolean isCurrentThread() {
    return turns.runner().isCurrentThread();
  }

  /** Returns whether cancelled work has not ended. */
  boolean hasLeftBehind() {
    return turns.runner().hasLeftBehind() || threads.hasLeftBehind();
  }

  /** Runs an action when the abandoned work has ended. */
  void whenEnded(Runnable next) {
    if (turns.runner().hasLeftBehind()) {
      turns.runner().whenEnded(next);
    } else {
      threads.whenEnded(next);
    }
  }
}

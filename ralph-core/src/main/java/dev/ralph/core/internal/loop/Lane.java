package dev.ralph.core.internal.loop;

import dev.ralph.AgentResult;
import dev.ralph.Claim;
import dev.ralph.Control.Activity.Kind;
import dev.ralph.Iteration;
import dev.ralph.Task;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.prompt.Company;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.workspace.Workspaces;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One agent of several: what it was given, and how far it has come with it. What takes its time is
 * done on other threads; all that is decided and written is by the thread that steps, which never
 * waits here but at the end of the run.
 */
final class Lane {

  /** To commit what an agent has left may take long in a large repository. */
  private static final Duration KEEPING = Duration.ofMinutes(2);

  /** How far it is. */
  private enum Phase {
    /** Its iteration is to be begun. */
    BEGIN,
    /** Its folder is prepared. */
    ENTER,
    /** The agent works. */
    WORK,
    /** What it left is committed. */
    KEEP,
    /** How that ended is to be written. */
    END
  }

  /** What the agent was given. */
  private static final class Job {
    private final LoopRole role;

    /** Null where it works alone. */
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

    /** Why what it did could not be committed; null where it could. */
    private @Nullable String unkept;

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

  private final Parts parts;
  private final LiveSession session;
  private final Workspaces workspaces;
  private final int number;
  private final LoopRole role;
  private final Function<Workspace, Company> company;
  private final LaneThreads threads;
  private final ProcessMark mark;
  private final Listeners events;
  private final AgentRunner runner;
  private final IterationRecorder recorder;
  private final Backoff backoff;
  private final Doing doing;
  private @Nullable WorkFolder folder;
  private @Nullable Path folderOf;
  private @Nullable Job job;

  /** Why it takes no further turn; null while it does. */
  private @Nullable Ending over;

  /**
   * @param number from 1
   * @param role what it builds with
   * @param company returns whom it works with, in a folder of its own
   * @param wake called when there is something to be taken on; quick, from any thread
   */
  Lane(
      Parts parts,
      Workspaces workspaces,
      int number,
      LoopRole role,
      Function<Workspace, Company> company,
      Runnable wake) {
    this.parts = parts;
    this.session = parts.session;
    this.workspaces = workspaces;
    this.number = number;
    this.role = role;
    this.company = company;
    this.threads = new LaneThreads(session.name() + "-" + number, wake);
    this.mark = parts.mark.ofAgent(number);
    this.events = parts.events.of(number);
    this.runner = new AgentRunner(mark, parts.claim, parts.cancellation, parts.time);
    this.recorder = parts.recorder.of(events);
    this.backoff = new Backoff(parts.settings.failurePause(), parts.time);
    this.doing = parts.doing(number);
  }

  int number() {
    return number;
  }

  Listeners events() {
    return events;
  }

  Backoff backoff() {
    return backoff;
  }

  /** Returns the name that its tasks are claimed under. */
  String owner() {
    return "agent-" + number;
  }

  boolean isBusy() {
    return job != null;
  }

  /** Returns why it takes no further turn; null while it does. */
  @Nullable Ending over() {
    return over;
  }

  /** Returns whether it can be given something now. */
  boolean isFree() {
    return job == null && over == null && backoff.notBefore().isUp();
  }

  /** Returns what it works on; null where that is nothing, or no task. */
  @Nullable Task task() {
    return job == null ? null : job.task();
  }

  /** Gives it a task that is claimed for it. */
  void give(Task task, Claim claim) {
    job = new Job(role, new TaskLease(session, task, claim));
  }

  /**
   * Lets it work alone.
   *
   * @param other what it does that; null for what it builds with
   */
  void letAlone(@Nullable LoopRole other) {
    job = new Job(other == null ? role : other, null);
  }

  /** Takes on what it does as far as nothing has to be waited for; returns whether that ended. */
  boolean advance() {
    Job now = job;
    if (now == null && over == null && backoff.notBefore().isUp()) {
      doing.end();
    }
    while (now != null) {
      switch (now.phase) {
        case BEGIN -> begin(now);
        case ENTER -> {
          if (LaneThreads.isRunning(now.entering)) {
            doing.goesOn();
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
            doing.goesOn();
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
    parts.claim.renewIfDue();
    now.iteration =
        recorder.begin(parts.roles.word(now.role), number, task == null ? null : task.id());
    parts.state.begin(now.iteration);
    now.share = parts.budget.begin(now.iteration, now.role.limits());
    now.began = parts.time.nanos();
    now.phase = Phase.ENTER;
    doing.begin(Kind.FOLDER, null, List.of());
    now.entering =
        threads.start(
            "place",
            () -> {
              Workspace place =
                  workspaces.enter(
                      number,
                      task == null ? Workspaces.NO_TASK : task.number(),
                      task == null ? "" : task.id());
              lookAt(now, place.directory());
              return place;
            });
  }

  /** Looks at the files as they are before the agent works, where it matters whether it changes. */
  private void lookAt(Job now, Path directory) {
    if (parts.progress.isWatching()) {
      WorkFolder known = folder;
      if (known == null || !directory.equals(folderOf)) {
        known = parts.workFolder(directory);
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
    doing.end();
    now.phase = Phase.END;
    now.took = parts.time.since(now.began);
    if (place == null || parts.cancellation.isRequested()) {
      now.outcome =
          failure == null || isLocked(failure) || parts.cancellation.isRequested()
              ? AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, AgentResult.success(), true)
              : AgentOutcome.of(
                  AgentResult.failure("its folder could not be prepared: " + LogText.of(failure)));
      throwIfError(failure);
      return;
    }
    try {
      ReadyTurn turn =
          ReadyTurn.prepare(
              parts,
              now.role,
              share(now),
              now.iteration,
              new AgentPlace(number, place.directory(), mark, place.variables()),
              company.apply(place),
              events);
      now.turn = turn;
      now.working = threads.start("turn", () -> turn.take(runner, () -> {}));
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

  /** Returns whether a lock file of the repository is the reason, which no agent can remove. */
  private static boolean isLocked(@Nullable Throwable failure) {
    return failure instanceof RepositoryLockedException;
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
    now.took = parts.time.since(now.began);
    now.phase = Phase.END;
    if (runner.hasLeftBehind()) {
      parts.endings.besideAgent(now.iteration);
    } else if (parts.claim.lost() == null) {
      // Of a lost session all is another loop's, the folder too.
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
    String what = task == null ? "What was done alone" : "Work on t" + task.number();
    now.keeping =
        threads.start(
            "keep",
            () -> {
              boolean isChanged = files == null || files.since();
              workspaces.keep(place, what + ", in iteration " + now.iteration);
              return isChanged;
            });
    now.phase = Phase.KEEP;
    doing.begin(Kind.COMMIT, null, List.of());
  }

  private void kept(Job now) {
    Throwable failure = failureOf(now.keeping);
    Boolean isChanged = now.keeping == null ? null : now.keeping.value();
    now.phase = Phase.END;
    doing.end();
    now.isChanged = isChanged == null || isChanged;
    if (isChanged == null) {
      String why =
          "what it did could not be committed, and is in its folder still"
              + (failure == null ? "" : ": " + LogText.of(failure));
      // The next loop commits what a lock file kept from being committed.
      now.unkept = isLocked(failure) ? null : why;
      AgentOutcome outcome = now.outcome;
      Iteration.Status status =
          isLocked(failure) ? Iteration.Status.INTERRUPTED : Iteration.Status.FAILURE;
      now.outcome =
          outcome == null || parts.cancellation.isRequested() ? outcome : outcome.as(status, why);
      throwIfError(failure);
    }
  }

  /** Writes how it ended; may be called again where that failed. */
  private void write(Job now) {
    AgentOutcome outcome = Objects.requireNonNull(now.outcome, "it has ended");
    boolean isRepeated = now.lease != null && now.lease.isRepeated();
    returnTask(now, outcome);
    if (!now.isTold) {
      now.isTold = true;
      recorder.ended(now.iteration, outcome, Objects.requireNonNull(now.took, "it has ended"));
      parts.spend(share(now), outcome, events);
      parts.progress.ended(now.role.role(), outcome.status(), isRepeated, () -> now.isChanged);
      follow(now, outcome);
    }
    if (recorder.write()) {
      parts.refusals.reset();
    }
  }

  /** Returns the task if its work could not be kept, or the agent ended without completing it. */
  private void returnTask(Job now, AgentOutcome outcome) {
    TaskLease lease = now.lease;
    String unkept = now.unkept;
    now.unkept = null;
    if (lease == null) {
      return;
    }
    boolean isCancelled = parts.cancellation.isRequested();
    boolean isEnded =
        outcome.status() == Iteration.Status.SUCCESS
            || outcome.status() == Iteration.Status.FAILURE;
    String why = unkept != null || isCancelled || !isEnded ? unkept : lease.refused();
    int before = why == null ? 0 : session.tasks().get(lease.task().id()).attempts();
    Task returned =
        why == null ? null : lease.reopen(why, isCancelled ? -1 : parts.settings.maxAttempts());
    if (returned != null) {
      TaskReturn.report(session, events, returned, before, now.iteration);
    }
  }

  private void follow(Job now, AgentOutcome outcome) {
    int failuresBefore = backoff.failures();
    backoff.note(outcome, parts.progress.isStuck());
    if (outcome.status() == Iteration.Status.SUCCESS && now.role.role() == Iteration.Role.BUILD) {
      parts.completion.forgetRefusal();
    }
    boolean failed = backoff.failures() > failuresBefore;
    over = parts.endings.ofAgent(outcome, failed ? backoff.failures() : 0);
    Backoff.Notice waits = backoff.notice();
    if (over != null) {
      doing.await(Kind.OVER, over.detail(), List.of(), null);
    } else if (waits != null) {
      doing.await(waits.reason(), List.of(), waits.atMost());
    }
  }

  /** Has its agent ended, for a reason that concerns the whole run. */
  void endEarly(String why) {
    ReadyTurn turn = job == null ? null : job.turn;
    if (turn != null) {
      turn.end(why);
    }
  }

  // ---- the end of the run

  /** Begins to cut off what it does, once the loop is cancelled. */
  void cutOff() {
    if (job != null && job.phase == Phase.ENTER && job.entering != null) {
      job.entering.interrupt();
    }
  }

  /**
   * Waits until nothing of it runs, once that was cut off.
   *
   * @throws RuntimeException what its agent's turn threw; it has ended all the same
   * @throws Error as above
   */
  void settle() {
    Job now = job;
    if (now == null) {
      return;
    }
    Duration grace = parts.settings.grace();
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

  /** Returns whether a work has ended in time; one that has not is left behind. */
  private boolean isOver(Job now, @Nullable CutOffWork<?> work, Duration limit) {
    boolean hasEnded = threads.endsWithin(work, limit);
    if (!hasEnded) {
      now.phase = Phase.END;
      now.took = parts.time.since(now.began);
      now.outcome = AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, null, false);
    }
    return hasEnded;
  }

  /** Writes what is still to be written, once it has settled. */
  void writeEnd() {
    Job now = job;
    if (now != null && now.phase == Phase.END) {
      write(now);
    } else if (now != null && now.phase == Phase.BEGIN && now.lease != null) {
      now.lease.giveBack();
    }
    job = null;
  }

  /** Returns whether the current thread is the one that its agent runs on. */
  boolean isCurrentThread() {
    return runner.isCurrentThread();
  }

  /** Returns whether something was told to end and has not. */
  boolean hasLeftBehind() {
    return runner.hasLeftBehind() || threads.hasLeftBehind();
  }

  /** Runs what is to follow once that has ended. */
  void whenEnded(Runnable next) {
    if (runner.hasLeftBehind()) {
      runner.whenEnded(next);
    } else {
      threads.whenEnded(next);
    }
  }
}

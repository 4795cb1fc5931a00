package dev.ralph.core.internal.loop;

import dev.ralph.Claim;
import dev.ralph.Control.Activity.Kind;
import dev.ralph.Gate;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Verdict;
import dev.ralph.core.BranchMerger;
import dev.ralph.core.internal.commit.CommitTitle;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.core.internal.loop.agent.RunFacts;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.core.internal.loop.policy.RetryPause;
import dev.ralph.core.internal.loop.policy.TeamFacts;
import dev.ralph.core.internal.loop.run.ActivityReporter;
import dev.ralph.core.internal.loop.run.Cancellation;
import dev.ralph.core.internal.loop.run.CutOffWork;
import dev.ralph.core.internal.loop.run.CutOffWork.Cause;
import dev.ralph.core.internal.loop.run.LoopClock;
import dev.ralph.core.internal.loop.run.LoopEvents;
import dev.ralph.core.internal.loop.run.LoopReporter;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.LoopSettings;
import dev.ralph.core.internal.loop.run.RunClaim;
import dev.ralph.core.internal.loop.run.TimeBox;
import dev.ralph.core.internal.loop.run.WorkScope;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.text.LogText;
import dev.ralph.core.internal.text.TaskWords;
import dev.ralph.core.internal.workspace.Workspaces;
import dev.ralph.core.internal.workspace.Workspaces.MergeOutcome;
import dev.ralph.core.internal.workspace.Workspaces.Piece;
import dev.ralph.log.ContendedException;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The merge queue: merges completed work into the session's branch in batches, on a separate
 * thread, and records the merges in the log. Used only by the stepping thread.
 */
final class MergeQueue {

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

  /** The time beyond the grace to end gates that do not end by themselves. */
  private static final Duration MARGIN = Duration.ofSeconds(30);

  /** The length of a task's title in a commit message, which fits into one line of Git's output. */
  private static final int TITLE = 68;

  /**
   * The number of consecutive returns because of gates that also fail without the task. Then the
   * loop ends.
   */
  private static final int MOST_RED_RETURNS = 3;

  /** The number of remembered reasons of failed gates, with the names of these gates. */
  private static final int MOST_REASONS = 100;

  private static final String LOOSE = "Work without a task";

  private final LiveSession session;
  private final LiveSession seen;
  private final Workspaces workspaces;
  private final LoopSettings settings;
  private final Gates gates;
  private final RunClaim claim;
  private final Cancellation cancellation;
  private final LoopEvents events;
  private final ActivityReporter doing;
  private final LoopClock time;
  private RetryPause refusals = new RetryPause(FIRST_PAUSE, LONGEST_PAUSE);
  private final Deque<MergeOutcome> unwritten = new ArrayDeque<>();
  private volatile @Nullable CutOffWork<List<MergeOutcome>> merge;
  private TimeBox notBefore;

  /** Whether work without a task may wait for a merge, for example after a kill. */
  private boolean isLooseToMerge = true;

  /** The names of failed gates by their reason: the most recently used reasons. */
  private final Map<String, Set<String>> failedGates =
      Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true));

  /** The number of consecutive returns because of gates that also fail on the session's branch. */
  private int redReturns;

  /** The reason why work without a task was not merged in the last attempt; null otherwise. */
  private @Nullable String looseRefused;

  /** The reported reasons why work without a task was not merged. */
  private final Set<String> reported = new HashSet<>();

  MergeQueue(
      LoopSession session,
      LoopSettings settings,
      LoopReporter reporter,
      Workspaces workspaces,
      Gates gates) {
    this.session = session.present();
    this.seen = session.seen();
    this.workspaces = workspaces;
    this.settings = settings;
    this.gates = gates;
    this.claim = session.claim();
    this.cancellation = session.cancellation();
    this.events = reporter.events();
    this.doing = reporter.activity();
    this.time = session.time();
    this.notBefore = time.box(Duration.ZERO);
  }

  Workspaces workspaces() {
    return workspaces;
  }

  /** Returns whether a merge runs, or its results are not written yet. */
  boolean isBusy() {
    return merge != null || !unwritten.isEmpty();
  }

  /** Returns the facts of the queue for the policy. */
  TeamFacts.Queue facts() {
    List<String> ids = new ArrayList<>();
    if (isLooseToMerge && workspaces.branch(Workspaces.NO_TASK) != null) {
      ids.add("");
    }
    seen.tasks().list().toMerge().forEach(task -> ids.add(task.id()));
    int heldUp = isBusy() ? seen.tasks().heldUpByMerge() : 0;
    return new TeamFacts.Queue(isBusy(), notBefore.deadline(), ids, heldUp);
  }

  /** Records that a worker without a task may leave changes. */
  void addLoose() {
    isLooseToMerge = true;
  }

  /** Returns the reason why work without a task was not merged; null otherwise. */
  @Nullable String looseRefused() {
    return looseRefused;
  }

  private Piece loose() {
    String branch = String.valueOf(workspaces.branch(Workspaces.NO_TASK));
    return new Piece("", "", branch, CommitTitle.ofSession(titles(), LOOSE, session.name()));
  }

  private Piece piece(Task task) {
    String title = TaskWords.firstLine(task, TITLE);
    return new Piece(
        task.id(),
        token(task),
        String.valueOf(task.branch()),
        CommitTitle.ofTask(titles(), title, "t" + task.number()));
  }

  private @Nullable String titles() {
    LoopSettings.Several several = settings.several();
    return several == null ? null : several.workspaces().commits().title();
  }

  private static String token(Task task) {
    return task.claim() == null ? "" : task.claim().token();
  }

  /**
   * Starts to merge completed work; no merge may be running.
   *
   * @param ids the ids of the tasks as of the last read; an empty id for work without a task
   * @param iteration the newest iteration
   * @param limit the time limit of the gates
   * @param wake called at the end; must be quick, and is called from another thread
   */
  void start(List<String> ids, int iteration, TimeBox limit, Runnable wake) {
    List<String> tasks = new ArrayList<>();
    List<Piece> pieces = new ArrayList<>();
    for (String id : ids) {
      if (id.isEmpty()) {
        pieces.add(loose());
      } else {
        Task task = seen.tasks().get(id);
        pieces.add(piece(task));
        tasks.add("t" + task.number());
      }
    }
    doing.begin(Kind.MERGE, null, tasks);
    CutOffWork<List<MergeOutcome>> work =
        new CutOffWork<>(
            ownThread(),
            () -> workspaces.merge(pieces, trial(tasks, iteration, limit), this::isStillDone));
    merge = work;
    work.start();
    work.whenDone(wake);
  }

  private Workspaces.Trial trial(List<String> tasks, int iteration, TimeBox limit) {
    return new Workspaces.Trial() {
      @Override
      public Verdict check(Path folder) throws InterruptedException {
        return tried(settings.gates(), folder, tasks, iteration, limit);
      }

      @Override
      public Verdict hook(String name, BranchMerger.Check hook, Path folder)
          throws InterruptedException {
        Gate gate = Gate.named(name, context -> hook.verdict(context.directory()));
        return tried(List.of(gate), folder, tasks, iteration, limit);
      }
    };
  }

  private Verdict tried(
      List<Gate> all, Path folder, List<String> tasks, int iteration, TimeBox limit)
      throws InterruptedException {
    Set<String> names = new HashSet<>();
    List<String> failed = gates.run(all, List.of(), folder, tasks, iteration, limit, names);
    if (!tasks.isEmpty()) {
      doing.begin(Kind.MERGE, null, tasks);
    }
    if (failed.isEmpty()) {
      return Verdict.passed();
    }
    if (cancellation.isRequested() || limit.isUp()) {
      throw new InterruptedException("the gates were interrupted, so the work has no verdict");
    }
    String reason = String.join("\n", failed);
    failedGates.put(reason, names);
    synchronized (failedGates) {
      if (failedGates.size() > MOST_REASONS) {
        failedGates.remove(failedGates.keySet().iterator().next());
      }
    }
    return Verdict.failed(reason);
  }

  /** Returns whether a piece still waits for its merge, right before the merge. */
  private boolean isStillDone(Piece piece) {
    claim.check();
    return piece.task().isEmpty() || session.tasks().waitsForMerge(piece.task(), piece.token());
  }

  /**
   * Processes the results of the last merge, and writes them; may be called again after a failure.
   *
   * @return whether a piece was merged or returned
   */
  boolean advance(RunFacts facts) {
    CutOffWork<List<MergeOutcome>> work = merge;
    doing.goesOn();
    if (work != null && work.isDone()) {
      merge = null;
      doing.end();
      List<MergeOutcome> outcomes = work.value();
      if (outcomes != null) {
        refusals = refusals.reset();
        // Merges first, because they determine whether a conflict is with a newer merge.
        outcomes.stream().filter(outcome -> outcome.result().isThere()).forEach(unwritten::add);
        outcomes.stream().filter(outcome -> !outcome.result().isThere()).forEach(unwritten::add);
      } else {
        refused(work.failure(), facts);
      }
    }
    boolean any = false;
    while (!unwritten.isEmpty()) {
      write(unwritten.getFirst(), facts);
      unwritten.removeFirst();
      any = true;
    }
    if (any) {
      forgetMerged();
    }
    return any;
  }

  private void refused(@Nullable Throwable failure, RunFacts facts) {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure == null || failure instanceof InterruptedException || claim.lost() != null) {
      return; // cancelled; the pieces still wait
    }
    if (!(failure instanceof RalphException) || failure instanceof RepositoryLockedException) {
      throw thrown(failure);
    }
    refusals = refusals.next();
    Duration pause = refusals.pause();
    notBefore = time.box(pause);
    String why = "cannot merge: " + LogText.of(failure);
    if (refusals.tries() >= settings.maxFailures()) {
      facts.decide(new LoopEnding(StopReason.FAILURES, why));
    } else {
      events.notice(0, why + "; trying again in " + LogText.time(pause));
      doing.await(Kind.MERGE, why, List.of(), pause);
    }
  }

  private void write(MergeOutcome outcome, RunFacts facts) {
    Piece piece = outcome.piece();
    BranchMerger.Result result = outcome.result();
    if (result.status() == BranchMerger.Status.WITHDRAWN) {
      return;
    }
    if (piece.task().isEmpty()) {
      isLooseToMerge = false;
      looseRefused = result.isThere() ? null : result.reason();
      boolean isNew = result.isThere() || reported.add(result.reason());
      if (result.status() != BranchMerger.Status.NOTHING && isNew) {
        if (result.isThere()) {
          events.merged(null, result.commit());
        } else {
          events.sentBack(result.reason());
        }
      }
      return;
    }
    Task task = session.tasks().get(piece.task());
    Claim done = task.claim();
    if (done == null || !done.token().equals(piece.token())) {
      return;
    }
    try {
      if (result.isThere()) {
        session.tasks().merged(done, result.commit());
        redReturns = 0;
        events.merged(task, result.commit());
      } else {
        Task returned = returned(outcome, done);
        TaskReturn.report(session, events, returned, task.attempts(), done.iteration());
        endIfRed(outcome, facts);
      }
    } catch (ContendedException e) {
      claim.check(); // its status was changed meanwhile
    }
  }

  /** Returns a task to be worked on again, and counts a failed attempt if appropriate. */
  private Task returned(MergeOutcome outcome, Claim done) {
    String reason = outcome.result().reason();
    int limit = settings.maxAttempts();
    if (isBaseRed(outcome)) {
      return session
          .tasks()
          .reopen(done.taskId(), done.token(), "the gate fails even without this task: " + reason);
    }
    if (outcome.result().status() == BranchMerger.Status.CONFLICT) {
      return outcome.isJoined()
          ? session.tasks().reopen(done.taskId(), done.token(), reason)
          : session.tasks().failMerge(done.taskId(), done.token(), reason, limit);
    }
    return session.tasks().failAttempt(done.taskId(), done.token(), reason, limit);
  }

  /** Returns whether all gates that rejected a piece also fail on the session's branch. */
  private boolean isBaseRed(MergeOutcome outcome) {
    Verdict base = outcome.base();
    if (base == null || base.isPassed()) {
      return false;
    }
    Set<String> ofPiece = failedGates.get(outcome.result().reason());
    Set<String> ofBase = failedGates.get(base.reason());
    return ofPiece != null && ofBase != null && ofBase.containsAll(ofPiece);
  }

  private void endIfRed(MergeOutcome outcome, RunFacts facts) {
    redReturns = isBaseRed(outcome) ? redReturns + 1 : 0;
    if (redReturns >= MOST_RED_RETURNS) {
      facts.decide(
          new LoopEnding(
              StopReason.GATE_FAILED,
              "the gate fails on the session's branch even without the returned tasks, after "
                  + redReturns
                  + " returns in a row: "
                  + LogText.firstLine(outcome.result().reason())
                  + "; repair the branch or the gate"));
    }
  }

  /** Deletes the branches of merged tasks, and reports the notices. */
  void forgetMerged() {
    Set<Integer> merged = new HashSet<>();
    if (!isLooseToMerge && looseRefused == null) {
      merged.add(Workspaces.NO_TASK);
    }
    for (Task task : session.tasks().list()) {
      if (task.status() == Task.Status.COMPLETED && task.isSettled()) {
        merged.add(task.number());
      }
    }
    try {
      workspaces.forget(merged::contains);
    } catch (InterruptedException e) {
      cancellation.interrupted();
    }
    reportNotices();
  }

  void reportNotices() {
    workspaces.notices().forEach(text -> events.notice(0, text));
  }

  /**
   * Returns the reasons why the whole work fails the gates; empty if it passes. See {@link
   * dev.ralph.core.internal.loop.agent.Completion}.
   */
  List<String> check(int iteration, TimeBox limit) {
    if (looseRefused != null) {
      return List.of("the work without a task could not be merged: " + looseRefused);
    }
    BranchMerger.Check gated =
        folder -> tried(settings.gates(), folder, List.of(), iteration, limit);
    // After the grace, gates have ended, so the wait is for another machine.
    CutOffWork<Verdict> work =
        run(() -> workspaces.check(gated, claim::check), limit, settings.grace().plus(MARGIN));
    Verdict verdict = work.value();
    if (verdict == null) {
      return List.of(notChecked(work.failure()));
    }
    return verdict.isPassed()
        ? gates.run(
            List.of(), settings.finalGates(), settings.directory(), List.of(), iteration, limit)
        : List.of(LogText.unicode(verdict.reason()));
  }

  /**
   * Returns the reason why an agent or a gate cannot start on the session's branch. Null if all can
   * start, or if the folder cannot be prepared, which the agents will report.
   */
  @Nullable String cannotStart(StartCheck check, TimeBox limit) {
    if (check.isIndependentOf(settings.directory())) {
      return null;
    }
    BranchMerger.Check start =
        folder -> {
          String problem = check.problem(folder);
          return problem == null ? Verdict.passed() : Verdict.failed(problem);
        };
    CutOffWork<Verdict> work = run(() -> workspaces.tryCheck(start), limit, Duration.ZERO);
    if (work.failure() instanceof Error error) {
      throw error;
    }
    Verdict verdict = work.value();
    return verdict == null || verdict.isPassed() ? null : verdict.reason();
  }

  /** Runs work; interrupts the work after its limit or a cancellation, and a grace. */
  private CutOffWork<Verdict> run(Callable<Verdict> check, TimeBox limit, Duration grace) {
    CutOffWork<Verdict> work = new CutOffWork<>(ownThread(), check);
    work.start();
    Cause cause = work.await(time, limit, cancellation, new Cancellation(), () -> {});
    if (cause != Cause.DONE && !work.awaitEnd(grace)) {
      work.interrupt();
      work.awaitEnd(MARGIN);
    }
    return work;
  }

  private static String notChecked(@Nullable Throwable failure) {
    if (failure == null || failure instanceof InterruptedException) {
      return "the gates were interrupted";
    }
    throw thrown(failure);
  }

  /** Throws a failure that cannot be handled here. */
  private static RuntimeException thrown(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException fault
        ? fault
        : new IllegalStateException("cannot merge", failure);
  }

  private Executor ownThread() {
    return CutOffWork.ownThread("ralph-seat-" + session.name());
  }

  /** Starts to cancel the running merge. */
  void cutOff() {
    CutOffWork<List<MergeOutcome>> work = merge;
    if (work != null) {
      work.interrupt();
    }
  }

  /** Waits for the end of the running merge, with a limit. */
  void settle(WorkScope scope) {
    CutOffWork<List<MergeOutcome>> work = merge;
    if (work != null && !work.awaitEnd(settings.grace().plus(MARGIN))) {
      scope.add(work);
    }
  }
}

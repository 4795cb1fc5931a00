package dev.ralph.core.internal.task;

import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.NewTask;
import dev.ralph.Redactor;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.TaskEdit;
import dev.ralph.TaskList;
import dev.ralph.TaskLog;
import dev.ralph.log.Ledger;
import dev.ralph.log.Topic;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A task log whose changes are decided by a {@code TaskDecider} on the session's frames. */
public final class LedgerTaskLog implements TaskLog {

  private final Ledger<Tasks> ledger;
  private final TaskDecider decider;
  private final Topic topic;
  private final Clock clock;
  private final Redactor redactor;
  private final @Nullable Supplier<Iteration> own;
  private final @Nullable CompletionTrial trial;

  /**
   * Creates a task log without an assigned agent.
   *
   * @param ledger the present tasks, or past ones
   * @param topic the topic of the task frames
   * @param clock the clock for selections of ready tasks
   * @param redactor redacts texts before they are appended
   */
  public LedgerTaskLog(Ledger<Tasks> ledger, Topic topic, Clock clock, Redactor redactor) {
    this(ledger, topic, clock, redactor, null, null);
  }

  /**
   * Creates a task log for one of several agents.
   *
   * @param own returns the agent's iteration, or throws; null for all other callers
   * @param trial tests the agent's work before its task is completed; null for no test
   */
  public LedgerTaskLog(
      Ledger<Tasks> ledger,
      Topic topic,
      Clock clock,
      Redactor redactor,
      @Nullable Supplier<Iteration> own,
      @Nullable CompletionTrial trial) {
    this.ledger = ledger;
    this.decider = new TaskDecider(topic);
    this.topic = topic;
    this.clock = clock;
    this.redactor = redactor;
    this.own = own;
    this.trial = trial;
  }

  /** Returns the agent's assignment, or null if the log is not for one of several agents. */
  private @Nullable TaskAssignment given() {
    return own == null ? null : TaskAssignment.of(own.get());
  }

  @Override
  public Task add(NewTask task) {
    Objects.requireNonNull(task, "task");
    NewTask kept = kept(task);
    return ledger.decide("adding a task to " + topic, (tasks, now) -> decider.add(tasks, kept));
  }

  @Override
  public List<Task> addAll(List<NewTask> added) {
    Objects.requireNonNull(added, "added");
    List<NewTask> kept = new ArrayList<>();
    for (NewTask task : added) {
      kept.add(kept(task));
    }
    return ledger.decide(
        "adding " + added.size() + " tasks to " + topic,
        (tasks, now) -> decider.addAll(tasks, kept));
  }

  private NewTask kept(NewTask task) {
    return task.content(redactor.redact(task.content()));
  }

  @Override
  public TaskList list() {
    return ledger.state().all();
  }

  @Override
  public Task get(String ref) {
    Objects.requireNonNull(ref, "ref");
    return ledger.state().get(ref);
  }

  @Override
  public TaskList ready() {
    Tasks read = ledger.state(); // Before the time, so that every claim in the state is older.
    return read.ready(clock.instant());
  }

  @Override
  public TaskList ready(Instant now) {
    Objects.requireNonNull(now, "now");
    return ledger.state().ready(now);
  }

  /**
   * Returns the number of tasks that wait only because a task in the merge queue may touch the same
   * files.
   */
  public int heldUpByMerge() {
    Tasks read = ledger.state();
    return read.heldUpByMerge(clock.instant());
  }

  @Override
  public Task status(String ref, StatusChange change) {
    Objects.requireNonNull(ref, "ref");
    Objects.requireNonNull(change, "change");
    String reason = change.reason();
    StatusChange kept = reason == null ? change : change.because(redactor.redact(reason));
    TaskAssignment given = given();
    String what = "setting " + ref + " of " + topic + " to " + change.status().word();
    if (given != null && trial != null && change.status() == Task.Status.COMPLETED) {
      return new TestedCompletion(ledger, decider, trial, given, what).complete(ref, kept);
    }
    return ledger.decide(
        what,
        (tasks, now) -> {
          StatusChange allowed = given == null ? kept : given.checked(tasks, tasks.find(ref), kept);
          return decider.status(tasks, ref, allowed, given != null, now);
        });
  }

  @Override
  public Task depend(String ref, String on) {
    Objects.requireNonNull(ref, "ref");
    Objects.requireNonNull(on, "on");
    return ledger.decide(
        "making " + ref + " of " + topic + " depend on " + on,
        (tasks, now) -> decider.depend(tasks, ref, on));
  }

  @Override
  public Task undepend(String ref, String on) {
    Objects.requireNonNull(ref, "ref");
    Objects.requireNonNull(on, "on");
    return ledger.decide(
        "removing a dependency of " + ref + " of " + topic + " on " + on,
        (tasks, now) -> decider.undepend(tasks, ref, on));
  }

  @Override
  public Task edit(String ref, TaskEdit edit) {
    Objects.requireNonNull(ref, "ref");
    Objects.requireNonNull(edit, "edit");
    String content = edit.content();
    TaskEdit kept = content == null ? edit : edit.content(redactor.redact(content));
    return ledger.decide(
        "editing " + ref + " of " + topic,
        (tasks, now) -> decider.edit(tasks, ref, kept, own != null, now));
  }

  @Override
  public Optional<Claim> claim(String ref, String owner, Duration lease, int iteration) {
    Objects.requireNonNull(ref, "ref");
    Objects.requireNonNull(owner, "owner");
    Objects.requireNonNull(lease, "lease");
    TaskAssignment given = given();
    if (given != null) {
      Tasks tasks = ledger.state();
      return Optional.ofNullable(given.claim(tasks, tasks.find(ref)));
    }
    return ledger.decide(
        "claiming " + ref + " of " + topic,
        (tasks, now) -> decider.claim(tasks, ref, owner, lease, iteration, now));
  }

  @Override
  public Optional<Claim> claimNext(String owner, Duration lease, int iteration) {
    TaskAssignment given = given();
    return given == null
        ? claimNextFor(owner, lease, iteration, task -> null)
        : Optional.ofNullable(given.claim(ledger.state()));
  }

  /**
   * Claims the first ready task for an agent that works on a branch. After its completion the
   * branch has to be merged.
   *
   * @param branch returns the branch for a task, or null if the task needs no merge; must not use
   *     this session
   */
  public Optional<Claim> claimNextFor(
      String owner, Duration lease, int iteration, Function<Task, @Nullable String> branch) {
    Objects.requireNonNull(owner, "owner");
    Objects.requireNonNull(lease, "lease");
    return ledger.decide(
        "claiming the next task of " + topic,
        (tasks, now) -> decider.claimNext(tasks, owner, lease, iteration, branch, now));
  }

  @Override
  public Claim renew(Claim claim, Duration lease) {
    Objects.requireNonNull(claim, "claim");
    Objects.requireNonNull(lease, "lease");
    return ledger.decide(
        "renewing the claim on " + claim.taskId() + " of " + topic,
        (tasks, now) -> decider.renew(tasks, claim, lease, now));
  }

  @Override
  public Task release(Claim claim) {
    Objects.requireNonNull(claim, "claim");
    return ledger.decide(
        "releasing " + claim.taskId() + " of " + topic,
        (tasks, now) -> decider.release(tasks, claim));
  }

  // ---- for the loop

  /** Releases the claims of an iteration that has ended. */
  public void endIteration(int iteration) {
    endIterations("iteration " + iteration, number -> number == iteration);
  }

  /** Releases the claims of all iterations. Call only while no iteration runs. */
  public void endIterations() {
    endIterations("ended iterations", number -> number > 0);
  }

  private void endIterations(String which, IntPredicate ended) {
    if (decider.endIterations(ledger.state(), ended).drafts().isEmpty()) {
      return;
    }
    ledger.decide(
        "releasing the tasks of " + which + " of " + topic,
        (tasks, now) -> decider.endIterations(tasks, ended));
  }

  /** Returns whether the work of a claim waits to be merged. */
  public boolean waitsForMerge(String id, String token) {
    Tasks tasks = ledger.state();
    return tasks.entry(tasks.find(id)).waitsForMerge(token);
  }

  /**
   * Records that the work of a claim was merged. Does nothing if the merge is already recorded.
   *
   * @param commit the merge commit, or null if there was nothing to merge
   * @throws dev.ralph.log.RalphException CONTENDED if the work does not wait to be merged any more:
   *     the task's status was set since
   */
  public Task merged(Claim claim, @Nullable String commit) {
    return ledger.decide(
        "recording the merge of " + claim.taskId() + " of " + topic,
        (tasks, now) -> decider.merged(tasks, claim.taskId(), claim.token(), commit));
  }

  /**
   * Reopens a completed task without a failed attempt. Keeps the branch, and passes the reason to
   * the next claim.
   *
   * @throws dev.ralph.log.RalphException CONTENDED if the work does not wait to be merged any more:
   *     the task's status was set since
   */
  public Task reopen(String id, String token, String reason) {
    String kept = redactor.redact(reason);
    return ledger.decide(
        "reopening " + id + " of " + topic, (tasks, now) -> decider.reopen(tasks, id, token, kept));
  }

  /**
   * Reopens a task after a failed attempt, as {@link #reopen} does. Blocks the task if the attempt
   * limit is reached.
   *
   * @param token the token of the claim whose work was completed, or whose completion was refused
   * @param limit the attempt limit; 0 for none
   * @throws dev.ralph.log.RalphException CONTENDED if the task's status was set since
   */
  public Task failAttempt(String id, String token, String reason, int limit) {
    String kept = redactor.redact(reason);
    return ledger.decide(
        "returning " + id + " of " + topic,
        (tasks, now) -> decider.failAttempt(tasks, id, token, kept, limit));
  }

  /**
   * Reopens a task whose work conflicts with the session's branch. Counts a failed attempt, unless
   * the branch has moved since the task was completed.
   *
   * @param limit the attempt limit; 0 for none
   * @throws dev.ralph.log.RalphException CONTENDED if the task's status was set since
   */
  public Task failMerge(String id, String token, String reason, int limit) {
    String kept = redactor.redact(reason);
    return ledger.decide(
        "returning " + id + " of " + topic,
        (tasks, now) -> decider.failMerge(tasks, id, token, kept, limit));
  }

  /**
   * Returns the reason for which the claim holder's completion was refused; null if no completion
   * was refused.
   */
  public @Nullable String refused(String id, String token) {
    Tasks tasks = ledger.state();
    TaskEntry task = tasks.entry(tasks.find(id));
    return task.isHeldBy(token) ? task.attempts.refused() : null;
  }

  /**
   * Resets the failed attempts of all tasks named in a message, and reopens the blocked tasks among
   * them.
   */
  public void resetNamed(String message) {
    if (!Tasks.namedIn(message).isEmpty() && !ledger.state().triedAndNamedIn(message).isEmpty()) {
      ledger.decide(
          "resetting the attempts of tasks of " + topic,
          (tasks, now) -> decider.resetNamed(tasks, message));
    }
  }

  /**
   * Returns the tasks at their attempt limit if they block all open tasks; an empty list otherwise.
   */
  public List<Task> allOutOfAttempts() {
    return ledger.state().allOutOfAttempts();
  }
}

package dev.ralph.core.internal.task;

import dev.ralph.Claim;
import dev.ralph.Task.Status;
import dev.ralph.domain.KeptText;
import dev.ralph.domain.Lease;
import dev.ralph.domain.Numbered;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One task as the fold keeps it: immutable, and put in place of the former one by each change. */
final class TaskEntry implements Numbered {

  private static final int[] NONE = {};

  private final String id;
  private final int number;

  // A text that is kept whole, as most are, takes no object of its own besides.
  private final String beginning;
  private final int length;

  /** The frame that brought the text; null where it is kept whole, or came with the task. */
  private final @Nullable String textFrame;

  private final int priority;
  private final Instant added;

  /** What it was added under, or null. */
  final @Nullable String key;

  /** Indexes of the tasks this one waits for; an index never changes, as tasks are only added. */
  final int[] dependencies;

  final Status status;
  final int iteration;
  final @Nullable String reason;

  /** The newest claim, null before the first. It ends with the work on the task. */
  final @Nullable Lease lease;

  /** The iteration of the newest claim, or 0. */
  final int claimedIn;

  /** The branch that the newest claim is worked on in, or null. */
  final @Nullable TaskBranch branch;

  /** What it touches, as patterns of paths; empty where it does not say. */
  final List<String> touches;

  /** The failed attempts; of most tasks there are none. */
  final TaskAttempts attempts;

  TaskEntry(
      String id,
      int number,
      KeptText text,
      @Nullable String textFrame,
      int priority,
      Instant added,
      @Nullable String key,
      int[] dependencies,
      Status status,
      int iteration,
      @Nullable String reason,
      @Nullable Lease lease,
      int claimedIn,
      @Nullable TaskBranch branch,
      List<String> touches,
      TaskAttempts attempts) {
    this.id = id;
    this.number = number;
    this.beginning = text.beginning();
    this.length = text.length();
    this.textFrame = text.isWhole() || id.equals(textFrame) ? null : textFrame;
    this.priority = priority;
    this.added = added;
    this.key = key;
    this.dependencies = dependencies.length == 0 ? NONE : dependencies;
    this.status = status;
    this.iteration = iteration;
    this.reason = reason;
    this.lease = lease;
    this.claimedIn = claimedIn;
    this.branch = branch;
    this.touches = touches;
    this.attempts = attempts;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public String title() {
    return beginning;
  }

  /** Returns what the fold keeps of its text. */
  KeptText text() {
    return new KeptText(beginning, length);
  }

  /** Returns the id of the frame that brought its text. */
  String textFrame() {
    return textFrame == null ? id : textFrame;
  }

  int priority() {
    return priority;
  }

  Instant added() {
    return added;
  }

  /** Returns the newest claim, as it is shown. */
  @Nullable Claim claim() {
    return lease == null
        ? null
        : new Claim(id, lease.token(), lease.owner(), lease.since(), lease.until(), claimedIn);
  }

  /** Returns whether it is not begun or begun: nothing but other tasks keeps it from being done. */
  boolean isToDo() {
    return status == Status.REMAINING || status == Status.IN_PROGRESS;
  }

  /** Returns whether it is completed and its branch has not landed yet. */
  boolean waitsToLand() {
    return branch != null && branch.waits();
  }

  /** Returns whether no other task has to wait for it: it is cancelled, or completed and landed. */
  boolean isSettled() {
    return status.isTerminal() && !waitsToLand();
  }

  /** Returns whether it waits to land what was done under the claim of that token. */
  boolean waitsToLand(String token) {
    return waitsToLand() && lease != null && lease.token().equals(token);
  }

  /** Returns whether the task is blocked because its attempt limit is reached. */
  boolean isOutOfAttempts() {
    return status == Status.BLOCKED && attempts.isUsedUp();
  }

  /** Returns whether somebody's lease runs. */
  boolean isLeased(Instant now) {
    return lease != null && lease.isLive(now);
  }

  /** Returns whether the newest claim was not ended. */
  boolean isHeld() {
    return lease != null && lease.isHeld();
  }

  /** Returns whether that is the token of the newest claim, and the claim was not ended. */
  boolean isHeldBy(String token) {
    return lease != null && lease.isHeldBy(token);
  }

  /** Returns the newest claim as ended; one that has ended stays as it is. */
  @Nullable Lease leaseEnded(Instant time) {
    return lease == null ? null : lease.ended(time);
  }

  TaskEntry withStatus(
      Status status, int iteration, @Nullable String reason, @Nullable Lease lease) {
    TaskBranch left = branch == null ? null : branch.changed(status, isHeld());
    return at(status, iteration, reason, lease, claimedIn, left);
  }

  TaskEntry withAttempts(TaskAttempts attempts) {
    return this.attempts.isSame(attempts)
        ? this
        : copy(status, iteration, reason, lease, claimedIn, branch, attempts);
  }

  /** Returns the task after the session's branch has moved. */
  TaskEntry behind() {
    return branch == null ? this : at(status, iteration, reason, lease, claimedIn, branch.behind());
  }

  /**
   * @param branch that it is worked on in, or null: what was said of the work there is kept
   */
  TaskEntry claimed(Lease lease, int iteration, @Nullable String branch) {
    return at(
        Status.IN_PROGRESS,
        iteration,
        branch == null ? null : reason,
        lease,
        iteration,
        branch == null ? null : TaskBranch.begun(branch));
  }

  /** Returns the task as given back; who takes up its branch has to know what was said of it. */
  TaskEntry released(int iteration, Instant time) {
    return withStatus(
        Status.REMAINING, iteration, branch == null ? null : reason, leaseEnded(time));
  }

  TaskEntry renewed(Lease lease) {
    return at(status, iteration, reason, lease, claimedIn, branch);
  }

  /**
   * @param commit null if there was nothing to land
   */
  TaskEntry landed(Instant time, @Nullable String commit) {
    return branch == null
        ? this
        : at(status, iteration, reason, lease, claimedIn, branch.landed(time, commit));
  }

  private TaskEntry at(
      Status status,
      int iteration,
      @Nullable String reason,
      @Nullable Lease lease,
      int claimedIn,
      @Nullable TaskBranch branch) {
    return copy(status, iteration, reason, lease, claimedIn, branch, attempts);
  }

  private TaskEntry copy(
      Status status,
      int iteration,
      @Nullable String reason,
      @Nullable Lease lease,
      int claimedIn,
      @Nullable TaskBranch branch,
      TaskAttempts attempts) {
    return new TaskEntry(
        id,
        number,
        text(),
        textFrame,
        priority,
        added,
        key,
        dependencies,
        status,
        iteration,
        reason,
        lease,
        claimedIn,
        branch,
        touches,
        attempts);
  }

  /**
   * @param textFrame the frame that brought the text; null for the one that added the task
   */
  TaskEntry edited(
      KeptText text,
      @Nullable String textFrame,
      int priority,
      int[] dependencies,
      List<String> touches) {
    return new TaskEntry(
        id,
        number,
        text,
        textFrame,
        priority,
        added,
        key,
        dependencies,
        status,
        iteration,
        reason,
        lease,
        claimedIn,
        branch,
        touches,
        attempts);
  }

  TaskEntry withDependency(int index) {
    int[] more = Arrays.copyOf(dependencies, dependencies.length + 1);
    more[dependencies.length] = index;
    return edited(text(), textFrame, priority, more, touches);
  }

  boolean dependsOn(int index) {
    for (int dependency : dependencies) {
      if (dependency == index) {
        return true;
      }
    }
    return false;
  }
}

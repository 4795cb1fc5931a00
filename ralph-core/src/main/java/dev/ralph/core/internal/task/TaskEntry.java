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

/** A task in the state of the fold. Immutable: each change replaces the entry. */
final class TaskEntry implements Numbered {

  private static final int[] NONE = {};

  private final String id;
  private final int number;

  // The parts of a KeptText, inlined to save one object per task.
  private final String beginning;
  private final int length;

  /**
   * The id of the frame with the text; null for a short text, or for the frame that added the task.
   */
  private final @Nullable String textFrame;

  private final int priority;
  private final Instant added;

  /** The key for repeated additions, or null. */
  final @Nullable String key;

  /**
   * The indexes of the tasks that this task depends on. Indexes are stable, because tasks are never
   * removed.
   */
  final int[] dependencies;

  final Status status;
  final int iteration;
  final @Nullable String reason;

  /**
   * The newest claim, or null before the first. Ended when the task is completed, blocked or reset.
   */
  final @Nullable Lease lease;

  /** The iteration of the newest claim, or 0. */
  final int claimedIn;

  /** The branch of the newest claim, or null. */
  final @Nullable TaskBranch branch;

  /** The touched files as path patterns; empty if unknown. */
  final List<String> touches;

  /** The failed attempts. */
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

  /** Returns the kept part of the text. */
  KeptText text() {
    return new KeptText(beginning, length);
  }

  /** Returns the id of the frame with the text. */
  String textFrame() {
    return textFrame == null ? id : textFrame;
  }

  int priority() {
    return priority;
  }

  Instant added() {
    return added;
  }

  /** Returns the view of the newest claim. */
  @Nullable Claim claim() {
    return lease == null
        ? null
        : new Claim(id, lease.token(), lease.owner(), lease.since(), lease.until(), claimedIn);
  }

  /**
   * Returns whether the task is remaining or in progress, and only dependencies can delay the work.
   */
  boolean isToDo() {
    return status == Status.REMAINING || status == Status.IN_PROGRESS;
  }

  /** Returns whether the task is completed and its branch waits to be merged. */
  boolean waitsForMerge() {
    return branch != null && branch.waits();
  }

  /** Returns whether the task is settled: cancelled, or completed with nothing left to merge. */
  boolean isSettled() {
    return status.isTerminal() && !waitsForMerge();
  }

  /** Returns whether the work of a claim waits to be merged. */
  boolean waitsForMerge(String token) {
    return waitsForMerge() && lease != null && lease.token().equals(token);
  }

  /** Returns whether the task is blocked because its attempt limit is reached. */
  boolean isOutOfAttempts() {
    return status == Status.BLOCKED && attempts.isUsedUp();
  }

  /** Returns whether the newest claim is live. */
  boolean isLeased(Instant now) {
    return lease != null && lease.isLive(now);
  }

  /** Returns whether the newest claim was not ended. */
  boolean isHeld() {
    return lease != null && lease.isHeld();
  }

  /** Returns whether a token is the newest claim's and the claim was not ended. */
  boolean isHeldBy(String token) {
    return lease != null && lease.isHeldBy(token);
  }

  /** Returns the newest claim as ended, or unchanged if it has ended before. */
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
   * Returns the task as claimed.
   *
   * @param branch the branch of the claim, or null; with a branch, the reason of the last status is
   *     kept
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

  /**
   * Returns the task as released. Keeps the reason if there is a branch, for the worker that
   * continues on the branch.
   */
  TaskEntry released(int iteration, Instant time) {
    return withStatus(
        Status.REMAINING, iteration, branch == null ? null : reason, leaseEnded(time));
  }

  TaskEntry renewed(Lease lease) {
    return at(status, iteration, reason, lease, claimedIn, branch);
  }

  /**
   * Returns the task as merged.
   *
   * @param commit the merge commit; null if there was nothing to merge
   */
  TaskEntry merged(Instant time, @Nullable String commit) {
    return branch == null
        ? this
        : at(status, iteration, reason, lease, claimedIn, branch.merged(time, commit));
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
   * @param textFrame the id of the frame with the text; null for the frame that added the task
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

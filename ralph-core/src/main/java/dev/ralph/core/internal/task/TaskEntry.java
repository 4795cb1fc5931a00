package dev.ralph.core.internal.task;

import dev.ralph.Claim;
import dev.ralph.Task.Status;
import dev.ralph.core.internal.reference.Referable;
import java.time.Instant;
import java.util.Arrays;
import javax.annotation.Nullable;

/** One task as the fold keeps it: immutable, and put in place of the former one by each change. */
final class TaskEntry implements Referable {

  private static final int[] NONE = {};

  private final String id;
  private final int number;
  private final String content;
  private final int priority;
  private final Instant added;

  /** Indexes of the tasks this one waits for; an index never changes, as tasks are only added. */
  final int[] dependencies;

  final Status status;
  final int iteration;
  @Nullable final String reason;
  @Nullable final Claim claim;

  /** Whether the newest claim was neither given back nor ended by a change of the task. */
  final boolean held;

  TaskEntry(
      String id,
      int number,
      String content,
      int priority,
      Instant added,
      int[] dependencies,
      Status status,
      int iteration,
      @Nullable String reason,
      @Nullable Claim claim,
      boolean held) {
    this.id = id;
    this.number = number;
    this.content = content;
    this.priority = priority;
    this.added = added;
    this.dependencies = dependencies.length == 0 ? NONE : dependencies;
    this.status = status;
    this.iteration = iteration;
    this.reason = reason;
    this.claim = claim;
    this.held = held;
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
    return content;
  }

  String content() {
    return content;
  }

  int priority() {
    return priority;
  }

  Instant added() {
    return added;
  }

  /** Returns whether somebody's lease runs. */
  boolean isLeased(Instant now) {
    return held && claim != null && claim.isLive(now);
  }

  /** Returns whether that is the token of the newest claim, and the claim was not ended. */
  boolean isHeldBy(String token) {
    return held && claim != null && claim.token().equals(token);
  }

  /** Returns the newest claim as one that runs no longer than until that time. */
  @Nullable
  Claim claimEnded(Instant time) {
    return claim == null || !time.isBefore(claim.until())
        ? claim
        : new Claim(claim.taskId(), claim.token(), claim.owner(), time, claim.iteration());
  }

  TaskEntry withStatus(
      Status status, int iteration, @Nullable String reason, @Nullable Claim claim, boolean held) {
    return new TaskEntry(
        id, number, content, priority, added, dependencies, status, iteration, reason, claim, held);
  }

  TaskEntry withClaim(Claim claim) {
    return withStatus(status, iteration, reason, claim, true);
  }

  TaskEntry edited(String content, int priority, int[] dependencies) {
    return new TaskEntry(
        id, number, content, priority, added, dependencies, status, iteration, reason, claim, held);
  }

  TaskEntry withDependency(int index) {
    int[] more = Arrays.copyOf(dependencies, dependencies.length + 1);
    more[dependencies.length] = index;
    return edited(content, priority, more);
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

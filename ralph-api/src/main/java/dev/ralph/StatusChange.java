package dev.ralph;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A change of a task's status. */
public final class StatusChange {

  private final Task.Status status;
  private final @Nullable String reason;
  private final @Nullable String token;
  private final @Nullable String owner;
  private final int iteration;

  private StatusChange(
      Task.Status status,
      @Nullable String reason,
      @Nullable String token,
      @Nullable String owner,
      int iteration) {
    this.status = status;
    this.reason = reason;
    this.token = token;
    this.owner = owner;
    this.iteration = iteration;
  }

  /** Returns a change to that status. */
  public static StatusChange to(Task.Status status) {
    return new StatusChange(Objects.requireNonNull(status, "status"), null, null, null, 0);
  }

  /** Returns this change with a reason for people. */
  public StatusChange because(@Nullable String reason) {
    return new StatusChange(status, reason, token, owner, iteration);
  }

  /**
   * Returns this change on behalf of a claim: it is refused once somebody else has claimed the
   * task. A change without a token is an operator's and always allowed.
   */
  public StatusChange under(@Nullable String token) {
    return new StatusChange(status, reason, token, owner, iteration);
  }

  /**
   * Returns this change on behalf of somebody who may claim tasks: it is refused while another
   * one's lease on the task runs.
   */
  public StatusChange owner(@Nullable String owner) {
    return new StatusChange(status, reason, token, owner, iteration);
  }

  /** Returns this change, marked as made in that iteration. */
  public StatusChange iteration(int iteration) {
    return new StatusChange(status, reason, token, owner, iteration);
  }

  /** Returns the new status. */
  public Task.Status status() {
    return status;
  }

  /** Returns the reason, or null. */
  public @Nullable String reason() {
    return reason;
  }

  /** Returns the fencing token of the claim it is made under, or null. */
  public @Nullable String token() {
    return token;
  }

  /** Returns on whose behalf it is made, or null for an operator's. */
  public @Nullable String owner() {
    return owner;
  }

  /** Returns the iteration it is made in, or 0. */
  public int iteration() {
    return iteration;
  }
}

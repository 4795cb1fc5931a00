package dev.ralph;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A change of a task's status. Immutable. */
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

  /** Returns a change to a status. */
  public static StatusChange to(Task.Status status) {
    return new StatusChange(Objects.requireNonNull(status, "status"), null, null, null, 0);
  }

  /** Returns a copy with a reason for people. */
  public StatusChange because(@Nullable String reason) {
    return new StatusChange(status, reason, token, owner, iteration);
  }

  /**
   * Returns a copy with the token of a claim. The change is refused if the task has a newer claim.
   * A change without a token is an operator's, and always allowed.
   */
  public StatusChange under(@Nullable String token) {
    return new StatusChange(status, reason, token, owner, iteration);
  }

  /**
   * Returns a copy with an owner of claims. The change is refused while another owner has a live
   * lease on the task.
   */
  public StatusChange owner(@Nullable String owner) {
    return new StatusChange(status, reason, token, owner, iteration);
  }

  /** Returns a copy with the iteration that makes the change. */
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

  /** Returns the fencing token of the claim, or null. */
  public @Nullable String token() {
    return token;
  }

  /** Returns the owner, or null for an operator's change. */
  public @Nullable String owner() {
    return owner;
  }

  /** Returns the iteration that makes the change, or 0. */
  public int iteration() {
    return iteration;
  }
}

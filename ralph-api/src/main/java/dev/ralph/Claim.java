package dev.ralph;

import java.time.Instant;

/**
 * A lease on a task.
 *
 * @param taskId the task
 * @param token the fencing token. A change with a token of an older claim is refused
 * @param owner the holder
 * @param since the time of the grant or the last renewal. The lease is not live before this time,
 *     which matters if the clock was set back
 * @param until the time at which the lease expires, unless renewed
 * @param iteration the iteration whose end also ends the claim, or 0 for none
 */
public record Claim(
    String taskId, String token, String owner, Instant since, Instant until, int iteration) {

  /** Returns whether the lease is live at a time. */
  public boolean isLive(Instant now) {
    return !now.isBefore(since) && now.isBefore(until);
  }
}

package dev.ralph;

import java.time.Instant;

/**
 * A lease on a task.
 *
 * @param taskId the task
 * @param token the fencing token: a change that presents another token than that of the newest
 *     claim is refused
 * @param owner who holds it
 * @param since when it was granted, or renewed last; earlier than that nobody holds the task by it:
 *     the clock was ahead then, and has been set right
 * @param until when it runs out, unless it is renewed
 * @param iteration the iteration whose end also ends the claim, or 0 if there is none
 */
public record Claim(
    String taskId, String token, String owner, Instant since, Instant until, int iteration) {

  /** Returns whether the lease still runs. */
  public boolean isLive(Instant now) {
    return !now.isBefore(since) && now.isBefore(until);
  }
}

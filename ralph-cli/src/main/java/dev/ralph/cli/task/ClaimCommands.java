package dev.ralph.cli.task;

import dev.ralph.Claim;
import dev.ralph.Task;
import dev.ralph.cli.text.Times;
import dev.ralph.log.RalphException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Common methods of the commands for claimed tasks. */
final class ClaimCommands {

  static final Duration USUAL = Duration.ofMinutes(10);

  private ClaimCommands() {}

  /**
   * Returns the claim of a token. Without a token, as permitted to an operator, returns the newest
   * claim.
   *
   * @throws RalphException INVALID if the task is not claimed
   */
  static Claim of(Task task, @Nullable String token) {
    Claim newest = task.claim();
    if (newest == null) {
      throw RalphException.invalid("t" + task.number() + " is not claimed");
    }
    return token == null
        ? newest
        : new Claim(
            task.id(), token, newest.owner(), newest.since(), newest.until(), newest.iteration());
  }

  static RalphException heldByAnother(Task task) {
    Claim claim = task.claim();
    return RalphException.contended(
        claim == null
            ? "t" + task.number() + " was just claimed by another owner"
            : "t"
                + task.number()
                + " is claimed by "
                + RalphException.quote(claim.owner())
                + " until "
                + Times.local(claim.until()));
  }
}

package dev.ralph.core.internal.lease;

import dev.ralph.RalphException;
import java.time.Duration;

/** For how long something may be kept from others: a task that is claimed, a message shown. */
public final class Lease {

  private static final Duration SHORTEST = Duration.ofMillis(1);

  private static final Duration LONGEST = Duration.ofDays(30);

  private Lease() {}

  /**
   * Refuses what is too short for a frame's times to tell, or as good as for ever.
   *
   * @throws RalphException INVALID if it is shorter than 1 ms or longer than 30 days
   */
  public static void require(Duration lease) {
    if (lease.compareTo(SHORTEST) < 0 || lease.compareTo(LONGEST) > 0) {
      throw RalphException.invalid(
          "a lease must be positive and at most " + LONGEST.toDays() + " days, not " + lease);
    }
  }
}

package dev.ralph.core.internal.loop.policy;

import java.time.Duration;

/**
 * A pause that doubles with each consecutive try, up to a maximum.
 *
 * @param first the pause after the first try
 * @param longest the maximum; at least the first pause
 * @param tries the number of consecutive tries
 */
public record RetryPause(Duration first, Duration longest, int tries) {

  /** The longest duration that a wait accepts. */
  private static final Duration LONGEST = Duration.ofDays(365);

  /** Creates a pause; raises the maximum to the first pause. */
  public RetryPause {
    longest = longest.compareTo(first) < 0 ? first : longest;
  }

  /** Creates a pause before the first try. */
  public RetryPause(Duration first, Duration longest) {
    this(first, longest, 0);
  }

  /** Returns the duration, or a year if it is longer. */
  public static Duration bounded(Duration time) {
    return time.compareTo(LONGEST) < 0 ? time : LONGEST;
  }

  /** Returns the pause after one more try. */
  public RetryPause next() {
    return new RetryPause(first, longest, tries + 1);
  }

  /** Returns the pause without tries. */
  public RetryPause reset() {
    return tries == 0 ? this : new RetryPause(first, longest, 0);
  }

  /** Returns the duration of the pause after the last try. */
  public Duration pause() {
    Duration pause = first;
    for (int i = 1; i < tries && pause.compareTo(longest) < 0; i++) {
      pause = pause.multipliedBy(2);
    }
    return pause.compareTo(longest) < 0 ? pause : longest;
  }
}

package dev.ralph.core.internal.loop;

import java.time.Duration;

/** The pause before the next attempt, which doubles with each attempt up to a limit. */
final class RetryPause {

  /** The longest pause, which is safe for time arithmetic. */
  private static final Duration LONGEST = Duration.ofDays(365);

  private final Duration first;
  private final Duration longest;
  private int tries;

  RetryPause(Duration first, Duration longest) {
    this.first = first;
    this.longest = longest.compareTo(first) < 0 ? first : longest;
  }

  /** Returns the time, or at most a year. */
  static Duration bounded(Duration time) {
    return time.compareTo(LONGEST) < 0 ? time : LONGEST;
  }

  Duration next() {
    Duration pause = first;
    for (int i = 0; i < tries && pause.compareTo(longest) < 0; i++) {
      pause = pause.multipliedBy(2);
    }
    tries++;
    return pause.compareTo(longest) < 0 ? pause : longest;
  }

  void reset() {
    tries = 0;
  }

  int tries() {
    return tries;
  }
}

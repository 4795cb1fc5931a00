package dev.ralph.core.internal.process;

import java.time.Duration;

/** A time on {@link System#nanoTime()}, bounded against overflow. */
record Deadline(long nanoTime) {

  private static final Duration LONGEST = Duration.ofDays(36_500);

  static Deadline after(Duration wait) {
    Duration notNegative = wait.isNegative() ? Duration.ZERO : wait;
    Duration bounded = notNegative.compareTo(LONGEST) > 0 ? LONGEST : notNegative;
    return new Deadline(System.nanoTime() + bounded.toNanos());
  }

  static Deadline earlier(Deadline one, Deadline other) {
    return one.nanoTime - other.nanoTime <= 0 ? one : other;
  }

  long remainingNanos() {
    return Math.max(0, nanoTime - System.nanoTime());
  }

  boolean passed() {
    return remainingNanos() == 0;
  }
}

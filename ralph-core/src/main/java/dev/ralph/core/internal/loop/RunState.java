package dev.ralph.core.internal.loop;

import dev.ralph.Usage;

/** How far a run has come. For the thread that steps. */
final class RunState {

  private TimeBox timeLimit;
  private int last;
  private int iterations;
  private Usage usage = Usage.NONE;

  RunState(Time time) {
    this.timeLimit = time.box(null);
  }

  /** The time for the whole run begins. */
  void limit(TimeBox limit) {
    timeLimit = limit;
  }

  /** One more iteration has begun. */
  void begin(int number) {
    last = number;
    iterations++;
  }

  void used(Usage more) {
    usage = usage.plus(more);
  }

  /** Returns the time that this run may take, unlimited before it has begun. */
  TimeBox timeLimit() {
    return timeLimit;
  }

  /** Returns the number of the newest iteration of this run, or 0. */
  int last() {
    return last;
  }

  /** Returns how many iterations this run has begun. */
  int iterations() {
    return iterations;
  }

  /** Returns what those that have ended used together. */
  Usage usage() {
    return usage;
  }
}

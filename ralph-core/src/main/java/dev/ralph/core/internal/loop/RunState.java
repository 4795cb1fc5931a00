package dev.ralph.core.internal.loop;

import dev.ralph.Usage;

/** The progress of a run. Used only by the stepping thread. */
final class RunState {

  private TimeBox timeLimit;
  private int last;
  private int iterations;
  private Usage usage = Usage.NONE;

  RunState(LoopClock time) {
    this.timeLimit = time.box(null);
  }

  /** Starts the time limit of the run. */
  void limit(TimeBox limit) {
    timeLimit = limit;
  }

  /** Records the start of an iteration. */
  void begin(int number) {
    last = number;
    iterations++;
  }

  void used(Usage more) {
    usage = usage.plus(more);
  }

  /** Returns the time limit of the run, unlimited before its start. */
  TimeBox timeLimit() {
    return timeLimit;
  }

  /** Returns the number of the newest iteration of this run, or 0. */
  int last() {
    return last;
  }

  /** Returns the number of iterations that this run has begun. */
  int iterations() {
    return iterations;
  }

  /** Returns the total usage of the ended iterations. */
  Usage usage() {
    return usage;
  }
}

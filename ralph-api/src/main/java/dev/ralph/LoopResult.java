package dev.ralph;

import org.jspecify.annotations.Nullable;

/**
 * The result of a loop.
 *
 * @param reason the reason of the end
 * @param iterations the number of iterations that this run began
 * @param usage the total usage of these iterations
 * @param detail details for people, in one or more lines, or null: for example the work left, or
 *     the reason of the last failure
 */
public record LoopResult(StopReason reason, int iterations, Usage usage, @Nullable String detail) {

  @Override
  public String toString() {
    return reason.word()
        + " after "
        + iterations
        + (iterations == 1 ? " iteration" : " iterations")
        + (detail == null ? "" : ": " + detail);
  }
}

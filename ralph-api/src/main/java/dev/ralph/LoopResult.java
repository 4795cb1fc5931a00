package dev.ralph;

import org.jspecify.annotations.Nullable;

/**
 * How a loop ended.
 *
 * @param reason why it ended
 * @param iterations how many this run began
 * @param usage what they used together
 * @param detail more about the reason, for people, in one line or several, or null: what is left to
 *     do, say, or why the last iteration failed
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

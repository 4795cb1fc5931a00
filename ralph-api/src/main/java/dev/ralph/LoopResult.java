package dev.ralph;

import org.jspecify.annotations.Nullable;

/** How a loop ended. */
public final class LoopResult {

  private final StopReason reason;
  private final int iterations;
  private final Usage usage;
  private final @Nullable String detail;

  private LoopResult(StopReason reason, int iterations, Usage usage, @Nullable String detail) {
    this.reason = reason;
    this.iterations = iterations;
    this.usage = usage;
    this.detail = detail;
  }

  /**
   * Makes a result.
   *
   * @param iterations how many this run began
   * @param usage what they used together
   * @param detail more about the reason, for people, or null
   */
  public static LoopResult of(
      StopReason reason, int iterations, Usage usage, @Nullable String detail) {
    return new LoopResult(reason, iterations, usage, detail);
  }

  /** Returns why it ended. */
  public StopReason reason() {
    return reason;
  }

  /** Returns how many iterations this run began. */
  public int iterations() {
    return iterations;
  }

  /** Returns what they used together. */
  public Usage usage() {
    return usage;
  }

  /**
   * Returns more about the reason, for people, in one line or several, or null: what is left to do,
   * say, or why the last iteration failed.
   */
  public @Nullable String detail() {
    return detail;
  }

  @Override
  public String toString() {
    return reason.word()
        + " after "
        + iterations
        + (iterations == 1 ? " iteration" : " iterations")
        + (detail == null ? "" : ": " + detail);
  }
}

package dev.ralph;

import java.math.BigDecimal;

/** What an agent used, as far as it said. */
public final class Usage {

  /** Nothing, or nothing known. */
  public static final Usage NONE = new Usage(0, 0, BigDecimal.ZERO);

  private final long inputTokens;
  private final long outputTokens;
  private final BigDecimal costUsd;

  private Usage(long inputTokens, long outputTokens, BigDecimal costUsd) {
    this.inputTokens = inputTokens;
    this.outputTokens = outputTokens;
    this.costUsd = costUsd;
  }

  /**
   * Returns a usage.
   *
   * @param inputTokens tokens read, 0 where not known
   * @param outputTokens tokens written, 0 where not known
   * @param costUsd cost in US dollars, 0 where not known
   */
  public static Usage of(long inputTokens, long outputTokens, BigDecimal costUsd) {
    return new Usage(inputTokens, outputTokens, costUsd);
  }

  /** Returns the sum of both; tokens beyond the range of a long count as the most there can be. */
  public Usage plus(Usage other) {
    return new Usage(
        sum(inputTokens, other.inputTokens),
        sum(outputTokens, other.outputTokens),
        costUsd.add(other.costUsd));
  }

  private static long sum(long one, long other) {
    long sum = one + other;
    boolean overflown = ((one ^ sum) & (other ^ sum)) < 0;
    return overflown ? (one < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
  }

  /** Returns the tokens read. */
  public long inputTokens() {
    return inputTokens;
  }

  /** Returns the tokens written. */
  public long outputTokens() {
    return outputTokens;
  }

  /** Returns the cost in US dollars. */
  public BigDecimal costUsd() {
    return costUsd;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Usage
        && ((Usage) other).inputTokens == inputTokens
        && ((Usage) other).outputTokens == outputTokens
        && ((Usage) other).costUsd.compareTo(costUsd) == 0;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(inputTokens * 31 + outputTokens);
  }

  @Override
  public String toString() {
    return inputTokens + " tokens in, " + outputTokens + " out, $" + costUsd.toPlainString();
  }
}

package dev.ralph.core.internal.loop;

import dev.ralph.Usage;
import java.math.BigDecimal;
import javax.annotation.Nullable;

/**
 * What may be used at most.
 *
 * @param cost in US dollars, or null for no limit
 * @param tokens of all kinds, or null for no limit
 */
record Limits(@Nullable BigDecimal cost, @Nullable Long tokens) {

  /**
   * Returns in words which limit is reached, or null where none is.
   *
   * @param used what was used so far
   * @param where for what the limit is: of the run or of an iteration
   */
  @Nullable
  String reached(Usage used, String where) {
    BigDecimal spent = used.costUsd();
    if (cost != null && spent != null && spent.compareTo(cost) >= 0) {
      return "the budget of "
          + Usage.dollars(cost)
          + where
          + " is used up: "
          + Usage.dollars(spent);
    }
    if (tokens != null && used.totalTokens() >= tokens) {
      return "the budget of " + tokens + " tokens" + where + " is used up: " + used.totalTokens();
    }
    return null;
  }
}

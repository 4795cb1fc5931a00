package dev.ralph.core.internal.loop.policy;

import dev.ralph.Usage;
import dev.ralph.core.internal.control.ControlState;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Limits of the usage.
 *
 * @param cost in US dollars, or null for no limit
 * @param tokens of all kinds, or null for no limit
 */
public record Limits(@Nullable BigDecimal cost, @Nullable Long tokens) {

  public static final Limits NONE = new Limits(null, null);

  public boolean isLimited() {
    return cost != null || tokens != null;
  }

  /** Returns raised limits; a missing limit stays missing. */
  public Limits plus(ControlState.Raised more) {
    return new Limits(
        cost == null ? null : cost.add(more.costUsd()),
        tokens == null || tokens > Long.MAX_VALUE - more.tokens()
            ? tokens
            : Long.valueOf(tokens + more.tokens()));
  }

  /**
   * Returns a message if a limit is reached, or null.
   *
   * @param what a text for the message: empty, or " for an iteration"
   */
  public @Nullable String reached(Usage used, String what) {
    BigDecimal spent = used.costUsd();
    if (cost != null && spent != null && spent.compareTo(cost) >= 0) {
      return "the budget of " + Usage.dollars(cost) + what + " is used up: " + Usage.dollars(spent);
    }
    if (tokens != null && used.totalTokens() >= tokens) {
      return "the budget of "
          + tokens
          + " tokens"
          + what
          + " is used up: "
          + used.totalTokens()
          + " tokens";
    }
    return null;
  }
}

package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ralph.log.Meta;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import javax.annotation.concurrent.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * The reported or estimated usage of an agent. An unknown amount does not count as zero: an unknown
 * cost is null, and a usage with unknown parts is {@linkplain #isPartial partial}. Immutable.
 */
@Immutable
public final class Usage {

  /** No usage, or no reported usage. */
  public static final Usage NONE = new Usage(0, 0, 0, null, false, false);

  /** An unknown usage. The sum with another usage is partial. */
  public static final Usage UNKNOWN = new Usage(0, 0, 0, null, false, true);

  /** The number of decimals of a share of a cost, finer than any price. */
  private static final int DECIMALS = 9;

  /** The most digits of a price. Longer numbers are rejected. */
  private static final int DIGITS = 30;

  private final long inputTokens;
  private final long cachedTokens;
  private final long outputTokens;
  private final @Nullable BigDecimal costUsd;
  private final boolean estimated;
  private final boolean partial;

  private Usage(
      long inputTokens,
      long cachedTokens,
      long outputTokens,
      @Nullable BigDecimal costUsd,
      boolean estimated,
      boolean partial) {
    this.inputTokens = Math.max(0, inputTokens);
    this.cachedTokens = Math.max(0, cachedTokens);
    this.outputTokens = Math.max(0, outputTokens);
    this.costUsd = costUsd;
    this.estimated = estimated;
    this.partial = partial;
  }

  /** Returns the cost, or null if the number is no valid price. */
  private static @Nullable BigDecimal known(@Nullable BigDecimal cost) {
    boolean isKnown =
        cost != null
            && cost.signum() > 0
            && Math.abs((long) cost.scale()) <= DIGITS
            && cost.precision() <= DIGITS;
    return isKnown ? cost : null;
  }

  /**
   * Returns a usage without cached tokens. Negative numbers of tokens count as 0.
   *
   * @param inputTokens the input tokens, 0 if unknown; without cached tokens if these are known
   *     separately
   * @param outputTokens the output tokens, 0 if unknown
   * @param costUsd the cost in US dollars, or null if unknown. Zero counts as unknown, because
   *     clients report zero for models without a known price; so does a number with more than 30
   *     digits
   */
  public static Usage of(long inputTokens, long outputTokens, @Nullable BigDecimal costUsd) {
    return new Usage(inputTokens, 0, outputTokens, known(costUsd), false, false);
  }

  /** Parses the result of {@link #json()}. Missing and invalid members count as unknown. */
  public static Usage of(Meta json) {
    return new Usage(
        json.integer("input_tokens").orElse(0),
        json.integer("cached_tokens").orElse(0),
        json.integer("output_tokens").orElse(0),
        known(json.number("cost_usd")),
        json.isTrue("estimated"),
        json.isTrue("partial"));
  }

  /** Returns a copy with the number of input tokens from the provider's cache. */
  public Usage withCachedTokens(long cachedTokens) {
    return new Usage(inputTokens, cachedTokens, outputTokens, costUsd, estimated, partial);
  }

  /** Returns a copy that is marked as an estimate. */
  public Usage asEstimate() {
    return new Usage(inputTokens, cachedTokens, outputTokens, costUsd, true, partial);
  }

  /**
   * Returns one of several equal shares of this usage. With more than one share, the result is an
   * estimate.
   *
   * @param shares the number of shares, at least 1
   */
  public Usage share(int shares) {
    if (shares == 1 || equals(UNKNOWN) || equals(NONE)) {
      return this;
    }
    BigDecimal cost =
        costUsd == null
            ? null
            : costUsd.divide(BigDecimal.valueOf(shares), DECIMALS, RoundingMode.HALF_UP);
    return new Usage(
        inputTokens / shares,
        cachedTokens / shares,
        outputTokens / shares,
        known(cost),
        true,
        partial);
  }

  /**
   * Returns the sum of two usages. The sum is an estimate or partial if one of them is. If one cost
   * is unknown, the sum has the other cost and is partial. Sums of tokens beyond the range of a
   * long are {@link Long#MAX_VALUE}.
   */
  public Usage plus(Usage other) {
    return new Usage(
        sum(inputTokens, other.inputTokens),
        sum(cachedTokens, other.cachedTokens),
        sum(outputTokens, other.outputTokens),
        sum(costUsd, other.costUsd),
        estimated || other.estimated,
        partial || other.partial || addsToCostOf(other) || other.addsToCostOf(this));
  }

  /** Returns whether this usage has tokens without a cost while the other has a cost. */
  private boolean addsToCostOf(Usage other) {
    return other.costUsd != null && costUsd == null && totalTokens() > 0;
  }

  private static long sum(long one, long other) {
    long sum = one + other;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  private static @Nullable BigDecimal sum(@Nullable BigDecimal one, @Nullable BigDecimal other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.add(other);
  }

  /** Returns the input tokens, without {@link #cachedTokens()}. */
  public long inputTokens() {
    return inputTokens;
  }

  /** Returns the input tokens from the provider's cache, 0 if not known separately. */
  public long cachedTokens() {
    return cachedTokens;
  }

  /** Returns the output tokens. */
  public long outputTokens() {
    return outputTokens;
  }

  /** Returns all tokens: input, cached input and output. */
  public long totalTokens() {
    return sum(sum(inputTokens, cachedTokens), outputTokens);
  }

  /** Returns the cost in US dollars, greater than zero, or null if unknown. */
  public @Nullable BigDecimal costUsd() {
    return costUsd;
  }

  /** Returns whether the cost or a number of tokens is an estimate. */
  public boolean isEstimated() {
    return estimated;
  }

  /**
   * Returns whether the true usage is or may be higher, for example because an agent was stopped
   * during a request, or because the cost of a part is unknown.
   */
  public boolean isPartial() {
    return partial;
  }

  /**
   * Returns this usage as JSON, for frames, events and answers: {@code input_tokens}, {@code
   * cached_tokens} (if not 0), {@code output_tokens}, {@code cost_usd} (if known), {@code
   * estimated} and {@code partial} (if true). If no token is known, the numbers of tokens are
   * omitted.
   */
  @JsonValue
  public Meta json() {
    // Unknown numbers of tokens are omitted, because readers would count them as 0.
    boolean known = !partial || totalTokens() > 0;
    return Meta.empty()
        .with("input_tokens", known ? inputTokens : null)
        .with("cached_tokens", cachedTokens == 0 ? null : cachedTokens)
        .with("output_tokens", known ? outputTokens : null)
        .with("cost_usd", costUsd)
        .with("estimated", estimated ? true : null)
        .with("partial", partial ? true : null);
  }

  /**
   * Formats an amount of money for people: rounded to cents, or to two digits below a cent.
   *
   * @param usd an amount in US dollars
   */
  public static String dollars(BigDecimal usd) {
    // No constants of the class: a command that shows a usage without a cost does not need them.
    BigDecimal cent = BigDecimal.valueOf(1, 2);
    BigDecimal rounded =
        usd.abs().compareTo(cent) < 0 && usd.signum() != 0
            ? usd.round(new MathContext(2, RoundingMode.HALF_UP)).stripTrailingZeros()
            : usd.setScale(2, RoundingMode.HALF_UP);
    return "$" + rounded.toPlainString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Usage that
        && that.inputTokens == inputTokens
        && that.cachedTokens == cachedTokens
        && that.outputTokens == outputTokens
        && that.estimated == estimated
        && that.partial == partial
        && isSame(costUsd, that.costUsd);
  }

  private static boolean isSame(@Nullable BigDecimal one, @Nullable BigDecimal other) {
    return one == null || other == null ? one == other : one.compareTo(other) == 0;
  }

  @Override
  public int hashCode() {
    return Long.hashCode((inputTokens * 31 + cachedTokens) * 31 + outputTokens);
  }

  /**
   * Formats this usage for people: {@code at least 12 tokens in, 3 out, about $0.02}. The cost is
   * rounded, and omitted if unknown.
   */
  @Override
  public String toString() {
    return inWords(
        inputTokens
            + " tokens in, "
            + (cachedTokens == 0 ? "" : cachedTokens + " cached, ")
            + outputTokens
            + " out");
  }

  /**
   * Formats this usage for people with another text for the tokens.
   *
   * @param tokens the text for the tokens, such as {@code 12.3k tokens}
   */
  public String inWords(String tokens) {
    if (partial && totalTokens() == 0 && costUsd == null) {
      return "unknown";
    }
    return (partial ? "at least " : "")
        + tokens
        + (costUsd == null ? "" : ", " + (estimated ? "about " : "") + dollars(costUsd));
  }
}

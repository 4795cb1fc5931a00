package dev.ralph;

import dev.ralph.log.Meta;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import javax.annotation.concurrent.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * What an agent used: as it said, or as it was estimated. What nobody knows is not counted as zero:
 * a cost that is not known is null, and a usage of which a part is not known {@linkplain #isPartial
 * says so}. Immutable.
 */
@Immutable
public final class Usage {

  /** Nothing, or nothing that anybody tells of. */
  public static final Usage NONE = new Usage(0, 0, 0, null, false, false);

  /** Something, and nobody knows how much. Added to another usage it makes that a partial one. */
  public static final Usage UNKNOWN = new Usage(0, 0, 0, null, false, true);

  /** Of a share of a cost. Smaller than any price. */
  private static final int DECIMALS = 9;

  private static final BigDecimal CENT = new BigDecimal("0.01");
  private static final MathContext TWO_DIGITS = new MathContext(2, RoundingMode.HALF_UP);

  /** More digits than this are no price, and sums of them could not be shown. */
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

  /** Returns the cost, or null where it is none. */
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
   * @param inputTokens tokens read, 0 where not known; without those from a cache, where these are
   *     known apart
   * @param outputTokens tokens written, 0 where not known
   * @param costUsd cost in US dollars, or null where not known. Zero counts as not known too,
   *     because clients say zero for a model whose price they don't know; so does a number of more
   *     than 30 digits
   */
  public static Usage of(long inputTokens, long outputTokens, @Nullable BigDecimal costUsd) {
    return new Usage(inputTokens, 0, outputTokens, known(costUsd), false, false);
  }

  /**
   * Returns the usage that {@link #json()} stands for; members that are missing or make no sense
   * count as not known.
   */
  public static Usage of(Meta json) {
    return new Usage(
        json.integer("input_tokens").orElse(0),
        json.integer("cached_tokens").orElse(0),
        json.integer("output_tokens").orElse(0),
        known(json.number("cost_usd")),
        json.isTrue("estimated"),
        json.isTrue("partial"));
  }

  /** Returns this usage with the number of tokens that the model's provider had in a cache. */
  public Usage withCachedTokens(long cachedTokens) {
    return new Usage(inputTokens, cachedTokens, outputTokens, costUsd, estimated, partial);
  }

  /** Returns this usage as one whose cost or tokens nobody has told, but somebody has estimated. */
  public Usage asEstimate() {
    return new Usage(inputTokens, cachedTokens, outputTokens, costUsd, true, partial);
  }

  /**
   * Returns one of equal shares of this usage, which is an estimate where there are several.
   *
   * @param shares how many, 1 or more
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
   * Returns the sum of both, which is an estimate or partial if one of them is. Where one cost is
   * not known, the sum has the other, and is partial. Tokens beyond the range of a long count as
   * the most there can be.
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

  /** Returns whether this cost something that is missing in the other's cost. */
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

  /** Returns the tokens read, without {@link #cachedTokens()}. */
  public long inputTokens() {
    return inputTokens;
  }

  /** Returns the tokens read from the provider's cache, 0 where not known apart from the others. */
  public long cachedTokens() {
    return cachedTokens;
  }

  /** Returns the tokens written. */
  public long outputTokens() {
    return outputTokens;
  }

  /** Returns all tokens: read, read from a cache, and written. */
  public long totalTokens() {
    return sum(sum(inputTokens, cachedTokens), outputTokens);
  }

  /** Returns the cost in US dollars, greater than zero, or null where it is not known. */
  public @Nullable BigDecimal costUsd() {
    return costUsd;
  }

  /** Returns whether the cost, or a number of tokens, is an estimate. */
  public boolean isEstimated() {
    return estimated;
  }

  /**
   * Returns whether more was used than this says, or may have been: of an agent that was ended in
   * the middle of a request, for example, or where the cost of a part is not known.
   */
  public boolean isPartial() {
    return partial;
  }

  /**
   * Returns this usage as it stands in frames, events and answers in JSON: {@code input_tokens},
   * {@code cached_tokens} (if there are any), {@code output_tokens}, {@code cost_usd} (if known),
   * {@code estimated} and {@code partial} (if true). One of which no token is known has no numbers
   * of tokens.
   */
  public Meta json() {
    // Of what nobody knows, no number is written that a reader could take for the truth.
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
   * Returns an amount of money for people: rounded to cents, below a cent to two digits.
   *
   * @param usd an amount in US dollars
   */
  public static String dollars(BigDecimal usd) {
    BigDecimal rounded =
        usd.abs().compareTo(CENT) < 0 && usd.signum() != 0
            ? usd.round(TWO_DIGITS).stripTrailingZeros()
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
   * Returns this usage for people: {@code at least 12 tokens in, 3 out, about $0.02}. The cost is
   * rounded, and left out where it is not known.
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
   * Returns this usage for people, with its tokens in other words than {@link #toString()} has.
   *
   * @param tokens such as {@code 12.3k tokens}
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

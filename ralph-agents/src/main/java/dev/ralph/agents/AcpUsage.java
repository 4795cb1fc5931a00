package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * What a turn has used, as far as its agent tells: the cost as it grows, the tokens at the end.
 * Agents differ in what they count, so what is not proven to be all of it counts as a part. For one
 * thread at a time.
 */
final class AcpUsage {

  private final RunRecord record;
  private final Prices prices;
  private @Nullable String model;
  private @Nullable BigDecimal cost;

  /** The tokens of the conversation as the last request had them, or 0 where that is not told. */
  private long context;

  AcpUsage(RunRecord record, Prices prices) {
    this.record = record;
    this.prices = prices;
  }

  /** Sets the model that works, or null where that is not told. */
  void model(@Nullable String name) {
    model = name;
  }

  /** Takes in what is told while the agent works: a sum of the cost, and the context's size. */
  void sofar(JsonNode update) {
    context = update.path("used").asLong(0);
    JsonNode told = update.path("cost");
    if (told.path("amount").isNumber() && told.path("currency").asText().equals("USD")) {
      cost = told.path("amount").decimalValue();
    }
    record.setUsage(Usage.of(0, 0, cost).plus(Usage.UNKNOWN));
  }

  /**
   * The turn has ended.
   *
   * @param told the tokens that it has used; no object where that is not told
   */
  void end(JsonNode told) {
    Tokens tokens = tokens(told);
    Usage used =
        cost == null ? record.priced(tokens.usage(prices, model), model) : tokens.usage(cost);
    boolean nothing = tokens.equals(Tokens.NONE) && !record.answered();
    Usage known = nothing || isAll(tokens) ? used : used.plus(Usage.UNKNOWN);
    record.setUsage(known);
    if (!known.equals(Usage.NONE)) {
      record.put(RecordEntry.used(model, known));
    }
  }

  /**
   * Returns whether these are the tokens of all requests. Some agents tell those of the last only:
   * after a call of a tool there were two at least, and both of them read the conversation.
   */
  private boolean isAll(Tokens tokens) {
    long read = tokens.input() + tokens.cached() + tokens.toCache();
    boolean one = record.toolCalls().isEmpty();
    return read > 0 && (one || context > 0 && read > context);
  }

  /**
   * Reads tokens; those from a cache are a part of the input for some, and beside it for others.
   */
  private static Tokens tokens(JsonNode told) {
    long input = told.path("inputTokens").asLong();
    long output = told.path("outputTokens").asLong();
    long cached = told.path("cachedReadTokens").asLong();
    long toCache = told.path("cachedWriteTokens").asLong();
    long total = told.path("totalTokens").asLong();
    boolean within = total > 0 && total < input + output + cached + toCache;
    return new Tokens(within ? input - cached - toCache : input, cached, toCache, output);
  }
}

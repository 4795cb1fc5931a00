package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The usage of a turn as reported by the agent: the cost during the turn, the tokens at the end.
 * Agents count differently. Therefore usage counts as partial unless proven complete. Not
 * thread-safe.
 */
final class AcpUsage {

  private final RunRecord record;
  private final Prices prices;
  private @Nullable String model;
  private @Nullable BigDecimal cost;

  /** The number of tokens in the context of the last request, or 0 if unknown. */
  private long context;

  AcpUsage(RunRecord record, Prices prices) {
    this.record = record;
    this.prices = prices;
  }

  /** Sets the model, or null if it is unknown. */
  void model(@Nullable String name) {
    model = name;
  }

  /** Reads an update during the turn: the total cost and the size of the context. */
  void sofar(JsonNode update) {
    context = update.path("used").asLong(0);
    JsonNode reported = update.path("cost");
    if (reported.path("amount").isNumber() && reported.path("currency").asText().equals("USD")) {
      cost = reported.path("amount").decimalValue();
    }
    record.setUsage(Usage.of(0, 0, cost).plus(Usage.UNKNOWN));
  }

  /**
   * Records the usage at the end of the turn.
   *
   * @param usage the tokens of the turn, or no object if the agent does not report them
   */
  void end(JsonNode usage) {
    Tokens tokens = tokens(usage);
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
   * Returns whether the tokens include all requests. Some agents report only the last request. A
   * turn with a tool call has at least two requests, and both read the conversation.
   */
  private boolean isAll(Tokens tokens) {
    long read = tokens.input() + tokens.cached() + tokens.toCache();
    boolean one = record.toolCalls().isEmpty();
    return read > 0 && (one || context > 0 && read > context);
  }

  /** Parses tokens. Some agents count cached tokens as part of the input, others separately. */
  private static Tokens tokens(JsonNode told) {
    long input = told.path("inputTokens").asLong(told.path("input_tokens").asLong());
    long output = told.path("outputTokens").asLong(told.path("output_tokens").asLong());
    long cached = told.path("cachedReadTokens").asLong();
    long toCache = told.path("cachedWriteTokens").asLong();
    long total = told.path("totalTokens").asLong();
    boolean within = total > 0 && total < input + output + cached + toCache;
    return new Tokens(within ? input - cached - toCache : input, cached, toCache, output);
  }
}

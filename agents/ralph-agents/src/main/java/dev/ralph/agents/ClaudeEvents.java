package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import dev.ralph.agents.RunRecord.ToolCall;
import dev.ralph.agents.internal.ClientName;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the event lines of {@code claude -p --output-format stream-json --verbose
 * --include-partial-messages}. Unknown events are ignored. Not thread-safe.
 */
final class ClaudeEvents implements Consumer<JsonNode> {

  private final RunRecord record;
  private final @Nullable McpServerCommand tools;
  private final Prices prices;

  /** The usage of a message so far. */
  private record Counted(@Nullable String model, Tokens tokens) {

    Counted orMore(Counted other) {
      return new Counted(model == null ? other.model : model, tokens.orMore(other.tokens));
    }
  }

  /** The usage of each message by its id, until the client reports the sum at its end. */
  private final Map<String, Counted> messages = new HashMap<>();

  /** The ids of incomplete messages. */
  private final Set<String> comingIn = new HashSet<>();

  private @Nullable Instant limitResets;
  private boolean started;

  /**
   * Creates a reader.
   *
   * @param tools the server that must be connected, or null for none
   * @param prices values the tokens until the client reports its cost
   */
  ClaudeEvents(RunRecord record, @Nullable McpServerCommand tools, Prices prices) {
    this.record = record;
    this.tools = tools;
    this.prices = prices;
  }

  /** Returns whether the client has reported the start and the tools. */
  boolean started() {
    return started;
  }

  @Override
  public void accept(JsonNode event) {
    switch (event.path("type").asText()) {
      case "system" -> acceptSystem(event);
      case "assistant" -> acceptAssistant(event);
      case "stream_event" -> acceptPiece(event);
      case "user" -> event.at("/message/content").forEach(this::acceptToolResult);
      case "rate_limit_event" -> acceptRateLimit(event.path("rate_limit_info"));
      case "result" -> acceptResult(event);
      default -> {
        // Other events are ignored.
      }
    }
  }

  private void acceptSystem(JsonNode event) {
    switch (event.path("subtype").asText()) {
      case "init" -> acceptInit(event);
      case "api_retry" -> {
        JsonNode delay = event.path("retry_delay_ms");
        ModelError error =
            error(
                event.path("error").asText(),
                event.path("error_status").asInt(0),
                reason(event.path("error").asText()));
        Duration wait = delay.isNumber() ? Duration.ofMillis(delay.asLong()) : null;
        int attempt = event.path("attempt").asInt(0);
        if (attempt > 0) {
          record.retries().failed(error, wait, attempt, event.path("max_retries").asInt(0));
        } else {
          record.retries().failed(error, wait);
        }
      }
      case "status" -> {
        if (event.path("status").asText().equals("requesting")) {
          record.asking(true);
        }
      }
      default -> {
        // Hooks and compaction are ignored.
      }
    }
  }

  private void acceptInit(JsonNode event) {
    started = true;
    record.put(
        RecordEntry.client(
            ClientName.CLAUDE.name(),
            event.path("claude_code_version").textValue(),
            event.path("model").textValue(),
            List.of(),
            event.path("session_id").textValue()));
    if (tools == null) {
      return;
    }
    String status = "unknown";
    for (JsonNode server : event.path("mcp_servers")) {
      if (server.path("name").asText().equals(ClientSettings.TOOL_SERVER)) {
        status = server.path("status").asText();
      }
    }
    if (!status.equals("connected")) {
      record.giveUp(ToolsMissing.of(ClientName.CLAUDE, tools, "status " + status));
    }
  }

  private void acceptAssistant(JsonNode event) {
    JsonNode message = event.path("message");
    String kind = event.path("error").asText("");
    if (!kind.isEmpty()) {
      record.asking(false);
      record.failed(
          error(
              kind,
              event.path("api_error_status").asInt(0),
              message.at("/content/0/text").asText()));
      return;
    }
    // The text of a sub-agent is not the agent's text, but its tool calls are recorded.
    boolean own = !event.path("parent_tool_use_id").isTextual();
    String id = message.path("id").asText();
    used(id, message);
    record.modelAnswered();
    for (JsonNode block : message.path("content")) {
      String type = block.path("type").asText();
      if (type.equals("text") && own && !block.path("text").asText().isBlank()) {
        record.addText(id, block.path("text").asText());
        record.put(RecordEntry.text(block.path("text").asText()));
        record.show(block.path("text").asText());
      } else if (type.equals("tool_use")) {
        String tool = block.path("name").asText();
        String title = ToolTitle.of(block.path("input"));
        record.calling(block.path("id").asText(), tool, title);
        record.put(
            RecordEntry.toolCall(block.path("id").asText(), tool, block.path("input").toString()));
        record.show("[" + tool + "] " + title);
      }
    }
  }

  /**
   * Reads an event of an incomplete message. Complete messages report too few output tokens, and
   * the last event of a message reports all of them.
   */
  private void acceptPiece(JsonNode event) {
    JsonNode piece = event.path("event");
    switch (piece.path("type").asText()) {
      case "message_start" -> {
        comingIn.add(piece.at("/message/id").asText());
        used(piece.at("/message/id").asText(), piece.path("message"));
        record.asking(true);
      }
      case "message_delta" -> {
        String message = event.path("api_message_id").asText();
        used(message, piece);
        Counted counted = messages.get(message);
        if (comingIn.remove(message) && counted != null) {
          record.put(RecordEntry.used(counted.model(), valued(counted.tokens(), counted.model())));
        }
        record.asking(!comingIn.isEmpty());
      }
      default -> {
        // Text of incomplete messages is ignored.
      }
    }
  }

  /** Records the usage of a message. Each count only grows while the message is incomplete. */
  private void used(String id, JsonNode message) {
    JsonNode model = message.path("model");
    Counted counted =
        new Counted(model.isTextual() ? model.asText() : null, tokensOf(message.path("usage")));
    messages.merge(id, counted, Counted::orMore);
    Usage all = Usage.NONE;
    for (Counted each : messages.values()) {
      all = all.plus(valued(each.tokens(), each.model()));
    }
    record.setUsage(all);
  }

  private Usage valued(Tokens tokens, @Nullable String model) {
    return record.priced(tokens.usage(prices, model), model);
  }

  private void acceptToolResult(JsonNode block) {
    if (!block.path("type").asText().equals("tool_result")) {
      return;
    }
    String id = block.path("tool_use_id").asText();
    boolean failed = block.path("is_error").asBoolean();
    String said = text(block.path("content"));
    Optional<ToolCall> call = record.called(id, failed);
    record.put(RecordEntry.toolResult(id, failed, said));
    if (failed && call.isPresent()) {
      record.show("[" + call.get().tool() + "] failed: " + ToolTitle.shortened(said));
    }
  }

  /** Returns the text of a content, which is a string or a list of parts. */
  private static String text(JsonNode content) {
    return content.isTextual()
        ? content.asText()
        : String.join("\n", content.findValuesAsText("text"));
  }

  private void acceptRateLimit(JsonNode info) {
    if (info.path("status").asText().equals("rejected") && info.path("resetsAt").isNumber()) {
      limitResets = Instant.ofEpochSecond(info.path("resetsAt").asLong());
    }
  }

  /**
   * Reads the final event. Its {@code subtype} is "success" also for errors, but {@code is_error}
   * is reliable.
   */
  private void acceptResult(JsonNode event) {
    record.asking(false);
    record.setUsage(usageOfRun(event));
    JsonNode denials = event.path("permission_denials");
    for (JsonNode denial : denials) {
      record.put(
          RecordEntry.permission(
              denial.path("tool_use_id").textValue(), denial.path("tool_name").asText(), "denied"));
    }
    int denied = denials.size();
    if (denied > 0) {
      record.show("[" + denied + (denied == 1 ? " call" : " calls") + " of tools not permitted]");
    }
    if (!event.path("is_error").asBoolean()) {
      record.finishedWell();
      return;
    }
    record.finishedBadly();
    String subtype = event.path("subtype").asText();
    String said = event.path("result").asText("");
    if (!subtype.equals("success") && event.path("api_error_status").asInt(0) == 0) {
      String why = said.isBlank() ? event.at("/errors/0").asText(subtype) : said;
      record.giveUp(
          AgentResult.failure(
              "Claude Code ended early: " + subtype + (why.isBlank() ? "" : ", " + why)));
    } else if (record.error() == null) {
      record.failed(error("", event.path("api_error_status").asInt(0), said));
    }
  }

  private ModelError error(String kind, int status, String message) {
    Duration wait = limitResets == null ? null : RetryAfter.until(limitResets, Instant.now());
    ModelError error = ModelError.of(status, message, null);
    return switch (kind) {
      case "authentication_failed", "oauth_org_not_allowed" -> error.as(Cause.NOT_LOGGED_IN);
      case "rate_limit", "overloaded" -> error.as(Cause.RATE_LIMITED).waiting(wait);
      default -> error.cause() == Cause.RATE_LIMITED ? error.waiting(wait) : error;
    };
  }

  /** Returns the reason of a retry, which the client reports with underscores. */
  private static String reason(String kind) {
    return kind.isEmpty() ? "" : kind.replace('_', ' ');
  }

  /**
   * Returns the usage of the run. The members by model are complete, but the sum misses a message
   * if the run ended early.
   */
  private Usage usageOfRun(JsonNode result) {
    JsonNode models = result.path("modelUsage");
    if (models.isEmpty()) {
      Tokens all = Tokens.NONE;
      for (Counted each : messages.values()) {
        all = all.plus(each.tokens());
      }
      return all.orMore(tokensOf(result.path("usage")))
          .usage(dollars(result.path("total_cost_usd")));
    }
    Usage all = Usage.NONE;
    for (Map.Entry<String, JsonNode> model : models.properties()) {
      all = all.plus(usageOfModel(model.getKey(), model.getValue()));
    }
    return all;
  }

  private Usage usageOfModel(String model, JsonNode used) {
    Tokens tokens =
        new Tokens(
            used.path("inputTokens").asLong(),
            used.path("cacheReadInputTokens").asLong(),
            used.path("cacheCreationInputTokens").asLong(),
            used.path("outputTokens").asLong());
    Usage told = tokens.usage(dollars(used.path("costUSD")));
    if (!used.path("costBasis").asText().equals("unknown")) {
      return told;
    }
    // Claude Code does not know the price, and reports a cost by the price of another model.
    Usage valued = tokens.usage(prices, model);
    return valued.costUsd() == null && told.costUsd() != null ? told.asEstimate() : valued;
  }

  private static @Nullable BigDecimal dollars(JsonNode cost) {
    return cost.isNumber() ? cost.decimalValue() : null;
  }

  private static Tokens tokensOf(JsonNode usage) {
    return new Tokens(
        usage.path("input_tokens").asLong(),
        usage.path("cache_read_input_tokens").asLong(),
        usage.path("cache_creation_input_tokens").asLong(),
        usage.path("output_tokens").asLong());
  }
}

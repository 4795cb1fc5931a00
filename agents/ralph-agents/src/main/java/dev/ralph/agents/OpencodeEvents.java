package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import dev.ralph.agents.RunRecord.ToolCall;
import dev.ralph.agents.internal.ClientName;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of an opencode run: the event lines of {@code opencode run --format json}, and
 * later the messages stored by its server. The messages replace all data of the events, because an
 * attached client may exit before it has written all events.
 *
 * <p>Safe for use by several threads.
 */
final class OpencodeEvents implements Consumer<JsonNode> {

  /**
   * The most truncated answers in a row, and the most answers in a row without a tool call. The
   * iteration is given up beyond this limit, because opencode retries without end. An example is
   * the compaction of a conversation that never fits.
   */
  private static final int IDLE_STEPS_ALLOWED = 20;

  /** The most truncated answers in a row if the iteration has a time limit. */
  private static final int CUT_OFF_STEPS_WITH_LIMIT = 5;

  private static final String ABORTED = "MessageAbortedError";

  private final RunRecord record;
  private final boolean hasLimit;
  private final String hint;
  private final @Nullable String model;
  private final Prices prices;

  /** The ids of processed parts, because the messages repeat the parts of the events. */
  private final Set<String> shown = new HashSet<>();

  /** The reference of the last error in opencode's log, or an empty string. */
  private String reference = "";

  private int cutOffSteps;

  /** The number of context overflows since the last tool call. */
  private int overflows;

  /** Whether any tool was called. */
  private boolean worked;

  /** The number of answers in a row without a tool call. */
  private int idleSteps;

  /**
   * Creates a reader.
   *
   * @param hasLimit whether the iteration has a time limit
   * @param model the requested model, or null for the choice of opencode
   * @param prices values the tokens of the model if opencode does not know its price
   */
  OpencodeEvents(RunRecord record, boolean hasLimit, @Nullable String model, Prices prices) {
    this.record = record;
    this.hasLimit = hasLimit;
    this.model = model;
    this.prices = prices;
    this.hint = hint(model);
  }

  /** Returns a hint for the user, because opencode does not always name an unknown model. */
  static String hint(@Nullable String model) {
    return " (is the model "
        + (model == null ? "" : model + " ")
        + "known? see: opencode models; are you logged in? see: opencode auth list)";
  }

  /** Reads an event of the client. */
  @Override
  public synchronized void accept(JsonNode event) {
    if (event.path("type").asText().equals("error")) {
      ModelError error = error(event.path("error"), Instant.now(), hint);
      if (error.cause() == Cause.PROMPT_TOO_LONG) {
        acceptOverflow(error);
      }
      record.failed(error);
      reference = event.at("/error/data/ref").asText("");
    } else {
      recordSession(event.path("sessionID").asText(""), null);
      acceptPart(event.path("part"));
    }
  }

  private void recordSession(String id, @Nullable String model) {
    if (!id.isEmpty() && shown.add(model == null ? id : model)) {
      record.put(RecordEntry.client(ClientName.OPENCODE.name(), null, model, List.of(), id));
    }
  }

  /**
   * Handles a context overflow. opencode compacts the conversation and retries without end. The
   * iteration fails if the prompt itself does not fit, because a summary cannot replace the prompt.
   * The iteration also fails if a compacted conversation does not fit.
   */
  private void acceptOverflow(ModelError error) {
    if (!record.answered() || overflows > 0) {
      record.giveUp(error.result(ClientName.OPENCODE, worked));
    }
    overflows++;
  }

  /**
   * Reads all messages of the session in order, as the server stores them.
   *
   * @param wasDone whether the session was done before the abort. If so, aborted messages are no
   *     part of the run
   */
  synchronized void acceptMessages(JsonNode messages, boolean wasDone) {
    ModelError told = record.error();
    record.beginAgain();
    cutOffSteps = 0;
    idleSteps = 0;
    for (JsonNode message : messages) {
      JsonNode info = message.path("info");
      boolean leftOut = wasDone && info.at("/error/name").asText().equals(ABORTED);
      if (info.path("role").asText().equals("assistant") && !leftOut) {
        recordSession(
            info.path("sessionID").asText(""),
            info.path("providerID").asText() + "/" + info.path("modelID").asText());
        message.path("parts").forEach(this::acceptPart);
        // A further message proves recovery from an error.
        record.failed(info.has("error") ? error(info.path("error"), Instant.now(), hint) : null);
        told = null;
      }
    }
    if (told != null) {
      // No message contains the error if the model failed before the first message.
      record.failed(told);
    }
  }

  /**
   * Reads the reason of the last error from opencode's log if the event only refers to the log.
   *
   * @param log the end of opencode's standard error
   */
  synchronized void explain(OutputTail log) {
    if (!reference.isEmpty() && record.error() != null) {
      log.last(Pattern.compile("\\bref=" + Pattern.quote(reference) + " error=\"([^\"\\\\]+)"))
          .ifPresent(why -> record.failed(ModelError.of(0, why.strip() + hint, null)));
    }
  }

  /** Reads the usage of the sessions of agents that the session's agent started. */
  void acceptChildren(JsonNode children) {
    Usage all = Usage.NONE;
    for (JsonNode child : children) {
      all = all.plus(usageOf(child.path("tokens"), child.path("cost")));
    }
    record.usedElsewhere(all);
  }

  private void acceptPart(JsonNode part) {
    switch (part.path("type").asText()) {
      case "text" -> acceptText(part);
      case "tool" -> acceptTool(part);
      case "step-start" -> record.asking(true);
      case "step-finish" -> acceptStepFinish(part);
      default -> {
        // Reasoning, snapshots and patches are ignored.
      }
    }
  }

  private void acceptText(JsonNode part) {
    String text = part.path("text").asText();
    if (!text.isBlank()) {
      record.addText(part.path("messageID").asText(), text);
      if (isNew(part)) {
        record.put(RecordEntry.text(text));
        record.show(text);
      }
    }
  }

  private void acceptTool(JsonNode part) {
    JsonNode state = part.path("state");
    String status = state.path("status").asText();
    if (!status.equals("completed") && !status.equals("error")) {
      return;
    }
    String tool = part.path("tool").asText();
    String title = state.path("title").asText("");
    if (title.isBlank()) {
      title = ToolTitle.of(state.path("input"));
    }
    idleSteps = 0;
    overflows = 0;
    worked = true;
    boolean failed = status.equals("error");
    record.called(new ToolCall(tool, title, failed));
    if (isNew(part)) {
      String id = part.path("callID").asText();
      String error = state.path("error").asText("");
      record.put(RecordEntry.toolCall(id, tool, state.path("input").toString()));
      record.put(
          RecordEntry.toolResult(id, failed, failed ? error : state.path("output").asText("")));
      record.show("[" + tool + "] " + title + (failed ? " failed: " + error : ""));
    }
  }

  private void acceptStepFinish(JsonNode part) {
    record.asking(false);
    record.modelAnswered();
    Usage used = usageOf(part.path("tokens"), part.path("cost"));
    record.addUsage(used);
    if (isNew(part)) {
      record.put(RecordEntry.used(model, used));
    }
    cutOffSteps = part.path("reason").asText().equals("unknown") ? cutOffSteps + 1 : 0;
    idleSteps++;
    if (cutOffSteps > (hasLimit ? CUT_OFF_STEPS_WITH_LIMIT : IDLE_STEPS_ALLOWED)) {
      record.giveUp(
          AgentResult.failure("the model's answers were cut off " + cutOffSteps + " times in a row")
              .cause(Cause.MODEL_ERROR));
    } else if (idleSteps > IDLE_STEPS_ALLOWED) {
      record.giveUp(
          AgentResult.failure(
              "opencode asked its model "
                  + idleSteps
                  + " times in a row without calling a tool, perhaps to compact a conversation"
                  + " that is too long: shorten the template or the spec, or choose a model"
                  + " with a larger context"));
    }
  }

  private boolean isNew(JsonNode part) {
    return shown.add(part.path("id").asText());
  }

  /**
   * Returns the usage of a step. Output includes reasoning. opencode reports a cost of zero if it
   * does not know the price.
   */
  private Usage usageOf(JsonNode used, JsonNode cost) {
    JsonNode cache = used.path("cache");
    Tokens tokens =
        new Tokens(
            used.path("input").asLong(),
            cache.path("read").asLong(),
            cache.path("write").asLong(),
            used.path("output").asLong() + used.path("reasoning").asLong());
    Usage told = tokens.usage(cost.isNumber() ? cost.decimalValue() : null);
    if (told.costUsd() != null || told.totalTokens() == 0 || model == null) {
      return told;
    }
    Usage valued = tokens.usage(prices, model);
    if (valued.costUsd() == null) {
      valued = tokens.usage(prices, model.substring(model.indexOf('/') + 1));
    }
    return record.priced(valued, model);
  }

  /**
   * Parses an error, which has the same format in an {@code error} event and in a stored message.
   */
  static ModelError error(JsonNode error, Instant now, String hint) {
    JsonNode data = error.path("data");
    String message = data.path("message").asText("");
    ModelError read =
        ModelError.of(
            data.path("statusCode").asInt(0),
            message,
            RetryAfter.ofHeaders(data.path("responseHeaders"), now));
    return switch (error.path("name").asText()) {
      case "ProviderAuthError" -> read.as(Cause.NOT_LOGGED_IN);
      case "ContextOverflowError" -> read.as(Cause.PROMPT_TOO_LONG);
      case ABORTED ->
          ModelError.of(0, "the session was aborted from outside of the loop: " + message, null);
      // The error of opencode for an unknown model or provider, and for other failures.
      case "UnknownError" -> ModelError.of(0, read.message() + hint, null);
      default -> read;
    };
  }
}

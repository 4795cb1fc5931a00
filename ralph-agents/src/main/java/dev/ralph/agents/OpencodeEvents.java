package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import dev.ralph.agents.RunRecord.ToolCall;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads what opencode tells of a run: the event lines of {@code opencode run --format json} while
 * it goes on, and the messages that its server keeps, which then replace all that the events told:
 * an attached client may end before it has written the last of them.
 *
 * <p>Safe for several threads.
 */
final class OpencodeEvents implements Consumer<JsonNode> {

  /**
   * So many answers in a row that break off are not chance, and so many without a call of a tool
   * are no work: opencode asks again without end, such as when it compacts a conversation that
   * never fits.
   */
  private static final int IDLE_STEPS_ALLOWED = 20;

  /** Of answers that break off, where the iteration has a time limit. */
  private static final int CUT_OFF_STEPS_WITH_LIMIT = 5;

  private static final String ABORTED = "MessageAbortedError";

  private final RunRecord record;
  private final boolean hasLimit;
  private final String hint;
  private final @Nullable String model;
  private final Prices prices;

  /** Parts that were handed on, by id: those of the messages come a second time. */
  private final Set<String> shown = new HashSet<>();

  /** By which opencode's log says more of the last error; empty if there is none. */
  private String reference = "";

  private int cutOffSteps;

  /** How often the conversation did not fit since the last call of a tool. */
  private int overflows;

  /** Whether any tool was called. */
  private boolean worked;

  /** Answers in a row without a call of a tool. */
  private int idleSteps;

  /**
   * @param hasLimit whether the iteration's time is limited
   * @param model that was asked for, or null where it is for opencode to choose
   * @param prices value the tokens of that model where opencode does not know its price
   */
  OpencodeEvents(RunRecord record, boolean hasLimit, @Nullable String model, Prices prices) {
    this.record = record;
    this.hasLimit = hasLimit;
    this.model = model;
    this.prices = prices;
    this.hint = hint(model);
  }

  /** Returns what to look for; opencode does not always say which model it does not know. */
  static String hint(@Nullable String model) {
    return " (is the model "
        + (model == null ? "" : model + " ")
        + "known? see: opencode models; are you logged in? see: opencode auth list)";
  }

  /** Takes in an event of the client. */
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
      tellSession(event.path("sessionID").asText(""), null);
      acceptPart(event.path("part"));
    }
  }

  private void tellSession(String id, @Nullable String model) {
    if (!id.isEmpty() && shown.add(model == null ? id : model)) {
      record.put(RecordEntry.client(ClientName.OPENCODE.name(), null, model, List.of(), id));
    }
  }

  /**
   * What does not fit, opencode has its model sum up, and asks again, without end. A prompt that
   * does not fit comes again with the next iteration, and a summary of it is no prompt; what does
   * not fit when it was summed up fits no other time.
   */
  private void acceptOverflow(ModelError error) {
    if (!record.answered() || overflows > 0) {
      record.giveUp(error.result(ClientName.OPENCODE, worked));
    }
    overflows++;
  }

  /**
   * Takes in all messages of the session, in order, as the server keeps them.
   *
   * @param wasDone whether the session was done before it was aborted: then what was aborted is not
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
        tellSession(
            info.path("sessionID").asText(""),
            info.path("providerID").asText() + "/" + info.path("modelID").asText());
        message.path("parts").forEach(this::acceptPart);
        // An error that opencode got over by itself is followed by another message.
        record.failed(info.has("error") ? error(info.path("error"), Instant.now(), hint) : null);
        told = null;
      }
    }
    if (told != null) {
      // It failed before there was any message of the model's to keep the error with.
      record.failed(told);
    }
  }

  /**
   * Takes the reason of the last error from opencode's log, where the event only refers to it.
   *
   * @param log what opencode wrote to its standard error
   */
  synchronized void explain(OutputTail log) {
    if (!reference.isEmpty() && record.error() != null) {
      log.last(Pattern.compile("\\bref=" + Pattern.quote(reference) + " error=\"([^\"\\\\]+)"))
          .ifPresent(why -> record.failed(ModelError.of(0, why.strip() + hint, null)));
    }
  }

  /** Takes in the sessions of the agents that the session's agent started. */
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
        // Reasoning, snapshots, patches: of no concern here.
      }
    }
  }

  private void acceptText(JsonNode part) {
    String text = part.path("text").asText();
    if (!text.isBlank()) {
      record.said(part.path("messageID").asText(), text);
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
          AgentResult.failure("the model's answers broke off " + cutOffSteps + " times in a row")
              .cause(Cause.MODEL_ERROR));
    } else if (idleSteps > IDLE_STEPS_ALLOWED) {
      record.giveUp(
          AgentResult.failure(
              "opencode asked its model "
                  + idleSteps
                  + " times in a row without calling a tool; it may be compacting a conversation"
                  + " that never fits: shorten the template or the spec, or choose a model that"
                  + " takes more"));
    }
  }

  private boolean isNew(JsonNode part) {
    return shown.add(part.path("id").asText());
  }

  /** Output counts reasoning. opencode tells a cost of zero where it does not know the price. */
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
   * Reads an error as opencode tells it: the same object stands in an {@code error} event and in
   * the message that the server keeps.
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
          ModelError.of(0, "the session was aborted by somebody else: " + message, null);
      // What opencode says of a model or provider that it does not know, among other things.
      case "UnknownError" -> ModelError.of(0, read.message() + hint, null);
      default -> read;
    };
  }
}

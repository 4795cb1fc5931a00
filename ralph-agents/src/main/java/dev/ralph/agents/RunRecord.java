package dev.ralph.agents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.Usage;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * What one run of opencode did: what it said, the tools it called, what it used, how it failed. Put
 * together from the event lines of the client while it runs, and from the messages that the server
 * keeps, which then replace all that the events told: an attached client may end before it has
 * written the last of them.
 *
 * <p>Safe for several threads.
 */
final class RunRecord {

  /** A call of a tool that has ended. */
  record ToolCall(String tool, String title, boolean failed) {}

  /** A line longer than this holds no more than a tool's output; it is left out. */
  private static final int LONGEST_LINE = 16 * 1024 * 1024;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Consumer<String> output;
  private final StringBuilder line = new StringBuilder();
  private boolean skipLine;

  /** Parts that were handed to the output, by id: those of the messages come a second time. */
  private final Set<String> shown = new HashSet<>();

  private final List<ToolCall> toolCalls = new ArrayList<>();
  private final StringBuilder finalText = new StringBuilder();
  private String finalMessage = "";
  private Usage usage = Usage.NONE;
  @Nullable private ModelError error;
  private boolean answered;
  private int cutOffSteps;

  /**
   * @param output receives what the agent says and does, each thing once
   */
  RunRecord(Consumer<String> output) {
    this.output = output;
  }

  /** Takes in a piece of the client's output: a line with its newline, or a part of a long one. */
  synchronized void acceptOutput(String piece) {
    boolean ended = piece.endsWith("\n");
    if (!skipLine) {
      line.append(piece);
      skipLine = line.length() > LONGEST_LINE;
    }
    if (ended) {
      String whole = line.toString();
      boolean skipped = skipLine;
      line.setLength(0);
      skipLine = false;
      if (!skipped) {
        acceptEvent(whole);
      }
    }
  }

  private void acceptEvent(String text) {
    JsonNode event;
    try {
      event = JSON.readTree(text);
    } catch (JsonProcessingException noEvent) {
      // Something else that was printed, such as by a plugin.
      show(text.stripTrailing());
      return;
    }
    if (event.path("type").asText().equals("error")) {
      error = ModelError.of(event.path("error"), Instant.now());
    } else {
      acceptPart(event.path("part"));
    }
  }

  /** Takes in all messages of the session, in order, as the server keeps them. */
  synchronized void acceptMessages(JsonNode messages) {
    toolCalls.clear();
    finalText.setLength(0);
    finalMessage = "";
    usage = Usage.NONE;
    error = null;
    answered = false;
    for (JsonNode message : messages) {
      JsonNode info = message.path("info");
      if (info.path("role").asText().equals("assistant")) {
        // An error that opencode got over by itself is followed by another message.
        error = info.has("error") ? ModelError.of(info.path("error"), Instant.now()) : null;
        message.path("parts").forEach(this::acceptPart);
      }
    }
  }

  /** Adds what another session used on behalf of this one. */
  synchronized void addUsage(JsonNode tokens, JsonNode cost) {
    usage = usage.plus(usageOf(tokens, cost));
  }

  private void acceptPart(JsonNode part) {
    switch (part.path("type").asText()) {
      case "text" -> acceptText(part);
      case "tool" -> acceptTool(part);
      case "step-finish" -> {
        answered = true;
        usage = usage.plus(usageOf(part.path("tokens"), part.path("cost")));
        cutOffSteps = part.path("reason").asText().equals("unknown") ? cutOffSteps + 1 : 0;
      }
      default -> {
        // Reasoning, snapshots, patches: of no concern here.
      }
    }
  }

  private void acceptText(JsonNode part) {
    String text = part.path("text").asText();
    if (text.isBlank()) {
      return;
    }
    answered = true;
    String message = part.path("messageID").asText();
    if (!message.equals(finalMessage)) {
      finalText.setLength(0);
      finalMessage = message;
    }
    finalText.append(finalText.length() == 0 ? "" : "\n").append(text.strip());
    showOnce(part, text.stripTrailing());
  }

  private void acceptTool(JsonNode part) {
    JsonNode state = part.path("state");
    String status = state.path("status").asText();
    if (!status.equals("completed") && !status.equals("error")) {
      return;
    }
    answered = true;
    String tool = part.path("tool").asText();
    String title = state.path("title").asText("");
    if (title.isBlank()) {
      title = state.path("input").path("command").asText("");
    }
    boolean failed = status.equals("error");
    toolCalls.add(new ToolCall(tool, title, failed));
    String failure = failed ? " failed: " + state.path("error").asText("") : "";
    showOnce(part, ("[" + tool + "] " + title + failure).stripTrailing());
  }

  private void showOnce(JsonNode part, String text) {
    if (shown.add(part.path("id").asText())) {
      show(text);
    }
  }

  private void show(String text) {
    if (!text.isBlank()) {
      output.accept(text);
    }
  }

  /** Input counts what came from a cache too; output counts reasoning. */
  private static Usage usageOf(JsonNode tokens, JsonNode cost) {
    long input =
        tokens.path("input").asLong()
            + tokens.path("cache").path("read").asLong()
            + tokens.path("cache").path("write").asLong();
    long output = tokens.path("output").asLong() + tokens.path("reasoning").asLong();
    return Usage.of(input, output, cost.isNumber() ? cost.decimalValue() : BigDecimal.ZERO);
  }

  /** What the agent said last, all of that message; empty if it said nothing. */
  synchronized String finalText() {
    return finalText.toString();
  }

  /** The calls that have ended, in order. */
  synchronized List<ToolCall> toolCalls() {
    return List.copyOf(toolCalls);
  }

  synchronized Usage usage() {
    return usage;
  }

  /** How the last request to the model failed, or null if it did not. */
  @Nullable
  synchronized ModelError error() {
    return error;
  }

  /** Whether the model said or did anything. */
  synchronized boolean answered() {
    return answered;
  }

  /** How many answers in a row, up to now, broke off; opencode asks again at once, without end. */
  synchronized int cutOffSteps() {
    return cutOffSteps;
  }
}

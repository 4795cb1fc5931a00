package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.RecordEntry;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Reads what an agent tells of its work by {@code session/update}. What is not known is passed
 * over. For one thread at a time.
 */
final class AcpUpdates {

  private static final Set<String> ENDED = Set.of("completed", "failed");

  /** A call of a tool, as far as the agent has told. */
  private static final class Call {
    String kind = "";
    String title = "";
    String input = "";
    String arguments = "{}";
    boolean shown;

    /** Returns the tool's name, where the agent tells one and not only what the tool does. */
    String name() {
      return title.isBlank() || title.contains(" ") ? label() : title;
    }

    /** Returns what kind of tool it is. */
    String label() {
      return kind.isEmpty() || kind.equals("other") ? "tool" : kind;
    }

    /** Returns it in words for people: what the agent calls it, and what it does. */
    String words() {
      String what = input.isEmpty() || title.contains(input) ? title : title + " " + input;
      return ToolTitle.shortened(what);
    }
  }

  private final RunRecord record;
  private final AcpUsage usage;
  private final Map<String, Call> calls = new HashMap<>();
  private final StringBuilder message = new StringBuilder();

  /** Where the part of the message begins that was not shown yet. */
  private int shown;

  private String messageId = "";

  /** Counts the messages of an agent that does not name them. */
  private int parts;

  AcpUpdates(RunRecord record, AcpUsage usage) {
    this.record = record;
    this.usage = usage;
  }

  /** Takes in one update. */
  void accept(JsonNode update) {
    switch (update.path("sessionUpdate").asText()) {
      case "agent_message_chunk" -> acceptText(update);
      case "agent_thought_chunk" -> record.modelAnswered();
      case "tool_call" -> acceptCall(update, true);
      case "tool_call_update" -> acceptCall(update, false);
      case "usage_update" -> usage.sofar(update);
      default -> {
        // Plans, modes, commands: of no concern here.
      }
    }
  }

  private void acceptText(JsonNode update) {
    String id = update.path("messageId").asText("");
    if (!id.equals(messageId)) {
      endMessage();
      messageId = id;
    }
    message.append(update.at("/content/text").asText(""));
    int line = message.lastIndexOf("\n");
    if (line >= shown) {
      record.show(message.substring(shown, line));
      shown = line + 1;
    }
  }

  /** Takes what the agent said for a whole message: something else follows, or nothing. */
  void endMessage() {
    if (!message.toString().isBlank()) {
      record.show(message.substring(shown));
      record.put(RecordEntry.text(message.toString()));
      record.said(messageId.isEmpty() ? "part " + ++parts : messageId, message.toString());
    }
    message.setLength(0);
    shown = 0;
  }

  /**
   * A call is told of several times, at first with hardly more than a name. It is shown when more
   * of it is told, or when it begins.
   */
  private Call acceptCall(JsonNode update, boolean isFirst) {
    endMessage();
    String id = update.path("toolCallId").asText();
    Call call = calls.computeIfAbsent(id, added -> new Call());
    call.kind = update.path("kind").asText(call.kind);
    call.title = update.path("title").asText(call.title);
    if (!update.path("rawInput").isEmpty()) {
      call.input = ToolTitle.of(update.path("rawInput"));
      call.arguments = update.path("rawInput").toString();
    }
    String status = update.path("status").asText("pending");
    boolean isVague = status.equals("pending") && (isFirst || call.input.isEmpty());
    if (!call.shown && !isVague) {
      call.shown = true;
      record.calling(id, call.label(), call.words());
      record.put(RecordEntry.toolCall(id, call.name(), call.arguments));
      record.show("[" + call.label() + "] " + call.words());
    }
    if (ENDED.contains(status)) {
      boolean failed = status.equals("failed");
      if (record.called(id, failed).isPresent()) {
        String said = said(update);
        record.put(RecordEntry.toolResult(id, failed, said));
        if (failed) {
          String why = ToolTitle.shortened(said);
          record.show("[" + call.label() + "] failed" + (why.isEmpty() ? "" : ": " + why));
        }
      }
    }
    return call;
  }

  /** Returns what a call came to, as far as that is told in words. */
  private static String said(JsonNode update) {
    String said = String.join("\n", update.path("content").findValuesAsText("text"));
    return said.isEmpty() ? update.at("/rawOutput/error/message").asText("") : said;
  }

  /** Takes in a call that asks for permission, and returns it in words for people. */
  String describe(JsonNode toolCall) {
    Call call = acceptCall(toolCall, false);
    return "[" + call.label() + "] " + call.words();
  }
}

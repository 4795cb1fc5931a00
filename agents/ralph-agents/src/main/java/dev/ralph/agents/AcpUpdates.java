package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.RecordEntry;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the notifications {@code session/update} of an agent. Unknown updates are ignored. Not
 * thread-safe.
 */
final class AcpUpdates {

  private static final Set<String> ENDED = Set.of("completed", "failed");

  /** A title of Gemini CLI with the name of a tool. */
  private static final Pattern OF_SERVER = Pattern.compile("(\\S+) \\(\\S+ MCP Server\\)");

  /** A tool call, with the details received so far. */
  private static final class Call {
    String kind = "";
    String title = "";
    String input = "";
    String arguments = "{}";
    boolean shown;

    /** Returns the name of the tool, or its kind if the title only describes the call. */
    String name() {
      Matcher server = OF_SERVER.matcher(title);
      if (server.matches()) {
        return server.group(1);
      }
      return title.isBlank() || title.contains(" ") ? label() : title;
    }

    /** Returns the kind of the tool. */
    String label() {
      return kind.isEmpty() || kind.equals("other") ? "tool" : kind;
    }

    /** Returns a description for people: the title and the input of the call. */
    String words() {
      String what = input.isEmpty() || title.contains(input) ? title : title + " " + input;
      return ToolTitle.shortened(what);
    }
  }

  private final @Nullable AcpClient named;
  private final RunRecord record;
  private final AcpUsage usage;
  private final Map<String, Call> calls = new HashMap<>();
  private final StringBuilder message = new StringBuilder();

  /** The index in the message where the text begins that was not shown yet. */
  private int shown;

  private String messageId = "";

  /** The number of messages of an agent that sends no message ids. */
  private int parts;

  /** The last text if it is a failure of the model, or null. */
  private @Nullable String modelError;

  /**
   * Creates a reader.
   *
   * @param named the client, or null if only its program is known
   */
  AcpUpdates(@Nullable AcpClient named, RunRecord record, AcpUsage usage) {
    this.named = named;
    this.record = record;
    this.usage = usage;
  }

  /** Returns the failure of the model with which the agent ended its turn, or null. */
  @Nullable String modelError() {
    return modelError;
  }

  /** Reads an update. */
  void accept(JsonNode update) {
    switch (update.path("sessionUpdate").asText()) {
      case "agent_message_chunk" -> acceptText(update);
      case "agent_thought_chunk" -> record.modelAnswered();
      case "tool_call" -> acceptCall(update, true);
      case "tool_call_update" -> acceptCall(update, false);
      case "usage_update" -> usage.sofar(update);
      default -> {
        // Plans, modes and commands are ignored.
      }
    }
  }

  private void acceptText(JsonNode update) {
    String id = update.path("messageId").asText("");
    String text = update.at("/content/text").asText("");
    modelError = named != null && named.isModelError(text) ? text : null;
    if (!id.equals(messageId) || modelError != null) {
      endMessage();
      messageId = id;
    }
    message.append(text);
    int line = message.lastIndexOf("\n");
    if (line >= shown) {
      record.show(message.substring(shown, line));
      shown = line + 1;
    }
  }

  /** Ends the current message, because other output follows or the turn has ended. */
  void endMessage() {
    if (!message.toString().isBlank()) {
      record.show(message.substring(shown));
      record.put(RecordEntry.text(message.toString()));
      record.addText(messageId.isEmpty() ? "part " + ++parts : messageId, message.toString());
    }
    message.setLength(0);
    shown = 0;
  }

  /**
   * Reads an update of a tool call. Agents send several updates per call, and the first has little
   * more than a name. The call is shown when more details arrive or when it begins.
   */
  private Call acceptCall(JsonNode update, boolean isFirst) {
    endMessage();
    modelError = null;
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
        String said = resultText(update);
        record.put(RecordEntry.toolResult(id, failed, said));
        if (failed) {
          String why = ToolTitle.shortened(said);
          record.show("[" + call.label() + "] failed" + (why.isEmpty() ? "" : ": " + why));
        }
      }
    }
    return call;
  }

  /** Returns the text of a call's result, or an empty string. */
  private static String resultText(JsonNode update) {
    String said = String.join("\n", update.path("content").findValuesAsText("text"));
    return said.isEmpty() ? update.at("/rawOutput/error/message").asText("") : said;
  }

  /** Reads the tool call of a permission request, and returns a description for people. */
  String describe(JsonNode toolCall) {
    Call call = acceptCall(toolCall, false);
    return "[" + call.label() + "] " + call.words();
  }
}

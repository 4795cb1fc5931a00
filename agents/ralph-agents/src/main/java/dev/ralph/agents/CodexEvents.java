package dev.ralph.agents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ralph.AgentResult.Cause;
import dev.ralph.RecordEntry;
import dev.ralph.agents.RunRecord.ToolCall;
import dev.ralph.agents.internal.ClientName;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the event lines of {@code codex exec --json}. Unknown events are ignored. Not thread-safe.
 */
final class CodexEvents implements Consumer<JsonNode> {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern RETRY =
      Pattern.compile("Reconnecting\\.\\.\\. (?:(\\d+)/(\\d+)|[^(]*) *\\((.*)\\)", Pattern.DOTALL);
  private static final Pattern STATUS = Pattern.compile("\\bstatus:? (\\d{3})\\b");
  private static final Set<String> FAILED = Set.of("failed", "declined");

  private final RunRecord record;
  private final CodexRollouts rollouts;
  private boolean reported;

  /**
   * Creates a reader.
   *
   * @param rollouts receives the session's id and reports its usage
   */
  CodexEvents(RunRecord record, CodexRollouts rollouts) {
    this.record = record;
    this.rollouts = rollouts;
  }

  /** Returns whether Codex has reported the usage of all requests. */
  boolean hasReportedUsage() {
    return reported;
  }

  @Override
  public void accept(JsonNode event) {
    read(event);
    rollouts.readNewLines();
  }

  private void read(JsonNode event) {
    switch (event.path("type").asText()) {
      case "thread.started" -> {
        String id = event.path("thread_id").asText();
        rollouts.begin(id);
        record.put(RecordEntry.client(ClientName.CODEX.name(), null, null, List.of(), id));
      }
      case "turn.started" -> record.asking(true);
      case "item.started" -> acceptStarted(event.path("item"));
      case "item.completed" -> acceptCompleted(event.path("item"));
      case "turn.completed" -> {
        record.asking(false);
        reported = true;
        rollouts.sum(CodexRollouts.tokens(event.path("usage")));
        record.finishedWell();
      }
      case "turn.failed" -> {
        record.asking(false);
        record.failed(error(event.at("/error/message").asText()));
        record.finishedBadly();
      }
      case "error" -> acceptError(event.path("message").asText());
      default -> {
        // Other events are ignored.
      }
    }
  }

  private void acceptStarted(JsonNode item) {
    String tool = tool(item);
    if (!tool.isEmpty()) {
      String title = title(item);
      record.asking(false);
      record.calling(item.path("id").asText(), tool, title);
      record.put(call(item, tool));
      record.show("[" + tool + "] " + title);
    }
  }

  private void acceptCompleted(JsonNode item) {
    String text = item.path("text").asText("");
    String type = item.path("type").asText();
    if (type.equals("agent_message") && !text.isBlank()) {
      record.addText(item.path("id").asText(), text);
      record.put(RecordEntry.text(text));
      record.show(text);
      return;
    }
    String tool = tool(item);
    if (tool.isEmpty()) {
      // Reasoning and to-do lists are ignored, and so are errors, which are warnings as items.
      return;
    }
    record.asking(true);
    boolean failed =
        FAILED.contains(item.path("status").asText()) || item.path("exit_code").asInt(0) != 0;
    if (record.called(item.path("id").asText(), failed).isEmpty()) {
      record.called(new ToolCall(tool, title(item), failed));
      record.put(call(item, tool));
    }
    if (item.path("status").asText().equals("declined")) {
      record.put(RecordEntry.permission(item.path("id").asText(), tool, "declined"));
    }
    record.put(RecordEntry.toolResult(item.path("id").asText(), failed, result(item)));
    if (failed) {
      record.show("[" + tool + "] failed" + why(item));
    }
  }

  private static RecordEntry call(JsonNode item, String tool) {
    JsonNode given = item.path("arguments");
    if (!given.isObject()) {
      given = ((ObjectNode) item.deepCopy()).retain("command", "changes", "query");
    }
    return RecordEntry.toolCall(item.path("id").asText(), tool, given.toString());
  }

  /** Returns the result of a call as sent to the model. */
  private static String result(JsonNode item) {
    String error = item.at("/error/message").asText("");
    String said = String.join("\n", item.at("/result/content").findValuesAsText("text"));
    return error + said + item.path("aggregated_output").asText("");
  }

  /** Returns the reason of a failed call after a colon, or an empty string. */
  private static String why(JsonNode item) {
    String error = item.at("/error/message").asText("");
    if (!error.isBlank()) {
      return ": " + ToolTitle.shortened(error);
    }
    String result = item.at("/result/content/0/text").asText("");
    if (!result.isBlank()) {
      return ": " + ToolTitle.shortened(result); // of a tool that returned an error
    }
    String output = ToolTitle.shortened(item.path("aggregated_output").asText(""));
    return item.path("exit_code").asInt(0) == 0
        ? ""
        : ": exit code " + item.path("exit_code").asInt() + (output.isBlank() ? "" : ", " + output);
  }

  /** Returns the tool that an item calls, or an empty string if the item is no tool call. */
  private static String tool(JsonNode item) {
    return switch (item.path("type").asText()) {
      case "command_execution" -> "shell";
      case "mcp_tool_call" -> item.path("server").asText() + "." + item.path("tool").asText();
      case "file_change" -> "edit";
      case "web_search" -> "web_search";
      default -> "";
    };
  }

  private static String title(JsonNode item) {
    return switch (item.path("type").asText()) {
      case "mcp_tool_call" -> ToolTitle.of(item.path("arguments"));
      case "file_change" -> ToolTitle.of(item.path("changes").path(0));
      default -> ToolTitle.of(item);
    };
  }

  private void acceptError(String message) {
    Matcher retry = RETRY.matcher(message);
    if (retry.find()) {
      ModelError error = error(retry.group(3));
      if (retry.group(1) == null) {
        record.retries().failed(error, null);
      } else {
        record.retries().failed(error, null, number(retry.group(1)), number(retry.group(2)));
      }
    } else {
      record.failed(error(message));
    }
  }

  /** Returns the number, or the greatest integer if the number is too large. */
  private static int number(String digits) {
    return digits.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(digits);
  }

  static ModelError error(String message) {
    String said = message;
    if (message.startsWith("{")) {
      try {
        said = JSON.readTree(message).at("/error/message").asText(message);
      } catch (JsonProcessingException noJson) {
        // The message is plain text.
      }
    }
    Matcher status = STATUS.matcher(said);
    int number = status.find() ? Integer.parseInt(status.group(1)) : 0;
    ModelError error = ModelError.of(number, said, RetryAfter.ofWords(said));
    return said.startsWith("Missing environment variable") ? error.as(Cause.NOT_LOGGED_IN) : error;
  }
}

package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The responses interface, streamed. A tool of a group, for example of an MCP server, has a full
 * name with both names: {@code mcp__ralph__task_list}. Each response reports {@value #INPUT_TOKENS}
 * input tokens and {@value #OUTPUT_TOKENS} output tokens.
 */
public final class Responses implements ScriptedModelServer.WireFormat {

  public static final int INPUT_TOKENS = 100;
  public static final int OUTPUT_TOKENS = 20;

  private static final String BETWEEN = "__";

  @Override
  public boolean speaks(String path) {
    return path.endsWith("/responses");
  }

  @Override
  public ScriptedModelServer.Conversation read(JsonNode body) {
    List<String> said = new ArrayList<>();
    List<String> toolResults = new ArrayList<>();
    for (JsonNode item : body.path("input")) {
      String type = item.path("type").asText();
      if (type.equals("message") && item.path("role").asText().equals("user")) {
        item.path("content").forEach(part -> said.add(part.path("text").asText()));
      } else if (type.equals("function_call_output")) {
        toolResults.add(ScriptedModelServer.text(item.path("output")));
      }
    }
    List<String> tools = new ArrayList<>();
    for (JsonNode tool : body.path("tools")) {
      String name = tool.path("name").asText(tool.path("type").asText());
      if (tool.path("type").asText().equals("namespace")) {
        for (JsonNode member : tool.path("tools")) {
          tools.add(name + BETWEEN + member.path("name").asText());
        }
      } else {
        tools.add(name);
      }
    }
    return new ScriptedModelServer.Conversation(String.join("\n", said), toolResults, tools);
  }

  @Override
  public void write(
      HttpExchange exchange, ScriptedModelServer.Request request, ScriptedModelServer.Reply reply)
      throws IOException {
    EventStream stream = EventStream.open(exchange);
    ObjectNode response = response(request);
    stream.send(event("response.created", response));
    int items = 0;
    if (!reply.text().isEmpty()) {
      ObjectNode message =
          ScriptedModelServer.JSON
              .createObjectNode()
              .put("type", "message")
              .put("id", "msg_" + request.number())
              .put("role", "assistant");
      message.putArray("content");
      stream.send(
          event("response.output_item.added", null)
              .put("output_index", items)
              .set("item", message));
      stream.send(
          event("response.output_text.delta", null)
              .put("item_id", "msg_" + request.number())
              .put("delta", reply.text()));
      if (reply.kind() == ScriptedModelServer.Reply.Kind.CUT_OFF) {
        return;
      }
      message.withArray("content").addObject().put("type", "output_text").put("text", reply.text());
      stream.send(done(items++, message));
    }
    for (ScriptedModelServer.ToolCall call : reply.toolCalls()) {
      stream.send(done(items, call(call, request.number() + "_" + items)));
      items++;
    }
    ObjectNode usage = response.putObject("usage");
    usage.put("input_tokens", INPUT_TOKENS).put("output_tokens", OUTPUT_TOKENS);
    usage.putObject("input_tokens_details").put("cached_tokens", 0);
    usage.putObject("output_tokens_details").put("reasoning_tokens", 0);
    usage.put("total_tokens", INPUT_TOKENS + OUTPUT_TOKENS);
    stream.send(event("response.completed", response.put("status", "completed")));
  }

  private static ObjectNode response(ScriptedModelServer.Request request) {
    return ScriptedModelServer.JSON
        .createObjectNode()
        .put("id", "resp_" + request.number())
        .put("object", "response")
        .put("model", request.body().path("model").asText());
  }

  private static ObjectNode call(ScriptedModelServer.ToolCall call, String id) {
    ObjectNode item =
        ScriptedModelServer.JSON
            .createObjectNode()
            .put("type", "function_call")
            .put("id", "fc_" + id)
            .put("call_id", "call_" + id)
            .put("arguments", call.arguments().toString());
    int end = call.name().startsWith("mcp" + BETWEEN) ? call.name().indexOf(BETWEEN, 5) : -1;
    return end < 0
        ? item.put("name", call.name())
        : item.put("namespace", call.name().substring(0, end))
            .put("name", call.name().substring(end + BETWEEN.length()));
  }

  private static ObjectNode done(int index, ObjectNode item) {
    ObjectNode event = event("response.output_item.done", null).put("output_index", index);
    event.set("item", item);
    return event;
  }

  private static ObjectNode event(String type, @Nullable ObjectNode response) {
    ObjectNode event = ScriptedModelServer.JSON.createObjectNode().put("type", type);
    if (response != null) {
      event.set("response", response);
    }
    return event;
  }

  @Override
  public void writeError(HttpExchange exchange, ScriptedModelServer.Reply error)
      throws IOException {
    new ChatCompletions().writeError(exchange, error);
  }
}

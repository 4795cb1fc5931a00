package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages interface, streamed. Each response reports {@value #INPUT_TOKENS} input tokens and
 * {@value #OUTPUT_TOKENS} output tokens.
 */
public final class Messages implements ScriptedModelServer.WireFormat {

  public static final int INPUT_TOKENS = 100;
  public static final int OUTPUT_TOKENS = 20;

  @Override
  public boolean speaks(String path) {
    return path.endsWith("/messages");
  }

  @Override
  public ScriptedModelServer.Conversation read(JsonNode body) {
    List<String> said = new ArrayList<>();
    List<String> toolResults = new ArrayList<>();
    for (JsonNode message : body.path("messages")) {
      if (!message.path("role").asText().equals("user")) {
        continue;
      }
      JsonNode content = message.path("content");
      if (content.isTextual()) {
        said.add(content.asText());
      }
      for (JsonNode block : content) {
        if (block.path("type").asText().equals("tool_result")) {
          toolResults.add(ScriptedModelServer.text(block.path("content")));
        } else {
          said.add(block.path("text").asText());
        }
      }
    }
    List<String> tools = new ArrayList<>();
    body.path("tools").forEach(tool -> tools.add(tool.path("name").asText()));
    return new ScriptedModelServer.Conversation(String.join("\n", said), toolResults, tools);
  }

  @Override
  public void write(
      HttpExchange exchange, ScriptedModelServer.Request request, ScriptedModelServer.Reply reply)
      throws IOException {
    EventStream stream = EventStream.open(exchange);
    stream.send(start(request));
    int index = 0;
    if (!reply.text().isEmpty()) {
      stream.send(blockStart(index, object().put("type", "text").put("text", "")));
      stream.send(delta(index, object().put("type", "text_delta").put("text", reply.text())));
      if (reply.kind() == ScriptedModelServer.Reply.Kind.CUT_OFF) {
        return;
      }
      stream.send(event("content_block_stop").put("index", index++));
    }
    for (ScriptedModelServer.ToolCall call : reply.toolCalls()) {
      ObjectNode block =
          object()
              .put("type", "tool_use")
              .put("id", "toolu_" + request.number() + "_" + index)
              .put("name", call.name());
      block.putObject("input");
      stream.send(blockStart(index, block));
      stream.send(
          delta(
              index,
              object()
                  .put("type", "input_json_delta")
                  .put("partial_json", call.arguments().toString())));
      stream.send(event("content_block_stop").put("index", index++));
    }
    ObjectNode end = event("message_delta");
    end.putObject("delta")
        .put("stop_reason", reply.toolCalls().isEmpty() ? "end_turn" : "tool_use")
        .putNull("stop_sequence");
    end.putObject("usage").put("output_tokens", OUTPUT_TOKENS);
    stream.send(end);
    stream.send(event("message_stop"));
  }

  private static ObjectNode start(ScriptedModelServer.Request request) {
    ObjectNode start = event("message_start");
    ObjectNode message =
        start
            .putObject("message")
            .put("id", "msg_" + request.number())
            .put("type", "message")
            .put("role", "assistant")
            .put("model", request.body().path("model").asText());
    message.putArray("content");
    message.putNull("stop_reason").putNull("stop_sequence");
    message.putObject("usage").put("input_tokens", INPUT_TOKENS).put("output_tokens", 1);
    return start;
  }

  private static ObjectNode blockStart(int index, ObjectNode block) {
    ObjectNode start = event("content_block_start").put("index", index);
    start.set("content_block", block);
    return start;
  }

  private static ObjectNode delta(int index, ObjectNode delta) {
    ObjectNode event = event("content_block_delta").put("index", index);
    event.set("delta", delta);
    return event;
  }

  private static ObjectNode event(String type) {
    return object().put("type", type);
  }

  private static ObjectNode object() {
    return ScriptedModelServer.JSON.createObjectNode();
  }

  @Override
  public void writeError(HttpExchange exchange, ScriptedModelServer.Reply error)
      throws IOException {
    ObjectNode body = object().put("type", "error");
    String type =
        switch (error.status()) {
          case 401 -> "authentication_error";
          case 429 -> "rate_limit_error";
          case 529 -> "overloaded_error";
          default -> error.status() < 500 ? "invalid_request_error" : "api_error";
        };
    body.putObject("error").put("type", type).put("message", error.text());
    byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(error.status(), bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}

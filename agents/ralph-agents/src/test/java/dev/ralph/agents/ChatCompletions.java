package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The chat completions interface, streamed and plain. Each response reports {@value #INPUT_TOKENS}
 * input tokens and {@value #OUTPUT_TOKENS} output tokens.
 */
public final class ChatCompletions implements ScriptedModelServer.WireFormat {

  public static final int INPUT_TOKENS = 100;
  public static final int OUTPUT_TOKENS = 20;

  @Override
  public boolean speaks(String path) {
    return path.endsWith("/chat/completions");
  }

  @Override
  public ScriptedModelServer.Conversation read(JsonNode body) {
    List<String> said = new ArrayList<>();
    List<String> toolResults = new ArrayList<>();
    for (JsonNode message : body.path("messages")) {
      switch (message.path("role").asText()) {
        case "user" -> said.add(ScriptedModelServer.text(message.path("content")));
        case "tool" -> toolResults.add(ScriptedModelServer.text(message.path("content")));
        default -> {
          // Texts of the system and the assistant are ignored.
        }
      }
    }
    List<String> tools = new ArrayList<>();
    body.path("tools").forEach(tool -> tools.add(tool.path("function").path("name").asText()));
    return new ScriptedModelServer.Conversation(String.join("\n", said), toolResults, tools);
  }

  @Override
  public void write(
      HttpExchange exchange, ScriptedModelServer.Request request, ScriptedModelServer.Reply reply)
      throws IOException {
    boolean whole = reply.kind() == ScriptedModelServer.Reply.Kind.ANSWER;
    String finish = reply.toolCalls().isEmpty() ? "stop" : "tool_calls";
    if (request.body().path("stream").asBoolean()) {
      stream(exchange, request, reply, whole ? finish : null);
    } else {
      ObjectNode completion = completion(request, "chat.completion");
      choice(completion)
          .put("finish_reason", finish)
          .set("message", message(reply, request.number()));
      completion.set("usage", usage());
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, 0);
      String json = completion.toString();
      String sent = whole ? json : json.substring(0, json.length() / 2);
      exchange.getResponseBody().write(sent.getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
    }
  }

  private static void stream(
      HttpExchange exchange,
      ScriptedModelServer.Request request,
      ScriptedModelServer.Reply reply,
      String finish)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    ObjectNode first = completion(request, "chat.completion.chunk");
    choice(first).putNull("finish_reason").set("delta", message(reply, request.number()));
    event(out, first.toString());
    if (finish != null) {
      ObjectNode last = completion(request, "chat.completion.chunk");
      choice(last).put("finish_reason", finish).putObject("delta");
      last.set("usage", usage());
      event(out, last.toString());
      event(out, "[DONE]");
    }
  }

  private static void event(OutputStream out, String data) throws IOException {
    out.write(("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static ObjectNode completion(ScriptedModelServer.Request request, String object) {
    return ScriptedModelServer.JSON
        .createObjectNode()
        .put("id", "completion-" + request.number())
        .put("object", object)
        .put("created", 1)
        .put("model", request.body().path("model").asText());
  }

  private static ObjectNode choice(ObjectNode completion) {
    return completion.putArray("choices").addObject().put("index", 0);
  }

  private static ObjectNode message(ScriptedModelServer.Reply reply, int number) {
    ObjectNode message = ScriptedModelServer.JSON.createObjectNode().put("role", "assistant");
    if (!reply.text().isEmpty()) {
      message.put("content", reply.text());
    }
    if (!reply.toolCalls().isEmpty()) {
      ArrayNode calls = message.putArray("tool_calls");
      for (ScriptedModelServer.ToolCall call : reply.toolCalls()) {
        calls
            .addObject()
            .put("index", calls.size() - 1)
            .put("id", "call_" + number + "_" + calls.size())
            .put("type", "function")
            .putObject("function")
            .put("name", call.name())
            .put("arguments", call.arguments().toString());
      }
    }
    return message;
  }

  private static ObjectNode usage() {
    return ScriptedModelServer.JSON
        .createObjectNode()
        .put("prompt_tokens", INPUT_TOKENS)
        .put("completion_tokens", OUTPUT_TOKENS)
        .put("total_tokens", INPUT_TOKENS + OUTPUT_TOKENS);
  }

  @Override
  public void writeError(HttpExchange exchange, ScriptedModelServer.Reply error)
      throws IOException {
    ObjectNode body = ScriptedModelServer.JSON.createObjectNode();
    body.putObject("error")
        .put("message", error.text())
        .put("type", "scripted")
        .put("code", String.valueOf(error.status()));
    byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(error.status(), bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}

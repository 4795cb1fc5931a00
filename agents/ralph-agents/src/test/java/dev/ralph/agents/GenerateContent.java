package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The interface of Gemini's models, streamed and plain. Each response reports {@value
 * #INPUT_TOKENS} input tokens and {@value #OUTPUT_TOKENS} output tokens.
 */
public final class GenerateContent implements ScriptedModelServer.WireFormat {

  public static final int INPUT_TOKENS = 100;
  public static final int OUTPUT_TOKENS = 20;

  private static final String STREAMED = ":streamGenerateContent";

  @Override
  public boolean speaks(String path) {
    return path.endsWith(STREAMED) || path.endsWith(":generateContent");
  }

  @Override
  public ScriptedModelServer.Conversation read(JsonNode body) {
    List<String> said = new ArrayList<>();
    List<String> toolResults = new ArrayList<>();
    for (JsonNode content : body.path("contents")) {
      if (content.path("role").asText().equals("user")) {
        for (JsonNode part : content.path("parts")) {
          JsonNode result = part.path("functionResponse").path("response");
          if (part.has("text")) {
            said.add(part.path("text").asText());
          } else if (!result.isMissingNode()) {
            toolResults.add(result.path("output").asText(result.toString()));
          }
        }
      }
    }
    List<String> tools = new ArrayList<>();
    for (JsonNode tool : body.path("tools")) {
      tool.path("functionDeclarations").forEach(each -> tools.add(each.path("name").asText()));
    }
    return new ScriptedModelServer.Conversation(String.join("\n", said), toolResults, tools);
  }

  @Override
  public void write(
      HttpExchange exchange, ScriptedModelServer.Request request, ScriptedModelServer.Reply reply)
      throws IOException {
    ObjectNode response = ScriptedModelServer.JSON.createObjectNode();
    ObjectNode candidate = response.putArray("candidates").addObject().put("index", 0);
    ArrayNode parts = candidate.putObject("content").put("role", "model").putArray("parts");
    if (!reply.text().isEmpty()) {
      parts.addObject().put("text", reply.text());
    }
    for (ScriptedModelServer.ToolCall call : reply.toolCalls()) {
      parts
          .addObject()
          .putObject("functionCall")
          .put("name", call.name())
          .set("args", call.arguments());
    }
    if (reply.kind() == ScriptedModelServer.Reply.Kind.ANSWER) {
      candidate.put("finishReason", "STOP");
      response
          .putObject("usageMetadata")
          .put("promptTokenCount", INPUT_TOKENS)
          .put("candidatesTokenCount", OUTPUT_TOKENS)
          .put("totalTokenCount", INPUT_TOKENS + OUTPUT_TOKENS);
    }
    boolean streamed = request.path().endsWith(STREAMED);
    send(
        exchange,
        200,
        streamed ? "text/event-stream" : "application/json",
        streamed ? "data: " + response + "\n\n" : response.toString());
  }

  @Override
  public void writeError(HttpExchange exchange, ScriptedModelServer.Reply error)
      throws IOException {
    ObjectNode body = ScriptedModelServer.JSON.createObjectNode();
    body.putObject("error").put("code", error.status()).put("message", error.text());
    send(exchange, error.status(), "application/json", body.toString());
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, 0);
    exchange.getResponseBody().write(text.getBytes(StandardCharsets.UTF_8));
    exchange.getResponseBody().flush();
  }
}

package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ralph.internal.HookTool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A program that acts as a tool server over standard input and output. Its only tool, {@code echo},
 * returns its text, as an error if the text begins with {@code refuse}. The program is small, so it
 * starts before a client would continue without it.
 */
public final class ToolServer {

  private static final ObjectMapper JSON = new ObjectMapper();

  private ToolServer() {}

  /** Returns the command by which clients start the server. */
  public static McpServerCommand asServer() {
    return McpServerCommand.of(command()).variable("TOOL_SERVER_SAYS", "hear");
  }

  /** Returns the command that runs this program with the Java installation of the tests. */
  private static List<String> command() {
    return List.of(
        System.getProperty("java.home") + "/bin/java",
        "-XX:TieredStopAtLevel=1",
        "-Xshare:auto",
        "-cp",
        System.getProperty("java.class.path"),
        ToolServer.class.getName());
  }

  public static void main(String[] arguments) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonNode request = JSON.readTree(line);
      if (request.path("method").asText().equals("tools/list")) {
        String ready = System.getenv(McpServerCommand.READY_FILE);
        if (ready != null) {
          Files.writeString(Path.of(ready), "");
        }
      }
      if (request.has("id")) {
        ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", request.get("id"));
        answer(answer, request);
        out.println(answer);
      }
    }
  }

  /** Returns the text with a variable of the environment, to show that the server received it. */
  private static String said(String text) {
    return System.getenv("TOOL_SERVER_SAYS") + ": " + text;
  }

  /** Returns the reply to a hook, which names the tool that was called before. */
  private static String hook(JsonNode arguments) {
    ObjectNode reply = JSON.createObjectNode();
    reply
        .putObject("hookSpecificOutput")
        .put("hookEventName", arguments.path("event").asText())
        .put("additionalContext", "told after " + arguments.path("after").asText() + ".");
    return reply.toString();
  }

  private static void answer(ObjectNode answer, JsonNode request) {
    switch (request.path("method").asText()) {
      case "initialize" -> {
        ObjectNode result = answer.putObject("result");
        result.set("protocolVersion", request.at("/params/protocolVersion"));
        result.putObject("capabilities").putObject("tools");
        result.putObject("serverInfo").put("name", "echo").put("version", "1");
      }
      case "ping" -> answer.putObject("result");
      case "tools/list" -> {
        ObjectNode tool = answer.putObject("result").putArray("tools").addObject();
        ObjectNode schema =
            tool.put("name", "echo")
                .put("description", "Gives back the text.")
                .putObject("inputSchema")
                .put("type", "object");
        schema.putObject("properties").putObject("text").put("type", "string");
        schema.putArray("required").add("text");
      }
      case "tools/call" -> {
        boolean hook = request.at("/params/name").asText().equals(HookTool.NAME);
        ObjectNode result = answer.putObject("result");
        result.put("isError", request.at("/params/arguments/text").asText().startsWith("refuse"));
        result
            .putArray("content")
            .addObject()
            .put("type", "text")
            .put(
                "text",
                hook
                    ? hook(request.at("/params/arguments"))
                    : said(request.at("/params/arguments/text").asText()));
      }
      default -> answer.putObject("error").put("code", -32601).put("message", "no such method");
    }
  }
}

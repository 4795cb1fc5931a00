package dev.ralph.agents;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A program that acts as an agent of the Agent Client Protocol. Each argument sets the behaviour of
 * a method, such as {@code session/prompt=exit:3}. The agent requests the session's tools after it
 * has created the session, unless an argument is {@code tools=never}, {@code tools=prompt} or
 * {@code tools=late}. It searches JSON texts instead of parsing them, to start fast.
 */
public final class FakeAcpAgent {

  private static final Pattern METHOD = Pattern.compile("\"method\":\"([^\"]*)\"");
  private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");
  private static final Pattern READY = Pattern.compile("RALPH_MCP_READY\",\"value\":\"([^\"]*)\"");
  private static final Pattern CHOSEN = Pattern.compile("\"optionId\":\"([^\"]*)\"");
  private static final int HUGE = 60_000_000;

  private static final String OPTIONS =
      "[{\"optionId\":\"a2\",\"name\":\"Always\",\"kind\":\"allow_always\"},{\"optionId\":\"a1\","
          + "\"name\":\"Once\",\"kind\":\"allow_once\"},{\"optionId\":\"r1\",\"name\":\"Never\","
          + "\"kind\":\"reject_once\"}]";

  private static final Map<String, String> DEFAULTS =
      Map.of(
          "initialize",
          "result:{\"protocolVersion\":1,\"authMethods\":[{\"id\":\"key\",\"name\":\"A key\"}]}",
          "authenticate",
          "result:{}",
          "session/new",
          "result:{\"sessionId\":\"s\",\"modes\":{\"currentModeId\":\"ask\",\"availableModes\":[{\"id\":"
              + "\"ask\",\"name\":\"Ask\"},{\"id\":\"code\",\"name\":\"Code it\"}]},\"configOptions\":[{"
              + "\"id\":\"m\",\"category\":\"model\",\"currentValue\":\"small\",\"options\":[{\"name\":"
              + "\"All\",\"options\":[{\"value\":\"small\",\"name\":\"Small\"},{\"value\":\"big\","
              + "\"name\":\"Big\"}]}]}]}",
          "session/set_mode",
          "result:{}",
          "session/set_config_option",
          "result:{}",
          "session/prompt",
          "work",
          "session/cancel",
          "nothing");

  private final Map<String, String> actions = new HashMap<>(DEFAULTS);
  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final BufferedReader in =
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  private final List<String> told = new ArrayList<>();
  private String ready = "";

  private FakeAcpAgent(String[] arguments) {
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      actions.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
  }

  /** Returns the command that runs this program with the Java installation of the tests. */
  static List<String> command(List<String> behaviour) {
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                Path.of("target/test-classes").toAbsolutePath().toString(),
                FakeAcpAgent.class.getName()));
    command.addAll(behaviour);
    return command;
  }

  public static void main(String[] arguments) throws Exception {
    new FakeAcpAgent(arguments).run();
  }

  private void run() throws Exception {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Matcher method = METHOD.matcher(line);
      if (method.find()) {
        received(method.group(1), line);
      }
    }
  }

  private void received(String method, String line) throws Exception {
    Matcher id = ID.matcher(line);
    String number = id.find() ? id.group(1) : "";
    told.add(method);
    String tools = actions.getOrDefault("tools", "soon");
    if (method.equals("session/new")) {
      Matcher found = READY.matcher(line);
      ready = found.find() ? found.group(1) : "";
      if (tools.equals("soon")) {
        listTools();
      } else if (tools.equals("late")) {
        Thread thread = new Thread(this::listToolsLater);
        thread.start();
      }
    } else if (method.equals("session/prompt") && tools.equals("prompt")) {
      listTools();
    } else if (method.startsWith("session/set_")) {
      told.add(line);
    }
    String action = actions.getOrDefault(method, "nothing");
    int colon = action.indexOf(':');
    String argument = colon < 0 ? "" : action.substring(colon + 1);
    act(method, colon < 0 ? action : action.substring(0, colon), argument, number);
  }

  private void listTools() throws IOException {
    if (!ready.isEmpty()) {
      Files.write(Path.of(ready), new byte[0]);
    }
  }

  private void listToolsLater() {
    try {
      Thread.sleep(600);
      listTools();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void act(String method, String action, String argument, String id) throws Exception {
    switch (action) {
      case "nothing" -> {
        // Sends no response.
      }
      case "result" -> answer(id, argument);
      case "error" -> say("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":" + argument + "}");
      case "exit" -> System.exit(Integer.parseInt(argument));
      case "halt" -> Runtime.getRuntime().halt(Integer.parseInt(argument));
      case "closed" -> {
        System.out.close();
        Thread.sleep(Long.MAX_VALUE);
      }
      case "half" -> {
        out.print("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"resu");
        out.flush();
      }
      case "otherid" -> answer(id + "7", "{}");
      case "textid" -> answer("\"" + id + "\"", result(method));
      case "unread" -> say("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":" + argument + "}");
      case "twice" -> {
        answer(id, result(method));
        answer(id, result(method));
      }
      case "huge" -> {
        update("{\"sessionUpdate\":\"plan\",\"entries\":\"" + "x".repeat(HUGE) + "\"}");
        act(method, argument, "", id);
      }
      case "hugeanswer" -> answer(id, "{\"x\":\"" + "x".repeat(HUGE) + "\"}");
      case "noise" -> {
        noise();
        again(method, id);
      }
      case "stderr" -> {
        System.err.print("complaint \n".repeat(500_000));
        again(method, id);
      }
      case "stderrexit" -> {
        System.err.print("it hurts here\n");
        System.exit(4);
      }
      case "child" -> {
        new ProcessBuilder("sleep", "1000").start();
        again(method, id);
      }
      case "childexit" -> {
        new ProcessBuilder("sleep", "1000").start();
        System.exit(0);
      }
      case "told" -> {
        text("tools " + Files.exists(Path.of(ready)) + " " + told);
        end(id, "end_turn");
      }
      case "stop" -> {
        text("I did.");
        end(id, argument);
      }
      case "say" -> {
        text(argument);
        end(id, "end_turn");
      }
      case "result_after_text" -> {
        text("We are down, error 503");
        answer(id, argument);
      }
      case "work" -> work(id);
      case "pieces" -> pieces(id);
      case "ask" -> {
        int most = Integer.parseInt(argument);
        for (int i = 1; i <= most; i++) {
          ask(i);
        }
        text("chosen " + chosen(most));
        end(id, "end_turn");
      }
      case "askonly" -> {
        ask(1);
        text("asked");
        text(" once\n");
      }
      case "askdeaf" -> {
        for (int i = 1; true; i++) {
          ask(i);
        }
      }
      case "offer" -> {
        call("fs/read_text_file", 1, "{}");
        call("terminal/create", 2, "{}");
        call("elicitation/create", 3, "{}");
        int refused = 0;
        for (int i = 0; i < 3; i++) {
          refused += in.readLine().contains("\"code\":-32601") ? 1 : 0;
        }
        text("refused " + refused);
        end(id, "end_turn");
      }
      case "begin" -> text("begun\n");
      case "cancelled" -> {
        text("stopping\n");
        answer(
            String.valueOf(told.lastIndexOf("session/prompt") + 1),
            "{\"stopReason\":\"cancelled\"}");
      }
      case "cancelfails" ->
          say("{\"id\":" + (told.lastIndexOf("session/prompt") + 1) + ",\"error\":{\"code\":1}}");
      default -> throw new IllegalArgumentException(action);
    }
  }

  private static String result(String method) {
    return DEFAULTS.get(method).substring("result:".length());
  }

  private void again(String method, String id) throws Exception {
    String usual = DEFAULTS.get(method);
    int colon = usual.indexOf(':');
    act(
        method,
        colon < 0 ? usual : usual.substring(0, colon),
        colon < 0 ? "" : usual.substring(colon + 1),
        id);
  }

  private void work(String id) {
    text("I look.\nThen ");
    text("I write.");
    update(
        "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"Write\",\"kind\":\"edit\","
            + "\"status\":\"pending\"}");
    update(
        "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"status\":\"completed\","
            + "\"rawInput\":{\"path\":\"a.txt\"}}");
    update(
        "{\"sessionUpdate\":\"usage_update\",\"used\":50,\"size\":100,\"cost\":{\"amount\":0.5,"
            + "\"currency\":\"USD\"}}");
    text("Done.");
    answer(
        id,
        "{\"stopReason\":\"end_turn\",\"usage\":{\"inputTokens\":100,\"cachedReadTokens\":40,"
            + "\"outputTokens\":7,\"totalTokens\":107}}");
  }

  private void pieces(String id) {
    text("");
    text("wo");
    text("rd\r\n\n");
    text("");
    for (String status :
        new String[] {"pending", "in_progress", "in_progress", "failed", "failed"}) {
      update(
          "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"make\",\"kind\":"
              + "\"execute\",\"status\":\""
              + status
              + "\",\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"no"
              + " rule\"}}]}");
    }
    text("last");
    end(id, "end_turn");
  }

  private void noise() throws IOException {
    for (String line :
        new String[] {
          "a word",
          "",
          "  ",
          "[1,2]",
          "null",
          "{",
          "{}",
          "{\"method\":5}",
          "{\"id\":[]}",
          "\u0000",
          "[".repeat(5_000),
          "{\"method\":\"_unknown\"}",
          "{\"method\":\"session/update\"}",
          "{\"method\":\"session/update\",\"params\":{\"sessionId\":\"other\",\"update\":{"
              + "\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"text\":\"not mine\"}}}}"
        }) {
      say(line);
    }
    System.out.write(new byte[] {'"', (byte) 0xff, (byte) 0xc3, '\n'});
    update("{\"sessionUpdate\":\"never_heard_of\"}");
    update("[]");
  }

  private void ask(int number) {
    call(
        "session/request_permission",
        number,
        "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"p"
            + number
            + "\",\"title\":\"rm -rf build\",\"kind\":\"execute\"},\"options\":"
            + OPTIONS
            + "}");
  }

  /** Returns the chosen options without duplicates. */
  private List<String> chosen(int answers) throws IOException {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < answers; i++) {
      Matcher option = CHOSEN.matcher(in.readLine());
      String chosen = option.find() ? option.group(1) : "none";
      if (!all.contains(chosen)) {
        all.add(chosen);
      }
    }
    return all;
  }

  private void call(String method, int id, String params) {
    say("{\"id\":\"q" + id + "\",\"method\":\"" + method + "\",\"params\":" + params + "}");
  }

  private void text(String text) {
    update(
        "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\""
            + text.replace("\"", "'").replace("\r", "\\r").replace("\n", "\\n")
            + "\"}}");
  }

  private void update(String update) {
    say(
        "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":"
            + update
            + "}}");
  }

  private void end(String id, String reason) {
    answer(id, "{\"stopReason\":\"" + reason + "\"}");
  }

  private void answer(String id, String result) {
    say("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}");
  }

  private void say(String line) {
    out.println(line);
  }
}

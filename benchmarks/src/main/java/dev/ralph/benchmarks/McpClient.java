package dev.ralph.benchmarks;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** A client of an MCP server process, which sends one request at a time as a line. */
final class McpClient implements AutoCloseable {

  /** The method and parameters of the first request. */
  static final String INITIALIZE =
      "\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
          + "\"clientInfo\":{\"name\":\"benchmarks\",\"version\":\"1\"}}";

  private final Process process;
  private final OutputStream requests;
  private final BufferedReader replies;
  private final double initializeMillis;
  private int lastId;

  /**
   * Starts a server and waits for its reply to {@code initialize}.
   *
   * @param command the command of the server
   * @param variables additional environment variables
   */
  McpClient(List<String> command, Map<String, String> variables) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(variables);
    builder.redirectError(ProcessBuilder.Redirect.appendTo(new File("/dev/stderr")));
    long begin = System.nanoTime();
    process = builder.start();
    requests = process.getOutputStream();
    replies = process.inputReader(StandardCharsets.UTF_8);
    request(INITIALIZE);
    initializeMillis = (System.nanoTime() - begin) / 1e6;
    write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
  }

  /** Returns the time from the start of the process to the reply, in milliseconds. */
  double initializeMillis() {
    return initializeMillis;
  }

  /** Returns the resources that the server has used. */
  Usage usage() {
    return Usage.of(process.pid());
  }

  /**
   * Calls a tool and returns the duration in milliseconds.
   *
   * @param tool the name of the tool
   * @param arguments a JSON object
   */
  double call(String tool, String arguments) throws IOException {
    long begin = System.nanoTime();
    request(
        "\"tools/call\",\"params\":{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}");
    return (System.nanoTime() - begin) / 1e6;
  }

  /** Returns a text as a member of a JSON object. */
  static String member(String name, String text) {
    return "{\""
        + name
        + "\":\""
        + new String(JsonStringEncoder.getInstance().quoteAsString(text))
        + "\"}";
  }

  private void request(String methodAndParams) throws IOException {
    int id = ++lastId;
    write("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":" + methodAndParams + "}");
    String reply = replies.readLine();
    if (reply == null
        || !reply.contains("\"id\":" + id)
        || !reply.contains("\"result\"")
        || reply.contains("\"isError\":true")) {
      throw new IOException("unexpected answer: " + reply);
    }
  }

  private void write(String line) throws IOException {
    requests.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    requests.flush();
  }

  /** Closes the server's input and waits for its exit. */
  @Override
  public void close() throws IOException {
    requests.close();
    replies.close();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}

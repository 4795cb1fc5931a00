package dev.ralph.benchmarks;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Sends a request repeatedly over one connection, each after the answer to the last. It does as
 * little as possible, because the server runs on the same machine.
 */
final class HttpCaller implements AutoCloseable {

  private static final String LENGTH = "content-length:";

  private final Socket socket;
  private final OutputStream requests;
  private final InputStream answers;
  private final byte[] request;

  /** Connects to a local server to call an MCP tool with an agent's token. */
  HttpCaller(int port, String token, String tool, String arguments) throws IOException {
    String body =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"_meta\":"
            + "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientCapabilities\":{}},\"name\":\""
            + tool
            + "\",\"arguments\":"
            + arguments
            + "}}";
    String head =
        String.join(
            "\r\n",
            "POST /mcp HTTP/1.1",
            "Host: 127.0.0.1:" + port,
            "Authorization: Bearer " + token,
            "Accept: application/json, text/event-stream",
            "Content-Type: application/json",
            "MCP-Protocol-Version: 2026-07-28",
            "Mcp-Method: tools/call",
            "Mcp-Name: " + tool,
            "Content-Length: " + body.length(),
            "",
            "");
    this.request = (head + body).getBytes(StandardCharsets.US_ASCII);
    this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    this.requests = socket.getOutputStream();
    this.answers = new BufferedInputStream(socket.getInputStream());
  }

  /**
   * Sends the request and returns the body of the answer.
   *
   * @throws IOException if the answer has no length
   */
  byte[] call() throws IOException {
    requests.write(request);
    requests.flush();
    String status = line();
    int length = -1;
    for (String header = line(); !header.isEmpty(); header = line()) {
      if (header.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
        length = Integer.parseInt(header.substring(LENGTH.length()).strip());
      }
    }
    if (!status.startsWith("HTTP/1.1 200 ") || length < 0) {
      throw new IOException("unexpected answer: " + status);
    }
    return answers.readNBytes(length);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int each = answers.read(); each != '\n'; each = answers.read()) {
      if (each < 0) {
        throw new IOException("the server has closed the connection");
      }
      line.append((char) each);
    }
    return line.toString().strip();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

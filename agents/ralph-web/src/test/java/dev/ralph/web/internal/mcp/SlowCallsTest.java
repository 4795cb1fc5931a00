package dev.ralph.web.internal.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.HostTools;
import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that take longer than clients wait for a response. */
@Timeout(120)
class SlowCallsTest {

  private final CountDownLatch goOn = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  /**
   * Tools that block: {@code wait} until the test continues, {@code wait_on} until its call is
   * cancelled.
   */
  private final class Waiting implements HostTools {

    @Override
    public List<AgentTools.Definition> definitions() {
      return List.of(tool("wait"), tool("wait_on"));
    }

    private static AgentTools.Definition tool(String name) {
      return new AgentTools.Definition(name, "Waits", "{\"type\":\"object\"}", true);
    }

    @Override
    public AgentTools.Result call(Ralph ralph, String name, Meta arguments) {
      try {
        (name.equals("wait") ? goOn : new CountDownLatch(1)).await();
      } catch (InterruptedException e) {
        ended.countDown();
        throw RalphException.closed("the call");
      }
      return AgentTools.Result.of("It has waited");
    }

    @Override
    public void close() {
      // No resources to release.
    }
  }

  @Test
  void slowCall_isStreamedAndEndedByDisconnect() throws Exception {
    try (ToolsServer server = new ToolsServer(new Waiting());
        Socket waited = call(server, "wait")) {
      Socket left = call(server, "wait_on");
      awaitLine(left, "Content-type: text/event-stream");
      left.setSoLinger(true, 0); // resets the connection instead of a gradual close
      left.close();

      awaitLine(waited, "Content-type: text/event-stream");
      goOn.countDown();
      assertThat(awaitLine(waited, "data: ")).contains("\"id\":1", "It has waited");
      assertThat(ended.await(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  private static Socket call(ToolsServer server, String tool) throws IOException {
    String body =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"_meta\":"
            + "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientCapabilities\":{}},\"name\":\""
            + tool
            + "\"}}";
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    String head =
        String.join(
            "\r\n",
            "POST /mcp HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            "MCP-Protocol-Version: 2026-07-28",
            "Mcp-Method: tools/call",
            "Mcp-Name: " + tool,
            "Content-Length: " + body.length(),
            "",
            "");
    socket.getOutputStream().write((head + body).getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** Returns the next line with a prefix. */
  private static String awaitLine(Socket socket, String beginning) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith(beginning)) {
        return line;
      }
    }
    throw new AssertionError("the answer has no line that begins with " + beginning);
  }
}

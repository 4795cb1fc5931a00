package dev.ralph.web.internal.mcp;

import com.sun.net.httpserver.HttpServer;
import dev.ralph.Ralph;
import dev.ralph.web.internal.access.AgentPass;
import dev.ralph.web.internal.http.Router;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;

/**
 * What a {@link dev.ralph.web.RalphServer} serves at {@code /mcp}, with the suite's tools. The
 * suite sends no token, so whoever asks is let in.
 */
final class SuiteServer implements AutoCloseable {

  private final Ralph ralph = Ralph.inMemory();
  private final Router routes = new Router(Set.of(), exchange -> null);
  private final McpEndpoint endpoint =
      new McpEndpoint(ralph, exchange -> new AgentPass("suite", "s"), new SuiteTools());
  private final HttpServer server;

  SuiteServer() throws IOException {
    endpoint.addTo(routes);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(routes.executor());
    server.createContext("/", routes);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/mcp";
  }

  @Override
  public void close() {
    endpoint.close();
    routes.close();
    server.stop(0);
    ralph.close();
  }
}

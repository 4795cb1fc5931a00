package dev.ralph.web.internal.mcp;

import com.sun.net.httpserver.HttpServer;
import dev.ralph.HostTools;
import dev.ralph.Ralph;
import dev.ralph.web.internal.access.AgentPass;
import dev.ralph.web.internal.http.Router;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;

/**
 * Serves the endpoint {@code /mcp} of a {@link dev.ralph.web.RalphServer} with tools of the test
 * and of a session. Requires no token, because the conformance suite sends none.
 */
final class ToolsServer implements AutoCloseable {

  private final Ralph ralph = Ralph.inMemory();
  private final Router routes = new Router(Set.of(), exchange -> null);
  private final McpEndpoint endpoint;
  private final HttpServer server;

  ToolsServer(HostTools tools) throws IOException {
    endpoint = new McpEndpoint(ralph, exchange -> new AgentPass("box", "s"), tools);
    endpoint.addTo(routes);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(routes.executor());
    server.createContext("/", routes);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    endpoint.close();
    routes.close();
    server.stop(0);
    ralph.close();
  }
}

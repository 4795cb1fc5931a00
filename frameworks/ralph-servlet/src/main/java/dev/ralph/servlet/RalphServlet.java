package dev.ralph.servlet;

import dev.ralph.web.RalphServer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URISyntaxException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Serves the page and the tools of a {@link RalphServer} in a servlet container of version 6.0 or
 * later. The servlet needs asynchronous requests, and a mapping that ends with {@code /*}:
 *
 * <pre>{@code
 * RalphServer server = RalphServer.builder(ralph).names("example.org").build();
 * ServletRegistration.Dynamic page = context.addServlet("ralph", new RalphServlet(server));
 * page.setAsyncSupported(true);
 * page.addMapping("/ralph/*");
 * }</pre>
 *
 * <p>The page is at {@code /ralph/} and the tools are at {@code /ralph/mcp}. The rules of the
 * server for hosts, tokens and bodies apply. The container limits the time for the head of a
 * request, for an unread response and for the rest of a refused body. Safe for use by many threads.
 */
public final class RalphServlet extends HttpServlet {

  private static final long serialVersionUID = 1;

  private final transient RalphServer server;
  private final transient Set<ServletExchange> open = ConcurrentHashMap.newKeySet();

  /**
   * Creates a servlet.
   *
   * @param server the server, which need not be started. The servlet closes the server when the
   *     container destroys the servlet
   */
  public RalphServlet(RalphServer server) {
    this.server = Objects.requireNonNull(server, "server");
  }

  /**
   * Serves a request. The response may continue in other threads after the return.
   *
   * @throws IOException if the client has disconnected
   */
  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!request.isAsyncSupported()) {
      String problem =
          "the servlet "
              + getServletName()
              + " needs asynchronous requests: call setAsyncSupported(true) on the registrations of"
              + " the servlet and of the filters in front";
      log(problem);
      response.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR, problem);
      return;
    }
    RequestAddress address;
    try {
      address = RequestAddress.of(request);
    } catch (URISyntaxException e) {
      response.sendError(HttpServletResponse.SC_BAD_REQUEST, "invalid query in the address");
      return;
    }
    ServletExchange exchange = new ServletExchange(request, response, address, open::remove);
    open.add(exchange);
    try {
      exchange.start();
      server.handler().handle(exchange);
    } catch (IOException | RuntimeException | Error e) {
      exchange.close();
      throw e;
    }
  }

  /** Closes the server, and ends its threads, event streams and unfinished requests. */
  @Override
  public void destroy() {
    server.close();
    open.forEach(ServletExchange::close);
  }
}

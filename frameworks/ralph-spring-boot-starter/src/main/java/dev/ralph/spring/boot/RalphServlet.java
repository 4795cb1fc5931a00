package dev.ralph.spring.boot;

import com.sun.net.httpserver.HttpHandler;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Passes requests to a handler, which may respond asynchronously from other threads. */
final class RalphServlet extends HttpServlet {

  private static final long serialVersionUID = 1;

  private final transient HttpHandler handler;

  RalphServlet(HttpHandler handler) {
    this.handler = handler;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    AsyncContext later = request.startAsync();
    later.setTimeout(0); // event streams have no timeout
    ServletExchange exchange = new ServletExchange(request, response, later::complete);
    try {
      handler.handle(exchange);
    } catch (IOException | RuntimeException | Error e) {
      exchange.close();
      throw e;
    }
  }
}

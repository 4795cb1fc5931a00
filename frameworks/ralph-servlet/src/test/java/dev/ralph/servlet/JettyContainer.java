package dev.ralph.servlet;

import dev.ralph.web.RalphServer;
import java.nio.file.Path;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;

/** Jetty 12. */
final class JettyContainer implements ServletContainer {

  private final Server jetty = new Server();
  private final ServerConnector connector = new ServerConnector(jetty, 1, 1);
  private final ContextHandlerCollection contexts = new ContextHandlerCollection();
  private ServletContextHandler last;

  @Override
  public void add(String context, String mapping, RalphServer server, boolean isAsync) {
    last = new ServletContextHandler(context.isEmpty() ? "/" : context);
    ServletHolder holder = new ServletHolder("ralph", new RalphServlet(server));
    holder.setAsyncSupported(isAsync);
    last.addServlet(holder, mapping);
    contexts.addHandler(last);
  }

  @Override
  public int start(Path folder) throws Exception {
    connector.setHost("127.0.0.1");
    jetty.addConnector(connector);
    jetty.setHandler(contexts);
    jetty.start();
    return connector.getLocalPort();
  }

  @Override
  public String version() {
    return last.getServletContext().getMajorVersion()
        + "."
        + last.getServletContext().getMinorVersion();
  }

  @Override
  public void stop() throws Exception {
    jetty.stop();
  }
}

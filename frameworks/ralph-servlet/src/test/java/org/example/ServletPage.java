package org.example;

import dev.ralph.Ralph;
import dev.ralph.servlet.RalphServlet;
import dev.ralph.web.RalphServer;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

/** Programs whose Jetty or Tomcat serves the page at {@code /ralph/}. */
public final class ServletPage {

  private ServletPage() {}

  /** Starts Jetty on a free port. Stopping Jetty closes the server of the page. */
  public static Server jetty(Ralph ralph) throws Exception {
    Server jetty = new Server(new InetSocketAddress("127.0.0.1", 0));
    ServletContextHandler context = new ServletContextHandler();
    RalphServer server = RalphServer.builder(ralph).names("example.org").build();
    ServletHolder page = new ServletHolder(new RalphServlet(server));
    page.setAsyncSupported(true);
    context.addServlet(page, "/ralph/*");
    jetty.setHandler(context);
    jetty.start();
    return jetty;
  }

  /** Starts Tomcat on a free port. Stopping Tomcat closes the server of the page. */
  public static Tomcat tomcat(Ralph ralph, Path folder) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    Context context = tomcat.addContext("", null);
    RalphServer server = RalphServer.builder(ralph).names("example.org").build();
    Wrapper page = Tomcat.addServlet(context, "ralph", new RalphServlet(server));
    page.setAsyncSupported(true);
    page.addMapping("/ralph/*");
    tomcat.getConnector();
    tomcat.start();
    return tomcat;
  }
}

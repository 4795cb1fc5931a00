package dev.ralph.servlet;

import dev.ralph.web.RalphServer;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;
import org.apache.coyote.http2.Http2Protocol;

/** Tomcat 10.1 or 11, with HTTP/2. */
public final class TomcatContainer implements ServletContainer {

  private static final Logger LOG = Logger.getLogger("org.apache");

  private final Tomcat tomcat = new Tomcat();
  private Context last;

  public TomcatContainer() {
    LOG.setLevel(Level.OFF);
    TomcatURLStreamHandlerFactory.disable(); // the JVM accepts a single factory
    tomcat.setHostname("127.0.0.1");
    tomcat.setPort(0);
  }

  @Override
  public void add(String context, String mapping, RalphServer server, boolean isAsync) {
    last = tomcat.addContext(context, null);
    Wrapper page = Tomcat.addServlet(last, "ralph", new RalphServlet(server));
    page.setAsyncSupported(isAsync);
    page.addMapping(mapping);
  }

  @Override
  public int start(Path folder) throws Exception {
    tomcat.setBaseDir(folder.toString());
    Connector connector = tomcat.getConnector();
    connector.setProperty("address", "127.0.0.1");
    connector.addUpgradeProtocol(new Http2Protocol());
    tomcat.start();
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
    tomcat.stop();
    tomcat.destroy();
  }
}

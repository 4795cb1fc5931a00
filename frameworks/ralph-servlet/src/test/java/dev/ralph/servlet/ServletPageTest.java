package dev.ralph.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.web.RawHttp;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;
import org.eclipse.jetty.server.Server;
import org.example.ServletPage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the example of the documentation. */
class ServletPageTest {

  @TempDir Path temp;

  @Test
  void jettyExample_servesPage() throws Exception {
    try (Ralph ralph = Ralph.inMemory()) {
      Server jetty = ServletPage.jetty(ralph);
      assertServed(jetty.getURI().getPort());
      jetty.stop();
    }
  }

  @Test
  void tomcatExample_servesPage() throws Exception {
    TomcatURLStreamHandlerFactory.disable(); // another test of this JVM starts Tomcat 11
    try (Ralph ralph = Ralph.inMemory()) {
      Tomcat tomcat = ServletPage.tomcat(ralph, temp);
      assertServed(tomcat.getConnector().getLocalPort());
      tomcat.stop();
      tomcat.destroy();
    }
  }

  private static void assertServed(int port) throws Exception {
    RawHttp http = new RawHttp(new InetSocketAddress("127.0.0.1", port));
    assertThat(RawHttp.status(http.answer("GET /ralph/", "Host: example.org\n", "")))
        .isEqualTo(200);
  }
}

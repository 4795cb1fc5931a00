package dev.ralph.spring.boot;

import dev.ralph.Ralph;
import dev.ralph.log.RalphException;
import dev.ralph.servlet.RalphServlet;
import dev.ralph.web.RalphServer;
import jakarta.servlet.http.HttpServlet;
import java.nio.file.Path;
import java.util.Objects;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;

/**
 * Serves the page and the tools over HTTP in the application's own server, below {@code
 * ralph.server.path}. Clients need a token, and the application's own security applies too.
 */
@AutoConfiguration(after = RalphAutoConfiguration.class)
@ConditionalOnClass({RalphServer.class, HttpServlet.class, ServletRegistrationBean.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnProperty("ralph.server.path")
public class RalphServerAutoConfiguration {

  /** Creates the server without a port of its own. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  RalphServer ralphServer(Ralph ralph, RalphProperties properties) {
    RalphServer.Builder builder =
        RalphServer.builder(ralph).names(properties.server().names().toArray(new String[0]));
    Path repository = properties.server().repository();
    return (repository == null ? builder : builder.repository(repository)).build();
  }

  /** Ends event streams before the web server waits for running requests. */
  @Bean
  SmartLifecycle ralphServerEnd(RalphServer server) {
    return new SmartLifecycle() {

      private volatile boolean running;

      @Override
      public void start() {
        running = true;
      }

      @Override
      public void stop() {
        running = false;
        server.close();
      }

      @Override
      public boolean isRunning() {
        return running;
      }
    };
  }

  /** Registers the servlet below the configured path. */
  @Bean
  ServletRegistrationBean<RalphServlet> ralphServlet(
      RalphServer server, RalphProperties properties) {
    String path = Objects.requireNonNull(properties.server().path(), "ralph.server.path");
    if (!path.startsWith("/") || path.endsWith("/") || path.contains("*")) {
      throw RalphException.invalid(
          "ralph.server.path must start with / and have no / at the end, for example /ralph, not "
              + RalphException.quote(path));
    }
    ServletRegistrationBean<RalphServlet> mounted =
        new ServletRegistrationBean<>(new RalphServlet(server), path + "/*");
    mounted.setAsyncSupported(true);
    return mounted;
  }
}

package dev.ralph.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import dev.ralph.web.RalphServer;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.example.BootApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Tests the page and the tools in the application's own server. */
@Timeout(120)
class ServerTest {

  @TempDir Path temp;

  private final HttpClient http = HttpClient.newHttpClient();

  private ConfigurableApplicationContext application(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--server.servlet.context-path=/shop",
                "--ralph.store=" + temp.resolve("store"),
                "--ralph.loops.directory=" + temp,
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn"));
    all.addAll(List.of(more));
    return SpringApplication.run(BootApplication.class, all.toArray(new String[0]));
  }

  private static HttpRequest.Builder to(ConfigurableApplicationContext application, String path) {
    String port = application.getEnvironment().getProperty("local.server.port");
    return HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/shop" + path));
  }

  private HttpResponse<String> sent(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void server_requiresTokenBelowItsPath() throws Exception {
    try (ConfigurableApplicationContext application = application("--ralph.server.path=/ralph")) {
      String token = application.getBean(RalphServer.class).token("ann");
      String guest = application.getBean(RalphServer.class).readOnlyToken("guest");
      application.getBean(Ralph.class).session("auth").tasks().add("Write it");

      assertThat(sent(to(application, "/ralph/api/hello")).statusCode()).isEqualTo(401);
      HttpResponse<String> moved = sent(to(application, "/ralph"));
      assertThat(moved.statusCode()).isEqualTo(307);
      assertThat(moved.headers().firstValue("Location")).hasValue("./ralph/");
      HttpResponse<String> page =
          sent(to(application, "/ralph/").header("Authorization", "Bearer " + token));
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
      assertThat(page.body()).contains("<html");
      String order = Meta.of("order", "add").with("text", "Test it").json();
      HttpRequest.Builder orders =
          to(application, "/ralph/api/sessions/auth/orders")
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(order));
      assertThat(sent(orders.copy().header("Authorization", "Bearer " + guest)).statusCode())
          .isEqualTo(403);
      assertThat(sent(orders.copy().header("Authorization", "Bearer " + token)).statusCode())
          .isEqualTo(200);
      assertThat(sent(orders.copy().header("Authorization", "Bearer wrong")).statusCode())
          .as("wrong token")
          .isEqualTo(401);
      assertThat(application.getBean(Ralph.class).session("auth").tasks().get("t2").content())
          .isEqualTo("Test it");
      assertThat(sent(to(application, "/tasks")).statusCode())
          .as("the application's own path")
          .isLessThan(404);
    }
  }

  @Test
  void events_streamUntilApplicationStops() throws Exception {
    BufferedReader lines;
    try (ConfigurableApplicationContext application = application("--ralph.server.path=/ralph")) {
      String token = application.getBean(RalphServer.class).token("ann");
      Ralph ralph = application.getBean(Ralph.class);
      ralph.session("auth").tasks().add("Write it");
      HttpResponse<InputStream> events =
          http.send(
              to(application, "/ralph/api/feeds?names=auth")
                  .header("Authorization", "Bearer " + token)
                  .build(),
              HttpResponse.BodyHandlers.ofInputStream());
      assertThat(events.statusCode()).isEqualTo(200);
      lines = new BufferedReader(new InputStreamReader(events.body(), StandardCharsets.UTF_8));
      await(lines, "Write it");
      ralph.session("auth").tasks().add("And this");
      await(lines, "And this");
    }
    while (lines.readLine() != null) {
      // read to the end of the stream
    }
    lines.close();
  }

  private static void await(BufferedReader lines, String word) throws Exception {
    String line = lines.readLine();
    while (line != null && !line.contains(word)) {
      line = lines.readLine();
    }
    assertThat(line).as("text found before the stream's end").isNotNull();
  }

  @Test
  void withoutPath_nothingIsServed() throws Exception {
    try (ConfigurableApplicationContext application = application()) {
      assertThat(application.getBeansOfType(RalphServer.class)).isEmpty();
      assertThat(sent(to(application, "/ralph/")).statusCode()).isEqualTo(404);
    }
    assertThatThrownBy(() -> application("--ralph.server.path=ralph/"))
        .rootCause()
        .hasMessageContaining("must start with /");
  }
}

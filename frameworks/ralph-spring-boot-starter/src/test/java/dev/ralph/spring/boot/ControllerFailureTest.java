package dev.ralph.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.internal.FailureStatus;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.example.BootApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Tests failures of Ralph in the controllers of an application. */
class ControllerFailureTest {

  @TempDir Path temp;

  private final HttpClient http = HttpClient.newHttpClient();

  /** A failure of the application, caused by a failure of Ralph. */
  @ResponseStatus(HttpStatus.LOCKED)
  static final class OwnException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OwnException(RalphException cause) {
      super(cause);
    }
  }

  @RestController
  static class Failing {

    @GetMapping("/fail/{code}")
    String fail(@PathVariable("code") String code) {
      throw failure(code);
    }

    @GetMapping("/own/{code}")
    String own(@PathVariable("code") String code) {
      throw new OwnException(failure(code));
    }

    private static RalphException failure(String code) {
      return new Failure(RalphException.Code.valueOf(code));
    }
  }

  private static final class Failure extends RalphException {
    private static final long serialVersionUID = 1;

    Failure(RalphException.Code code) {
      super(code, "not \"here\": /srv/secret", null);
    }
  }

  @RestControllerAdvice
  static class OwnAdvice {

    @ExceptionHandler
    @ResponseStatus(HttpStatus.BAD_GATEWAY)
    String any(Exception thrown) {
      return "own";
    }
  }

  private ConfigurableApplicationContext application(Class<?>... more) {
    Class<?>[] sources = new Class<?>[more.length + 2];
    sources[0] = BootApplication.class;
    sources[1] = Failing.class;
    System.arraycopy(more, 0, sources, 2, more.length);
    return new SpringApplication(sources)
        .run(
            "--server.port=0",
            "--ralph.store=" + temp.resolve("store"),
            "--spring.main.banner-mode=off",
            "--logging.level.root=off");
  }

  private HttpResponse<String> get(ConfigurableApplicationContext application, String path)
      throws Exception {
    String port = application.getEnvironment().getProperty("local.server.port");
    return http.send(
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void failure_hasStatusOfItsCode() throws Exception {
    try (ConfigurableApplicationContext application = application()) {
      for (RalphException.Code code : RalphException.Code.values()) {
        HttpResponse<String> response = get(application, "/fail/" + code);

        int status = FailureStatus.of(code);
        assertThat(response.statusCode()).as(code.name()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type").orElseThrow())
            .startsWith("application/problem+json");
        Meta problem = Meta.parse(response.body());
        assertThat(problem.string("code")).isEqualTo(code.name());
        assertThat(problem.string("type")).isEqualTo("about:blank");
        assertThat(problem.string("title")).isEqualTo(HttpStatus.valueOf(status).getReasonPhrase());
        assertThat(problem.value("status")).isEqualTo((long) status);
        assertThat(problem.string("instance")).isEqualTo("/fail/" + code);
        assertThat(problem.string("detail"))
            .isEqualTo(
                status < 500
                    ? "not \"here\": /srv/secret"
                    : "the request failed; see the application's log");
      }
      assertThat(get(application, "/own/INVALID").statusCode())
          .as("status of the application's exception")
          .isEqualTo(423);
    }
  }

  @Test
  void applicationsAdvice_hasPrecedence() throws Exception {
    try (ConfigurableApplicationContext application = application(OwnAdvice.class)) {
      HttpResponse<String> response = get(application, "/fail/NOT_FOUND");

      assertThat(response.statusCode()).isEqualTo(502);
      assertThat(response.body()).isEqualTo("own");
    }
  }
}

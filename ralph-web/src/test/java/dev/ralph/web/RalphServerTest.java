package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.ralph.Ralph;
import dev.ralph.log.RalphException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RalphServerTest {

  private static final String JSON = "Content-Type: application/json\n";

  private final Ralph ralph = Ralph.inMemory();
  private final RalphServer server = RalphServer.builder(ralph).names("ralph.example").build();
  private RawHttp http;

  @BeforeEach
  void start() {
    server.start();
    http = new RawHttp(server.address());
  }

  @AfterEach
  void close() {
    server.close();
    ralph.close();
  }

  @Test
  void itListensOnThisMachineOnly() {
    assertThat(server.address().getAddress().isLoopbackAddress()).isTrue();
  }

  @Test
  void aLinkHoldsItsTokenWhereNoServerSeesIt() {
    URI link = server.link("ann");

    assertThat(link.getPath()).isEqualTo("/enter");
    assertThat(link.getFragment()).matches("token=ralph_[\\w-]{43}");
    assertThat(server.link("ann")).isNotEqualTo(link);
  }

  @Test
  void aTokenIsExchangedForACookieThatNoScriptReads() throws Exception {
    String answer = enter(server.token("ann"), "");

    assertThat(RawHttp.status(answer)).isEqualTo(200);
    assertThat(answer)
        .containsIgnoringCase("Set-Cookie: ralph-" + server.address().getPort() + "=ralph_")
        .contains("; Path=/; HttpOnly; SameSite=Strict\r\n")
        .endsWith("{\"name\":\"ann\",\"readOnly\":false}");
  }

  @Test
  void behindAProxyWithTlsTheCookieIsSentOverThatOnly() throws Exception {
    String answer =
        enter(server.token("ann"), "Host: ralph.example\nOrigin: https://ralph.example\n");

    assertThat(answer).contains("; HttpOnly; SameSite=Strict; Secure\r\n");
  }

  @Test
  void anUnknownTokenIsRefused() throws Exception {
    String answer = enter("ralph_0", "");

    assertThat(RawHttp.status(answer)).isEqualTo(401);
    assertThat(answer).contains("this token is not known here").doesNotContain("Set-Cookie");
  }

  /** The name, or the address of the page, that another site would have a browser send. */
  @ParameterizedTest
  @CsvSource({
    "Host: evil.example, 403",
    "Host: localhost.evil.example:80, 403",
    "Host: , 403",
    "Host: localhost, 200",
    "Host: LOCALHOST:1234, 200",
    "Host: 127.0.0.1:9, 200",
    "Host: [::1]:9, 200",
    "Host: ralph.example, 200",
    "Origin: http://localhost, 200",
    "Origin: https://localhost, 200",
    "Origin: http://localhost:81, 403",
    "Origin: http://evil.example, 403",
    "Origin: null, 403",
    "Origin: , 403",
    "Sec-Fetch-Site: cross-site, 403",
    "Sec-Fetch-Site: same-origin, 200",
  })
  void requestsOfOtherSitesPagesAreRefused(String header, int status) throws Exception {
    assertThat(RawHttp.status(http.answer("GET /enter", header + "\n", ""))).isEqualTo(status);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/enter/",
        "/enter.html",
        "/../enter",
        "/%2e%2e/etc/passwd",
        "//enter",
        "/dev/ralph/web/internal/access/enter.html",
        "/META-INF/LICENSE",
        "/Enter",
      })
  void nothingIsServedThatWasNotAdded(String path) throws Exception {
    assertThat(RawHttp.status(http.answer("GET " + path, "", ""))).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUT", "DELETE", "TRACE", "HEAD", "CONNECT"})
  void otherMethodsAreRefused(String method) throws Exception {
    assertThat(RawHttp.status(http.answer(method + " /enter", "", ""))).isEqualTo(405);
  }

  @Test
  void bodiesThatAreNoJsonAreRefused() throws Exception {
    assertThat(RawHttp.status(http.answer("POST /enter", JSON, "{"))).isEqualTo(400);
    assertThat(RawHttp.status(http.answer("POST /enter", JSON, "[]"))).isEqualTo(400);
    assertThat(RawHttp.status(http.answer("POST /enter", "", "{}"))).isEqualTo(415);
    assertThat(
            RawHttp.status(
                http.answer(
                    "POST /enter", "Content-Type: application/x-www-form-urlencoded\n", "a=b")))
        .isEqualTo(415);
    assertThat(RawHttp.status(http.answer("POST /enter", JSON, " ".repeat((1 << 20) + 1))))
        .isEqualTo(413);
  }

  @Test
  void everyAnswerForbidsWhatAPageDoesNotNeed() throws Exception {
    for (String path : new String[] {"/enter", "/nothing"}) {
      assertThat(http.answer("GET " + path, "", ""))
          .contains("default-src 'none'", "frame-ancestors 'none'", "nosniff", "no-referrer");
    }
  }

  @Test
  void aHostMountsItUnderAPathOfItsOwn() throws Exception {
    HttpServer host =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    host.createContext("/ralph", server.handler());
    host.start();
    try {
      RawHttp there = new RawHttp(host.getAddress());

      assertThat(RawHttp.status(there.answer("GET /ralph/enter", "", ""))).isEqualTo(200);
      assertThat(RawHttp.status(there.answer("GET /ralphenter", "", ""))).isEqualTo(404);
      assertThat(
              there.answer(
                  "POST /ralph/enter", JSON, "{\"token\":\"" + server.token("ann") + "\"}"))
          .contains("; Path=/ralph; ");
    } finally {
      host.stop(0);
    }
  }

  @Test
  void aPortThatIsTakenIsSaid() {
    RalphServer second = RalphServer.builder(ralph).port(server.address().getPort()).build();

    assertThatThrownBy(second::start)
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("port " + server.address().getPort())
        .hasMessageContaining("try another port");
    second.close();
  }

  /** A thread that has just worked is warmer than one that has not for long. */
  @Test
  void requestsOneAfterTheOtherTakeFewThreads() throws Exception {
    Set<Thread> before = threads();
    for (int i = 0; i < 300; i++) {
      assertThat(RawHttp.status(http.answer("GET /enter", "", ""))).isEqualTo(200);
    }
    assertThat(threads()).filteredOn(thread -> !before.contains(thread)).hasSizeLessThan(30);
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().matches("ralph-web-\\d+"))
        .collect(Collectors.toSet());
  }

  private String enter(String token, String headers) throws Exception {
    return http.answer("POST /enter", headers + JSON, "{\"token\":\"" + token + "\"}");
  }
}

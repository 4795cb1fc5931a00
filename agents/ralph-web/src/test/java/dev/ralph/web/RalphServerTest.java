package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
  void server_listensOnLoopbackOnly() {
    assertThat(server.address().getAddress().isLoopbackAddress()).isTrue();
  }

  @Test
  void link_hasItsCodeInTheFragment() {
    URI link = server.link("ann");

    assertThat(link.getPath()).isEqualTo("/enter");
    assertThat(link.getFragment()).matches("code=ralph_[\\w-]{43}");
    assertThat(server.link("ann")).isNotEqualTo(link);
  }

  @Test
  void code_buysSingleKeyAndNoCookie() throws Exception {
    String code = server.code("ann");
    String answer = enter(code, "");

    assertThat(RawHttp.status(answer)).isEqualTo(200);
    assertThat(answer).doesNotContainIgnoringCase("Set-Cookie").contains("\"name\":\"ann\"");
    assertThat(hello(key(answer))).isEqualTo(200);
    assertThat(RawHttp.status(enter(code, ""))).as("second use of the code").isEqualTo(401);
    assertThat(hello(code)).as("the code as a token").isEqualTo(401);
    assertThat(hello(key(answer))).as("the key after both attempts").isEqualTo(200);
  }

  @Test
  void concurrentUsesOfCode_letSingleUseSucceed() throws Exception {
    String code = server.code("ann");
    List<String> answers =
        IntStream.range(0, 8)
            .mapToObj(i -> CompletableFuture.supplyAsync(() -> entered(code)))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .toList();

    assertThat(answers).filteredOn(each -> RawHttp.status(each) == 200).hasSize(1);
  }

  private String entered(String secret) {
    try {
      return enter(secret, "");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void readOnlyCode_buysAReadOnlyKey() throws Exception {
    String key = key(enter(server.readOnlyCode("guest"), ""));

    assertThat(hello(key)).isEqualTo(200);
    assertThat(RawHttp.status(http.answer("POST /api/sessions/s/orders", bearer(key) + JSON, "{}")))
        .isEqualTo(403);
  }

  @Test
  void revokedToken_endsBoughtKeys() throws Exception {
    AccessTokens tokens = AccessTokens.of(ralph);
    String token = tokens.addPerson("ann", false);
    String key = key(enter(token, ""));
    String another = key(enter(token, ""));
    assertThat(another).isNotEqualTo(key).isNotEqualTo(token);
    assertThat(hello(key)).isEqualTo(200);

    tokens.revoke("ann");

    assertThat(hello(key)).isEqualTo(401);
    assertThat(hello(another)).isEqualTo(401);
    assertThat(RawHttp.status(enter(token, ""))).isEqualTo(401);
  }

  @Test
  void keyOfAnEndedServer_opensNothing() throws Exception {
    String token = AccessTokens.of(ralph).addPerson("ann", false);
    String key = key(enter(server.code("ann"), ""));
    String ofToken = key(enter(token, ""));
    String code = server.code("ann");
    server.close();
    try (RalphServer next = RalphServer.builder(ralph).build()) {
      next.start();
      http = new RawHttp(next.address());

      for (String each : List.of(key, ofToken, code)) {
        assertThat(hello(each)).isEqualTo(401);
        assertThat(RawHttp.status(enter(each, ""))).isEqualTo(401);
      }
      assertThat(hello(key(enter(token, "")))).isEqualTo(200);
    }
  }

  @Test
  void key_isNotForAgentsTools() throws Exception {
    String key = key(enter(server.code("ann"), ""));

    assertThat(RawHttp.status(http.answer("POST /mcp", bearer(key) + JSON, "{}"))).isEqualTo(401);
  }

  @Test
  void agentsToken_buysNoKey() throws Exception {
    String token = AccessTokens.of(ralph).addAgent("box1", "auth");

    assertThat(RawHttp.status(enter(token, ""))).isEqualTo(403);
  }

  @Test
  void manyKeysOfToken_replaceOldest() throws Exception {
    String others = key(enter(server.code("bob"), ""));
    String token = server.readOnlyToken("ann");
    String first = key(enter(token, ""));
    for (int i = 0; i < 64; i++) {
      assertThat(RawHttp.status(enter(token, ""))).isEqualTo(200);
    }

    assertThat(hello(first)).isEqualTo(401);
    assertThat(hello(others)).isEqualTo(200);
  }

  /** Browsers send cookies to all ports of a host, and localhost cookies also without TLS. */
  @ParameterizedTest
  @CsvSource({
    "http://ralph.example, ralph.example, false",
    "http://localhost, localhost, false",
    "https://localhost, localhost, false",
    "https://127.0.0.1, 127.0.0.1, false",
    "https://[::1], [::1], false",
    "https://ralph.example, ralph.example, true",
    "https://RALPH.example:8443, RALPH.example:8443, true",
  })
  void cookie_isSetForANameOverTlsOnly(String origin, String host, boolean isSet) throws Exception {
    String token = AccessTokens.of(ralph).addPerson("ann", false);
    String headers = "Host: " + host + "\nOrigin: " + origin + "\n";

    String answer = enter(token, headers);

    assertThat(RawHttp.status(answer)).isEqualTo(200);
    assertThat(answer.contains("Set-Cookie: ") || answer.contains("Set-cookie: ")).isEqualTo(isSet);
    if (isSet) {
      String cookie = "__Host-ralph=" + token;
      assertThat(answer).contains(cookie + "; Path=/; Secure; HttpOnly; SameSite=Strict\r\n");
      assertThat(RawHttp.status(http.answer("GET /api/hello", "Cookie: " + cookie + "\n", "")))
          .isEqualTo(200);
    }
    for (String shortLived : List.of(server.code("bob"), server.token("bob"))) {
      assertThat(enter(shortLived, headers)).doesNotContainIgnoringCase("Set-Cookie");
    }
  }

  @Test
  void linkOfPublicServer_isReachable() throws Exception {
    try (RalphServer open =
        RalphServer.builder(ralph).bind(InetAddress.getByName("0.0.0.0")).build()) {
      open.start();
      String host = open.link("ann").getHost();

      assertThat(InetAddress.getByName(host).isAnyLocalAddress()).isFalse();
      boolean hasOther =
          NetworkInterface.networkInterfaces()
              .flatMap(NetworkInterface::inetAddresses)
              .anyMatch(each -> !each.isLoopbackAddress() && !each.isLinkLocalAddress());
      assertThat(InetAddress.getByName(host).isLoopbackAddress()).isEqualTo(!hasOther);
      InetSocketAddress there = new InetSocketAddress(host, open.address().getPort());
      assertThat(
              RawHttp.status(new RawHttp(there).answer("GET /enter", "Host: " + host + "\n", "")))
          .isEqualTo(200);
    }
  }

  @Test
  void unknownToken_isRefused() throws Exception {
    String answer = enter("ralph_0", "");

    assertThat(RawHttp.status(answer)).isEqualTo(401);
    assertThat(answer).contains("unknown or expired token").doesNotContain("Set-Cookie");
  }

  /** The Host or Origin header that a browser would send for another site. */
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
  void crossSiteRequest_isRefused(String header, int status) throws Exception {
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
  void unknownPath_isNotFound(String path) throws Exception {
    assertThat(RawHttp.status(http.answer("GET " + path, "", ""))).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUT", "DELETE", "TRACE", "HEAD", "CONNECT"})
  void unsupportedMethod_isRefused(String method) throws Exception {
    assertThat(RawHttp.status(http.answer(method + " /enter", "", ""))).isEqualTo(405);
  }

  @Test
  void invalidJsonBody_isRefused() throws Exception {
    assertThat(RawHttp.status(http.answer("POST /enter", JSON, "{"))).isEqualTo(400);
    assertThat(RawHttp.status(http.answer("POST /enter", JSON, "[]"))).isEqualTo(400);
    assertThat(RawHttp.status(http.answer("POST /enter", "", "{}"))).isEqualTo(415);
    assertThat(
            RawHttp.status(
                http.answer(
                    "POST /enter", "Content-Type: application/x-www-form-urlencoded\n", "a=b")))
        .isEqualTo(415);
    assertThat(RawHttp.status(http.answer("POST /enter", JSON, " ".repeat((4 << 10) + 1))))
        .isEqualTo(413);
  }

  @Test
  void everyAnswer_hasSecurityHeaders() throws Exception {
    for (String path : new String[] {"/enter", "/nothing"}) {
      assertThat(http.answer("GET " + path, "", ""))
          .contains("default-src 'none'", "frame-ancestors 'none'", "nosniff", "no-referrer");
    }
  }

  @Test
  void handler_isMountedUnderPath() throws Exception {
    HttpServer host =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    host.createContext("/ralph", server.handler());
    host.start();
    try {
      RawHttp there = new RawHttp(host.getAddress());

      assertThat(RawHttp.status(there.answer("GET /ralph/enter", "", ""))).isEqualTo(200);
      assertThat(RawHttp.status(there.answer("GET /ralphenter", "", ""))).isEqualTo(404);
      assertThat(there.answer("GET /ralph", "", "").toLowerCase(Locale.ROOT))
          .startsWith("http/1.1 307 ")
          .contains("\r\nlocation: ./ralph/\r\n", "nosniff");
      assertThat(RawHttp.status(there.answer("GET /ralph", "Origin: http://evil.example\n", "")))
          .isEqualTo(403);
      assertThat(RawHttp.status(there.answer("POST /ralph", JSON, "{}"))).isEqualTo(404);
      String code = "{\"token\":\"" + server.code("ann") + "\"}";
      String key = key(there.answer("POST /ralph/enter", JSON, code));
      assertThat(RawHttp.status(there.answer("GET /ralph/api/hello", bearer(key), "")))
          .isEqualTo(200);
    } finally {
      host.stop(0);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "https://example.org/ralph, /ralph/enter",
    "http://127.0.0.1:8080/shop/ralph/, /shop/ralph/enter",
    "https://example.org, /enter",
  })
  void linkOfHandler_isBelowItsAddress(URI mount, String path) throws Exception {
    for (URI link : List.of(server.link(mount, "ann"), server.readOnlyLink(mount, "ann"))) {
      assertThat(link.getAuthority()).isEqualTo(mount.getAuthority());
      assertThat(link.getPath()).isEqualTo(path);
      String code = link.getFragment().substring("code=".length());
      assertThat(RawHttp.status(enter(code, ""))).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/ralph",
        "ralph",
        "ftp://example.org/ralph",
        "https:///ralph",
        "mailto:ann@example.org",
        "https://ann:secret@example.org/",
        "https://ann:secret@no_host/ralph",
        "https:ann:secret@example.org/ralph",
        "ftp://ann:secret@example.org/ralph",
        "https://example.org/ralph?token=secret",
        "https://example.org/ralph#part",
      })
  void linkOfInvalidAddress_isRejected(URI mount) {
    assertThatThrownBy(() -> server.link(mount, "ann"))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("must be like https://example.org/ralph")
        .hasMessageNotContaining("secret");
  }

  @Test
  void usedPort_isReported() {
    RalphServer second = RalphServer.builder(ralph).port(server.address().getPort()).build();

    assertThatThrownBy(second::start)
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("port " + server.address().getPort())
        .hasMessageContaining("choose a different port");
    second.close();
  }

  /** The server reuses the thread that became idle last, whose caches are warm. */
  @Test
  void sequentialRequests_needFewThreads() throws Exception {
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

  private static String key(String answer) {
    String key = Meta.parse(answer.substring(answer.indexOf("\r\n\r\n") + 4)).string("key");
    return Objects.requireNonNull(key, answer);
  }

  private static String bearer(String secret) {
    return "Authorization: Bearer " + secret + "\n";
  }

  private int hello(String secret) throws Exception {
    return RawHttp.status(http.answer("GET /api/hello", bearer(secret), ""));
  }
}

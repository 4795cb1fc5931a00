package dev.ralph.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import dev.ralph.web.AccessTokens;
import dev.ralph.web.RalphServer;
import dev.ralph.web.RawHttp;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the page and the tools in Jetty and Tomcat, with servlet APIs 6.0 and 6.1. */
@Timeout(300)
class RalphServletTest {

  private static final String JSON = "Content-Type: application/json\n";

  private static final String INITIALIZE =
      """
      {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",
      "capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\
      """;

  @TempDir static Path temp;

  private static final Map<ContainerKind, Running> RUNNING = new EnumMap<>(ContainerKind.class);

  /** A started container with a servlet in several contexts. */
  private record Running(ServletContainer container, int port, Ralph ralph, RalphServer server) {

    static Running start(ContainerKind kind) {
      try {
        Ralph ralph = Ralph.inMemory();
        RalphServer server = RalphServer.builder(ralph).names("example.org").build();
        ServletContainer container = kind.create();
        container.add("/shop", "/ralph/*", server, true);
        container.add("/root", "/", server, true);
        container.add("/sync", "/ralph/*", server, false);
        container.add("", "/*", server, true);
        return new Running(container, container.start(temp.resolve(kind.name())), ralph, server);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    RawHttp http() {
      return new RawHttp(new InetSocketAddress("127.0.0.1", port));
    }

    int status(String line, String headers, String body) throws IOException {
      return RawHttp.status(http().answer(line, headers, body));
    }

    String bearer() {
      return "Authorization: Bearer " + server.token("ann") + "\n";
    }
  }

  private static Running in(ContainerKind kind) {
    return RUNNING.computeIfAbsent(kind, Running::start);
  }

  @AfterAll
  static void stop() throws Exception {
    for (Running each : RUNNING.values()) {
      each.container().stop();
      each.ralph().close();
    }
    RUNNING.clear();
  }

  @ParameterizedTest
  @EnumSource
  void container_hasExpectedVersion(ContainerKind kind) {
    assertThat(in(kind).container().version()).isEqualTo(kind.version());
  }

  @ParameterizedTest
  @EnumSource
  void pageAndTools_requireTheirTokens(ContainerKind kind) throws Exception {
    Running in = in(kind);
    String page = in.http().answer("GET /shop/ralph/", "", "");
    assertThat(page).startsWith("HTTP/1.1 200").contains("<html").contains("nosniff");
    assertThat(page.toLowerCase(Locale.ROOT)).contains("content-security-policy: default-src");

    String anonymous = in.http().answer("GET /shop/ralph/api/hello", "", "");
    assertThat(anonymous).startsWith("HTTP/1.1 401").containsIgnoringCase("www-authenticate: Bear");
    assertThat(in.status("GET /shop/ralph/api/hello", in.bearer(), "")).isEqualTo(200);
    assertThat(in.status("GET /shop/ralph/api/hello", "Authorization: Bearer x\n", ""))
        .as("answered after a second, in another thread")
        .isEqualTo(401);
    String guest = "Authorization: Bearer " + in.server().readOnlyToken("guest") + "\n" + JSON;
    assertThat(in.status("POST /shop/ralph/api/sessions/auth/orders", guest, "{}")).isEqualTo(403);
    String code = "{\"token\":\"" + in.server().code("ann") + "\"}";
    assertThat(in.status("POST /shop/ralph/enter", JSON, code)).isEqualTo(200);
    assertThat(in.status("POST /shop/ralph/enter", JSON, code)).as("second use").isEqualTo(401);

    String agent =
        "Accept: application/json, text/event-stream\nAuthorization: Bearer "
            + AccessTokens.of(in.ralph()).addAgent("box-" + kind.ordinal(), "auth")
            + "\n"
            + JSON;
    assertThat(in.http().answer("POST /shop/ralph/mcp", agent, INITIALIZE))
        .startsWith("HTTP/1.1 200")
        .contains("serverInfo");
    assertThat(in.status("POST /shop/ralph/mcp", JSON, INITIALIZE)).isEqualTo(401);
  }

  @ParameterizedTest
  @EnumSource
  void order_reachesSessionOfEncodedName(ContainerKind kind) throws Exception {
    Running in = in(kind);
    in.ralph().session("auth").tasks().add("Write it");
    String order = Meta.of("order", "add").with("text", "Test it").json();

    assertThat(
            in.status("POST /shop/%72alph/api/sessions/%61uth/orders", in.bearer() + JSON, order))
        .isEqualTo(200);

    assertThat(in.ralph().session("auth").tasks().get("t2").content()).isEqualTo("Test it");
  }

  @ParameterizedTest
  @EnumSource
  void path_isFoundBelowEachMapping(ContainerKind kind) throws Exception {
    Running in = in(kind);
    for (String path :
        List.of(
            "/shop/ralph/enter",
            "/shop/%72alph/enter",
            "/%73hop/ralph/%65nter",
            "/shop/ralph;jsessionid=1A/enter",
            "/shop/ralph/enter;jsessionid=1A",
            "/shop/ralph/enter;jsessionid=1A?names=%20",
            "/root/enter",
            "/root/%65nter;jsessionid=1A",
            "/enter",
            "/enter.js")) {
      assertThat(in.status("GET " + path, "", "")).as(path).isEqualTo(200);
    }
    for (String path :
        List.of(
            "/shop/enter",
            "/shop/ralphenter",
            "/shop/ralph/enter/",
            "/shop/ralph/Enter",
            "/shop/ralph/..%2f..%2fenter",
            "/shop/ralph/%2e%2e/WEB-INF/web.xml",
            "/root/nothing")) {
      assertThat(in.status("GET " + path, "", "")).as(path).isBetween(400, 404);
    }
  }

  @ParameterizedTest
  @EnumSource
  void mountWithoutSlash_isRedirected(ContainerKind kind) throws Exception {
    Running in = in(kind);
    for (String path : List.of("/shop/ralph", "/shop/%72alph", "/shop/ralph;jsessionid=1A")) {
      assertThat(in.http().answer("GET " + path, "", "").toLowerCase(Locale.ROOT))
          .as(path)
          .startsWith("http/1.1 307")
          .contains("\r\nlocation: ./ralph/\r\n", "nosniff");
    }
    assertThat(in.status("GET /shop/ralph", "Origin: http://evil.example\n", "")).isEqualTo(403);
    assertThat(in.status("POST /shop/ralph", JSON, "{}")).isEqualTo(404);
    assertThat(in.http().answer("GET /root", "", "").toLowerCase(Locale.ROOT))
        .as("by the container or by the servlet")
        .startsWith("http/1.1 30")
        .containsPattern("\r\nlocation: .*root/\r\n");
  }

  @ParameterizedTest
  @EnumSource
  void invalidQuery_isRefused(ContainerKind kind) throws Exception {
    Running in = in(kind);
    for (String query : List.of("a=%zz", "a=%", "a=b|c", "a=\"", "a=<b>")) {
      assertThat(in.status("GET /shop/ralph/enter?" + query, "", "")).as(query).isEqualTo(400);
    }
    String invalidName = "GET /shop/ralph/api/feeds?names=%C3%28";
    assertThat(in.status(invalidName, "", "")).as("without a token").isEqualTo(401);
  }

  @ParameterizedTest
  @EnumSource
  void missingAsyncSupport_namesRemedy(ContainerKind kind) throws Exception {
    assertThat(in(kind).http().answer("GET /sync/ralph/enter", "", ""))
        .startsWith("HTTP/1.1 500")
        .contains("the servlet ralph needs asynchronous requests", "setAsyncSupported(true)");
  }

  @ParameterizedTest
  @EnumSource
  void hostAndOrigin_areChecked(ContainerKind kind) throws Exception {
    Running in = in(kind);
    for (String header :
        List.of(
            "Host: evil.example",
            "Host: localhost.evil.example",
            "Origin: http://evil.example",
            "Origin: null",
            "Sec-Fetch-Site: cross-site")) {
      assertThat(in.status("GET /shop/ralph/enter", header + "\n", "")).as(header).isEqualTo(403);
    }
    for (String header :
        List.of("Host: example.org", "Host: [::1]:9", "Origin: http://localhost")) {
      assertThat(in.status("GET /shop/ralph/enter", header + "\n", "")).as(header).isEqualTo(200);
    }
    assertThat(in.status("GET /shop/ralph/enter", "Host: localhost\nHost: evil.example\n", ""))
        .isBetween(400, 403);
  }

  @ParameterizedTest
  @EnumSource(names = {"TOMCAT_10", "TOMCAT_11"})
  void http2Request_hasHostOfItsAddress(ContainerKind kind) throws Exception {
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    URI address = URI.create("http://localhost:" + in(kind).port() + "/shop/ralph/enter");
    HttpRequest request = HttpRequest.newBuilder(address).build();

    http.send(request, HttpResponse.BodyHandlers.ofString()); // requests the change to HTTP/2
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());

    assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
  }

  @ParameterizedTest
  @EnumSource
  void events_areSentAtOnce(ContainerKind kind) throws Exception {
    Running in = in(kind);
    in.ralph().session("live").tasks().add("Write it");
    try (Socket socket = stream(in, in.server().token("ann"), "live")) {
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      assertThat(lines.readLine()).startsWith("HTTP/1.1 200");
      await(lines, "text/event-stream");
      await(lines, "Write it");

      in.ralph().session("live").tasks().add("And this");

      await(lines, "And this");
    }
  }

  /** The 16 streams of a token become free again after their clients have disconnected. */
  @ParameterizedTest
  @EnumSource
  void goneClient_endsItsStream(ContainerKind kind) throws Exception {
    Running in = in(kind);
    String token = in.server().readOnlyToken("bob");
    List<Socket> streams = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      streams.add(stream(in, token, ""));
      assertThat(status(streams.get(i))).isEqualTo(200);
    }
    try (Socket another = stream(in, token, "")) {
      assertThat(status(another)).isEqualTo(429);
    }

    for (Socket each : streams) {
      each.close();
    }

    int status;
    do {
      TimeUnit.MILLISECONDS.sleep(50);
      try (Socket again = stream(in, token, "")) {
        status = status(again);
      }
    } while (status == 429);
    assertThat(status).isEqualTo(200);
  }

  @ParameterizedTest
  @EnumSource
  void longBody_isRefused(ContainerKind kind) throws Exception {
    Running in = in(kind);
    String limit = " ".repeat(1 << 20);
    String agent = in.bearer() + JSON;

    assertThat(in.status("POST /shop/ralph/mcp", agent, limit)).as("empty JSON").isEqualTo(400);
    assertThat(in.status("POST /shop/ralph/mcp", agent, limit + " ")).isIn(413, 0);
    assertThat(in.status("POST /shop/ralph/enter", JSON, " ".repeat((4 << 10) + 1))).isEqualTo(413);
    assertThat(in.status("POST /shop/ralph/enter", "", "{}")).as("no JSON").isEqualTo(415);
    String chunks = ("10000\r\n" + " ".repeat(0x10000) + "\r\n").repeat(64);
    String endless =
        "POST /shop/ralph/mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
            + agent.replace("\n", "\r\n")
            + "\r\n"
            + chunks;
    assertThat(RawHttp.status(in.http().answer(endless))).isIn(413, 0);
  }

  /** A refused body is not read as the next request of its connection. */
  @ParameterizedTest
  @EnumSource
  void refusedBody_isNoFurtherRequest(ContainerKind kind) throws Exception {
    Running in = in(kind);
    String hidden = "GET /shop/ralph/enter HTTP/1.1\r\nHost: localhost\r\n\r\n";
    String last = "GET /shop/ralph/last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    for (String refused :
        List.of(
            "/shop/ralph/mcp HTTP/1.1\r\nHost: localhost",
            "/shop/ralph/none HTTP/1.1\r\nHost: localhost",
            "/shop/ralph/enter HTTP/1.1\r\nHost: evil.example",
            "/shop/ralph/enter?a=%zz HTTP/1.1\r\nHost: localhost",
            "/sync/ralph/enter HTTP/1.1\r\nHost: localhost")) {
      String answers =
          in.http()
              .answer(
                  "POST "
                      + refused
                      + "\r\nContent-Length: "
                      + hidden.length()
                      + "\r\n\r\n"
                      + hidden
                      + last);

      assertThat(answers).as(refused).startsWith("HTTP/1.1 ").doesNotContain("HTTP/1.1 200");
    }
  }

  /** {@link TimedBodyTest} has the quick test of the limit. */
  @Tag("slow")
  @ParameterizedTest
  @EnumSource
  void slowBody_isCut(ContainerKind kind) throws Exception {
    Running in = in(kind);
    try (Socket socket = in.http().connect()) {
      String head =
          "POST /shop/ralph/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
              + (in.bearer() + JSON).replace("\n", "\r\n")
              + "\r\n";
      socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
      socket.setSoTimeout(1_000);
      String answer = "";
      for (int i = 0; i < 60 && answer.isEmpty(); i++) {
        socket.getOutputStream().write(' ');
        try {
          answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.UTF_8);
        } catch (IOException notYet) {
          assertThat(notYet).hasMessageContaining("timed out");
        }
      }
      assertThat(answer).startsWith("HTTP/1.1 503");
    }
  }

  @ParameterizedTest
  @EnumSource
  void stoppedContainer_leavesNoThread(ContainerKind kind) throws Exception {
    Set<Thread> before = threads();
    Running in = Running.start(kind);
    List<Socket> streams = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      streams.add(stream(in, in.server().token("ann"), ""));
      assertThat(status(streams.get(i))).isEqualTo(200);
    }
    assertThat(in.status("GET /shop/ralph/enter", "", "")).isEqualTo(200);
    assertThat(threads()).filteredOn(each -> !before.contains(each)).isNotEmpty();

    in.container().stop();
    in.ralph().close();

    for (Socket each : streams) {
      assertThat(isAtEnd(each)).isTrue();
    }
    for (Thread each : threads()) {
      if (!before.contains(each)) {
        each.join(60_000);
        assertThat(each.isAlive()).as(each.getName()).isFalse();
      }
    }
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("ralph-"))
        .collect(Collectors.toSet());
  }

  private static boolean isAtEnd(Socket socket) throws IOException {
    try (socket) {
      socket.getInputStream().readAllBytes();
      return true;
    } catch (IOException reset) {
      return !reset.getMessage().contains("timed out");
    }
  }

  private static Socket stream(Running in, String token, String names) throws IOException {
    Socket socket = in.http().connect();
    String request =
        "GET /shop/ralph/api/feeds?names="
            + names
            + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer "
            + token
            + "\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
    return socket;
  }

  private static int status(Socket socket) throws IOException {
    return RawHttp.status(
        new String(socket.getInputStream().readNBytes(12), StandardCharsets.UTF_8));
  }

  private static void await(BufferedReader lines, String word) throws IOException {
    String line = lines.readLine();
    while (line != null && !line.contains(word)) {
      line = lines.readLine();
    }
    assertThat(line).as("line with %s", word).isNotNull();
  }
}

package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import java.io.BufferedReader;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a real browser obtains its key, stores it, and keeps it from other sites. */
@Tag("clients")
@Timeout(300)
class PageAccessTest {

  private static final String JSON = "Content-Type: application/json\n";

  @TempDir Path folder;
  private Path store;
  private Browser browser;
  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    store = folder.resolve("store");
    try (Ralph ralph = Ralph.open(store)) {
      ralph.session("auth").tasks().add("Write the form");
    }
    browser = new Browser();
    browser.window(1280, 900, false, 1);
  }

  @AfterEach
  void close() throws Exception {
    browser.close();
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  /** A server in a separate process, which tests can kill. */
  private record Served(Process process, URI link, BufferedReader lines) implements AutoCloseable {

    /** Presses Enter in the command's terminal and returns the new link. */
    URI anotherLink() throws Exception {
      process.outputWriter(StandardCharsets.UTF_8).write("\n");
      process.outputWriter(StandardCharsets.UTF_8).flush();
      return URI.create(lines.readLine());
    }

    int port() {
      return link.getPort();
    }

    RawHttp http() {
      return new RawHttp(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()));
    }

    void kill() throws InterruptedException {
      process.destroyForcibly();
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }

    @Override
    public void close() {
      process.destroyForcibly().onExit().join();
    }
  }

  /** Serves a store until the input ends, and prints a new link for each input line. */
  static final class Main {

    private Main() {}

    public static void main(String[] arguments) throws Exception {
      try (Ralph ralph = Ralph.open(Path.of(arguments[0]));
          RalphServer server =
              RalphServer.builder(ralph).port(Integer.parseInt(arguments[1])).build()) {
        server.start();
        do {
          System.out.println(server.link("ann"));
        } while (System.in.read() >= 0);
      }
    }
  }

  private Served serve(int port) throws Exception {
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                store.toString(),
                String.valueOf(port))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
    String link = lines.readLine();
    assertThat(link).as("the server's link").isNotNull();
    Served served = new Served(process, URI.create(link), lines);
    open.add(served);
    return served;
  }

  private HostileServer hostile(int port) throws Exception {
    HostileServer hostile = new HostileServer(port);
    open.add(hostile);
    return hostile;
  }

  private static URI at(String host, URI link) {
    return URI.create(link.toString().replace("127.0.0.1", host));
  }

  private void enter(URI link) throws Exception {
    browser.open(link);
    browser.awaitText("1 task");
  }

  private static void assertOpensNothing(RawHttp http, Set<String> secrets) throws Exception {
    for (String each : secrets) {
      for (String header :
          List.of(
              "Authorization: Bearer " + each,
              "Cookie: __Host-ralph=" + each,
              "Cookie: ralph=" + each)) {
        assertThat(RawHttp.status(http.answer("GET /api/hello", header + "\n", "")))
            .as(header)
            .isEqualTo(401);
      }
      String body = "{\"token\":\"" + each + "\"}";
      assertThat(RawHttp.status(http.answer("POST /enter", JSON, body))).as(each).isEqualTo(401);
    }
  }

  // ---- other programs

  @Test
  void serverOnDifferentPort_receivesNoCredentials() throws Exception {
    Served served = serve(0);
    HostileServer hostile = hostile(0);
    for (String host : List.of("127.0.0.1", "localhost")) {
      enter(at(host, served.anotherLink()));
      String page = "http://" + host + ":" + served.port() + "/";
      for (String other : List.of("127.0.0.1", "localhost")) {
        String there = "http://" + other + ":" + hostile.port() + "/";
        // From the page itself, through a redirect to the page's host, and directly.
        for (String address : List.of(there, there + "to?" + there + "?read=" + page)) {
          browser.open(URI.create(page));
          browser.awaitText("1 task");
          browser.script("location.assign(arguments[0])", address);
          browser.await("document.title === 'done'");
        }
        browser.open(URI.create(there + "?read=" + page));
        browser.await("document.title === 'done'");
      }
      // A redirect to the page does not disclose the link's code either.
      browser.open(URI.create("http://" + host + ":" + hostile.port() + "/to?" + page));
      browser.awaitText("1 task");
    }

    assertThat(hostile.received()).hasSizeGreaterThan(12);
    assertThat(hostile.secrets()).isEmpty();
    assertThat(hostile.received())
        .noneMatch(each -> each.contains("Cookie=") || each.contains("Authorization="))
        .noneMatch(each -> each.contains("\"visitor\""));
  }

  @Test
  void impostorOnPortOfKilledServer_getsDeadSecrets() throws Exception {
    Served served = serve(0);
    enter(served.link());
    URI unused = served.anotherLink();
    served.kill();

    HostileServer hostile = hostile(served.port());
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (hostile.secrets().isEmpty() && System.nanoTime() < until) {
      TimeUnit.MILLISECONDS.sleep(50); // The open page reconnects.
    }
    browser.open(URI.create("http://127.0.0.1:" + served.port() + "/"));
    browser.await("document.title === 'done'");
    browser.open(URI.create("about:blank"));
    browser.open(unused);
    browser.await("document.title === 'done'");
    Set<String> secrets = hostile.secrets();
    assertThat(secrets).as("the expired key and the code of the link").hasSizeGreaterThan(1);
    hostile.close();

    Served next = serve(served.port());
    assertOpensNothing(next.http(), secrets);
    browser.open(URI.create("about:blank"));
    enter(next.link());
  }

  @Test
  void historyAndAddress_holdNoCredentials() throws Exception {
    Served served = serve(0);
    enter(served.link());
    browser.click("a.card[href='#/auth']");
    browser.awaitText("Messages");

    Meta history = browser.devtools("Page.getNavigationHistory", Meta.empty());

    assertThat(history.objects("entries")).isNotEmpty();
    assertThat(history.json()).doesNotContain("ralph_");
    assertThat(browser.script("return document.cookie")).isEqualTo("");
    assertOpensNothing(
        served.http(), Set.of(served.link().getFragment().substring("code=".length())));
    browser.script("history.back()");
    browser.awaitText("Sessions");
  }

  // ---- links and tokens

  @Test
  void newLinkInTheSameTab_logsInAfterARestart() throws Exception {
    Served served = serve(0);
    enter(served.link());
    browser.click("a.card[href='#/auth']");
    browser.awaitText("Messages");
    served.kill();
    browser.awaitText("not connected");

    Served next = serve(served.port());
    browser.awaitText("Token, or a new link");
    browser.open(served.link());
    browser.awaitText("works once");
    browser.open(next.link());
    browser.awaitText("Messages");
    assertThat(browser.script("return location.href")).asString().endsWith("/#/auth");
  }

  @Test
  void tokenEnteredOnThePage_buysAKey() throws Exception {
    String token;
    try (Ralph ralph = Ralph.open(store)) {
      token = AccessTokens.of(ralph).addPerson("ann", true);
    }
    Served served = serve(0);
    browser.open(served.link().resolve("/"));
    browser.type("#token", token);
    browser.click("form button");
    browser.awaitText("1 task");

    assertThat(browser.script("return JSON.stringify(localStorage)"))
        .asString()
        .contains("ralph_")
        .doesNotContain(token);
    assertThat(browser.script("return JSON.stringify(sessionStorage) + document.cookie"))
        .asString()
        .doesNotContain("ralph_");
  }

  @Test
  void prerenderedLink_keepsCode() throws Exception {
    Queue<String> requests = new ConcurrentLinkedQueue<>();
    try (Ralph ralph = Ralph.open(store);
        RalphServer server = RalphServer.builder(ralph).build()) {
      HttpServer host =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      host.createContext(
          "/ralph",
          exchange -> {
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
            server.handler().handle(exchange);
          });
      String link = "/ralph/enter#code=" + server.code("ann");
      host.createContext(
          "/",
          exchange -> {
            byte[] page =
                ("<!doctype html><script type=speculationrules>{\"prerender\":[{\"source\":\"list\","
                        + "\"urls\":[\""
                        + link
                        + "\"],\"eagerness\":\"immediate\"}]}</script>")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
          });
      host.setExecutor(Executors.newCachedThreadPool());
      host.start();
      try {
        String there = "http://127.0.0.1:" + host.getAddress().getPort();
        browser.open(URI.create(there + "/"));
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!requests.contains("GET /ralph/transport.js") && System.nanoTime() < until) {
          TimeUnit.MILLISECONDS.sleep(50);
        }
        assertThat(requests).contains("GET /ralph/enter", "GET /ralph/transport.js");
        // The second page load has passed; an earlier exchange would have been recorded before it.
        browser.script("return fetch('/again').then(answer => answer.text())");
        assertThat(requests).doesNotContain("POST /ralph/enter");

        browser.script("location.assign(arguments[0])", link);
        browser.awaitText("1 task");
        assertThat(requests).containsOnlyOnce("POST /ralph/enter");
      } finally {
        host.stop(0);
      }
    }
  }
}

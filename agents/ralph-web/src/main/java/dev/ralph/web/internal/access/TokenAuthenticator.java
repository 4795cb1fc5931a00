package dev.ralph.web.internal.access;

import com.sun.net.httpserver.HttpExchange;
import dev.ralph.log.Meta;
import dev.ralph.web.internal.http.Exchange;
import dev.ralph.web.internal.http.HttpFailure;
import dev.ralph.web.internal.http.Router;
import dev.ralph.web.internal.http.Visitor;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates requests. A program sends a token in the header {@code Authorization}. A browser
 * exchanges the code of a link, or a token, for a key and sends the key in the same header.
 * Browsers send cookies to all ports of a host, so no cookie is set over plain HTTP. Safe for use
 * by many threads.
 */
public final class TokenAuthenticator implements Router.Guard {

  private static final String BEARER = "Bearer ";

  /**
   * The name of the cookie. Browsers accept the prefix {@code __Host-} over TLS only, and only from
   * the host itself.
   */
  private static final String COOKIE = "__Host-ralph";

  private static final Pattern TOKEN = Pattern.compile("[\\w-]{1,100}");
  private static final int LONGEST_ENTRY = 4 << 10;

  /** Tokens that expire with the server, by hash. */
  private final Map<String, TokenRights> tokens = new ConcurrentHashMap<>();

  /** Unused codes, by hash. */
  private final Map<String, TokenRights> codes = new ConcurrentHashMap<>();

  private final PageKeys keys = new PageKeys();
  private final Function<String, @Nullable TokenRights> lasting;
  private final Set<String> names;

  /**
   * Creates an authenticator without tokens.
   *
   * @param lasting returns the pass of a token in the store, or null if the token is unknown
   * @param names host names of the server, as the router knows them
   */
  public TokenAuthenticator(Function<String, @Nullable TokenRights> lasting, Set<String> names) {
    this.lasting = lasting;
    this.names =
        names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
  }

  /** Creates a token that is valid while the server runs. */
  public String token(TokenRights pass) {
    String token = Token.random();
    tokens.put(Token.hash(token), pass);
    return token;
  }

  /** Creates a code that can be exchanged for one key. */
  public String code(TokenRights pass) {
    String code = Token.random();
    codes.put(Token.hash(code), pass);
    return code;
  }

  /** Adds the page that exchanges codes and tokens, and the script that sends keys. */
  public void addTo(Router routes) {
    String script = "text/javascript; charset=utf-8";
    routes.file("/enter", TokenAuthenticator.class, "enter.html", "text/html; charset=utf-8");
    routes.file("/enter.js", TokenAuthenticator.class, "enter.js", script);
    routes.file("/transport.js", TokenAuthenticator.class, "transport.js", script);
    routes.file("/enter.css", TokenAuthenticator.class, "enter.css", "text/css; charset=utf-8");
    routes.open("POST", "/enter", this::enter);
  }

  private void enter(Exchange exchange) throws IOException {
    String secret = exchange.body(LONGEST_ENTRY).string("token");
    if (secret == null || !TOKEN.matcher(secret).matches()) {
      throw HttpFailure.unknownToken();
    }
    String hash = Token.hash(secret);
    TokenRights coded = codes.remove(hash);
    String key;
    TokenRights pass;
    if (coded != null) {
      pass = coded;
      key = keys.add(new PageKeys.Owner(hash, coded, null));
    } else {
      pass = person(pass(secret));
      key = keys.add(new PageKeys.Owner(hash, pass, secret));
      if (isNamedOverTls(exchange.header("Origin")) && lasting.apply(secret) != null) {
        exchange.setHeader(
            "Set-Cookie", COOKIE + "=" + secret + "; Path=/; Secure; HttpOnly; SameSite=Strict");
      }
    }
    exchange.json(
        200, Meta.of("name", pass.name()).with("readOnly", pass.readOnly()).with("key", key));
  }

  /**
   * Returns whether an origin is a name of the server over TLS. Browsers send cookies of localhost
   * and of addresses over plain HTTP as well.
   */
  private boolean isNamedOverTls(@Nullable String origin) {
    if (origin == null || !origin.startsWith("https://")) {
      return false;
    }
    String host = URI.create(origin).getHost();
    return host != null
        && names.contains(host.toLowerCase(Locale.ROOT))
        && host.contains(".")
        && !host.toLowerCase(Locale.ROOT).endsWith(".localhost");
  }

  @Override
  public @Nullable Visitor visitor(HttpExchange exchange) {
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    if (authorization != null && hasBearer(authorization)) {
      String secret = authorization.substring(BEARER.length()).strip();
      PageKeys.Owner owner = keys.owner(secret);
      if (owner == null) {
        return visitor(pass(secret), Token.hash(secret));
      }
      String token = owner.token();
      return visitor(token == null ? owner.pass() : pass(token), owner.id());
    }
    String cookie = cookie(exchange.getRequestHeaders().getOrDefault("Cookie", List.of()));
    return cookie == null ? null : visitor(pass(cookie), Token.hash(cookie));
  }

  /** Returns whether credentials have the scheme Bearer, in any case. */
  private static boolean hasBearer(String authorization) {
    return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length());
  }

  private static Visitor visitor(TokenRights pass, String id) {
    return new Visitor(person(pass).name(), pass.readOnly(), id);
  }

  private static TokenRights person(TokenRights pass) {
    if (pass.session() != null) {
      throw new HttpFailure(403, "an agent's token is valid for the tools at /mcp only");
    }
    return pass;
  }

  /**
   * Returns the agent that has sent a request. Keys and cookies of browsers are ignored.
   *
   * @throws HttpFailure 401 without a token or with an unknown token, 403 if the token is read-only
   */
  public AgentPass agent(Exchange exchange) {
    String authorization = exchange.header("Authorization");
    if (authorization == null || !hasBearer(authorization)) {
      exchange.setHeader("WWW-Authenticate", "Bearer");
      throw new HttpFailure(
          401, "send a token as Authorization: Bearer TOKEN; create a token with: ralph token add");
    }
    String token = authorization.substring(BEARER.length()).strip();
    TokenRights pass = pass(token);
    if (pass.readOnly()) {
      throw new HttpFailure(403, "this token is read-only");
    }
    exchange.authenticated(Token.hash(token), () -> isKnown(token));
    return new AgentPass(pass.name(), pass.session());
  }

  private boolean isKnown(String token) {
    return tokens.containsKey(Token.hash(token)) || lasting.apply(token) != null;
  }

  private TokenRights pass(String token) {
    TokenRights found = tokens.get(Token.hash(token));
    found = found == null ? lasting.apply(token) : found;
    if (found == null) {
      throw HttpFailure.unknownToken();
    }
    return found;
  }

  private static @Nullable String cookie(List<String> headers) {
    for (String header : headers) {
      for (String pair : header.split(";")) {
        int equals = pair.indexOf('=');
        if (equals > 0 && pair.substring(0, equals).strip().equals(COOKIE)) {
          return pair.substring(equals + 1).strip();
        }
      }
    }
    return null;
  }
}

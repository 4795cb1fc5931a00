package dev.ralph.web.internal.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.ralph.internal.FailureStatus;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates requests, passes them to endpoints, and sends failures as JSON. Only added routes
 * are served. All routes must be added before the first request.
 */
public final class Router implements HttpHandler, AutoCloseable {

  /** The most threads. Most threads wait for clients, and idle threads end. */
  private static final int MOST_THREADS = 256;

  /** The delay of the response to an unknown token, and the most responses delayed at once. */
  private static final Duration GUESS = Duration.ofSeconds(1);

  private static final int MOST_GUESSES = 64;

  private static final Visitor NOBODY = new Visitor("", true, "");

  private final SameSite sameSite;
  private final Guard guard;
  private final ThreadPoolExecutor threads = ServerThreads.bounded("ralph-web", MOST_THREADS);
  private final RequestDeadlines deadlines =
      new RequestDeadlines(() -> !threads.getQueue().isEmpty());
  private final EventStreams streams = new EventStreams();
  private final Semaphore guesses = new Semaphore(MOST_GUESSES);
  private final List<Route> routes = new ArrayList<>();

  /**
   * The query of files that a browser may keep. The version is random, so that an earlier program
   * on the same port cannot have put its own file into the cache of the browser.
   */
  private final String version = UUID.randomUUID().toString();

  /** Authenticates requests. */
  @FunctionalInterface
  public interface Guard {

    /**
     * Returns the sender of a request by its headers, or null without credentials.
     *
     * @throws HttpFailure if the token is unknown
     */
    @Nullable Visitor visitor(HttpExchange exchange);
  }

  /**
   * Creates a router without routes.
   *
   * @param names the host names of the server, in addition to {@code localhost} and addresses
   */
  public Router(Set<String> names, Guard guard) {
    this.sameSite = new SameSite(names);
    this.guard = guard;
  }

  /**
   * Adds a route without authentication.
   *
   * @param path the path, such as {@code /enter}
   */
  public void open(String method, String path, Endpoint endpoint) {
    routes.add(new Route(method, segments(path), false, endpoint));
  }

  /**
   * Adds a route for visitors.
   *
   * @param path the path, such as <code>/api/sessions/{session}</code>
   */
  public void get(String path, Endpoint endpoint) {
    routes.add(new Route("GET", segments(path), true, endpoint));
  }

  /** Adds a route for visitors who may make changes. */
  public void post(String path, Endpoint endpoint) {
    routes.add(new Route("POST", segments(path), true, endpoint));
  }

  /**
   * Serves a resource of the class path without authentication, because the resource contains no
   * data of a store.
   *
   * @param type the media type
   */
  public void file(String path, Class<?> beside, String resource, String type) {
    byte[] bytes = resource(beside, resource);
    file(path, type.startsWith("text/html") ? versioned(bytes) : bytes, type);
  }

  /** Returns the content of a resource of a class. */
  public static byte[] resource(Class<?> beside, String name) {
    try (InputStream in = beside.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("resource " + name + " is missing beside " + beside);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Appends the version to the addresses of the files of a page. */
  private byte[] versioned(byte[] page) {
    String text = new String(page, StandardCharsets.UTF_8);
    return text.replaceAll("\\b((?:src|href)=\"\\w+\\.(?:js|css))\"", "$1?" + version + "\"")
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Adds a file like {@link #file(String, Class, String, String)}. */
  public void file(String path, byte[] bytes, String type) {
    byte[] packed = gzip(bytes);
    open(
        "GET",
        path,
        exchange -> {
          String accepted = exchange.header("Accept-Encoding");
          boolean isPacked = accepted != null && accepted.contains("gzip");
          exchange.setHeader("Vary", "Accept-Encoding");
          if (isPacked) {
            exchange.setHeader("Content-Encoding", "gzip");
          }
          if (exchange.hasQuery(version)) {
            exchange.setHeader("Cache-Control", "private, max-age=86400, immutable");
          }
          exchange.send(200, type, isPacked ? packed : bytes);
        });
  }

  private static byte[] gzip(byte[] bytes) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  /** Returns the threads in which a server must call this handler, with limits on slow requests. */
  public Executor executor() {
    return work -> threads.execute(deadlines.limited(work));
  }

  @Override
  public void handle(HttpExchange http) throws IOException {
    Exchange exchange = new Exchange(http, deadlines, streams, NOBODY, Map.of(), () -> true);
    try {
      sameSite.check(http.getRequestHeaders());
      String base = http.getHttpContext().getPath();
      String path = http.getRequestURI().getRawPath();
      String below = base.equals("/") ? path : path.substring(base.length());
      if (below.isEmpty() && http.getRequestMethod().equals("GET")) {
        exchange.setHeader("Location", relativeFolder(base));
        exchange.status(307);
        return;
      }
      if (!below.startsWith("/")) {
        throw new HttpFailure(404, "not found");
      }
      List<String> segments = decoded(segments(below));
      Route route = route(http.getRequestMethod(), segments);
      exchange =
          new Exchange(
              http,
              deadlines,
              streams,
              visitor(http, route),
              route.parameters(segments),
              () -> isLetIn(http, route));
      deadlines.end();
      route.endpoint().handle(exchange);
    } catch (HttpFailure e) {
      if (e.isGuess()) {
        answerLate(exchange, http, e);
      } else {
        fail(exchange, http, e.status(), null, String.valueOf(e.getMessage()));
      }
    } catch (RalphException e) {
      fail(exchange, http, FailureStatus.of(e.code()), e.code(), String.valueOf(e.getMessage()));
    } catch (IOException e) {
      http.close();
    } catch (RuntimeException | Error e) {
      log().log(Level.WARNING, "a request failed", e);
      fail(exchange, http, 500, null, "internal error; see the server's log");
    } finally {
      deadlines.end(); // the thread of an embedder's server continues with other work
    }
  }

  /**
   * Returns a relative reference from a path to the same path with a slash at the end. A relative
   * reference is also correct behind a proxy that changes the path.
   */
  private static String relativeFolder(String path) {
    return "./" + path.substring(path.lastIndexOf('/') + 1) + "/";
  }

  private Route route(String method, List<String> segments) {
    Set<String> others = new TreeSet<>();
    for (Route route : routes) {
      if (route.fits(segments)) {
        if (route.method().equals(method)) {
          return route;
        }
        others.add(route.method());
      }
    }
    throw others.isEmpty()
        ? new HttpFailure(404, "not found")
        : new HttpFailure(405, "this path accepts " + String.join(", ", others));
  }

  private Visitor visitor(HttpExchange http, Route route) {
    if (!route.isGuarded()) {
      return NOBODY;
    }
    Visitor visitor = guard.visitor(http);
    if (visitor == null) {
      http.getResponseHeaders().set("WWW-Authenticate", "Bearer");
      throw new HttpFailure(
          401, "open a new link of ralph serve, or send a token as Authorization: Bearer TOKEN");
    }
    if (visitor.readOnly() && !route.method().equals("GET")) {
      throw new HttpFailure(403, "this token is read-only");
    }
    return visitor;
  }

  private boolean isLetIn(HttpExchange http, Route route) {
    try {
      return visitor(http, route) != null;
    } catch (HttpFailure | RalphException e) {
      return false;
    }
  }

  /** Responds to an unknown token after the delay, without a thread meanwhile. */
  private void answerLate(Exchange exchange, HttpExchange http, HttpFailure failure)
      throws IOException {
    if (!guesses.tryAcquire()) {
      exchange.setHeader("Connection", "close");
      exchange.setHeader("Retry-After", String.valueOf(GUESS.toSeconds()));
      fail(exchange, http, 429, null, "too many requests with unknown tokens");
      return;
    }
    deadlines.later(
        GUESS,
        () -> {
          guesses.release();
          executor()
              .execute(
                  () -> {
                    try {
                      fail(
                          exchange,
                          http,
                          failure.status(),
                          null,
                          String.valueOf(failure.getMessage()));
                    } catch (IOException gone) {
                      http.close();
                    }
                  });
        });
  }

  private static void fail(
      Exchange exchange,
      HttpExchange http,
      int status,
      RalphException.@Nullable Code code,
      String message)
      throws IOException {
    if (exchange.isAnswered()) {
      http.close();
      return;
    }
    if (status == 413) {
      http.getResponseHeaders().set("Connection", "close");
    }
    Meta error = Meta.of("message", message);
    exchange.json(status, Meta.of("error", code == null ? error : error.with("code", code.name())));
  }

  private static List<String> segments(String path) {
    return List.of(path.substring(1).split("/", -1));
  }

  private static List<String> decoded(List<String> segments) {
    List<String> decoded = new ArrayList<>();
    for (String segment : segments) {
      try {
        // In a path, a plus is no space.
        decoded.add(URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8));
      } catch (IllegalArgumentException e) {
        throw new HttpFailure(400, "invalid '%' escape in the address");
      }
    }
    return decoded;
  }

  /** Ends the event streams and the threads. */
  @Override
  public void close() {
    streams.close();
    threads.shutdownNow();
    deadlines.close();
  }

  private static System.Logger log() {
    return System.getLogger(Router.class.getName());
  }

  /** An endpoint with its method and path. */
  private record Route(String method, List<String> path, boolean isGuarded, Endpoint endpoint) {

    boolean fits(List<String> segments) {
      if (segments.size() != path.size()) {
        return false;
      }
      for (int i = 0; i < path.size(); i++) {
        if (isParameter(i) ? segments.get(i).isEmpty() : !path.get(i).equals(segments.get(i))) {
          return false;
        }
      }
      return true;
    }

    Map<String, String> parameters(List<String> segments) {
      Map<String, String> parameters = new HashMap<>();
      for (int i = 0; i < path.size(); i++) {
        if (isParameter(i)) {
          parameters.put(path.get(i).substring(1, path.get(i).length() - 1), segments.get(i));
        }
      }
      return parameters;
    }

    private boolean isParameter(int at) {
      return path.get(at).startsWith("{");
    }
  }
}

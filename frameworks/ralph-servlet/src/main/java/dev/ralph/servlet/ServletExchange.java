package dev.ralph.servlet;

import com.sun.net.httpserver.Authenticator;
import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpPrincipal;
import com.sun.net.httpserver.HttpServer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Adapts a servlet request to the exchange that handlers of the JDK's HTTP server expect. After the
 * container has ended the request, no object of the container is used, because containers use these
 * objects again for other requests. Safe for use by many threads.
 */
final class ServletExchange extends HttpExchange implements AsyncListener {

  /** The limit for the body of a request, as in the own server. */
  private static final Duration LONGEST_BODY = Duration.ofSeconds(15);

  /** Headers of which a response may have several, for example added by filters. */
  private static final Set<String> REPEATED = Set.of("set-cookie", "vary");

  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final RequestAddress address;
  private final Consumer<ServletExchange> onEnd;
  private final String method;
  private final String protocol;
  private final InetSocketAddress remote;
  private final InetSocketAddress local;
  private final Map<String, Object> attributes = new ConcurrentHashMap<>();
  private final Headers requestHeaders = new Headers();
  private final Headers responseHeaders = new Headers();
  private final InputStream requestBody;
  private final OutputStream responseBody = new ResponseBody();
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private @Nullable AsyncContext async;
  private int status = -1;
  private boolean ended;

  /** A use of the response. */
  @FunctionalInterface
  private interface ResponseUse {
    void run() throws IOException;
  }

  /**
   * Creates an exchange, which must be started.
   *
   * @param onEnd called at least once at the end of the request
   */
  ServletExchange(
      HttpServletRequest request,
      HttpServletResponse response,
      RequestAddress address,
      Consumer<ServletExchange> onEnd) {
    this.request = request;
    this.response = response;
    this.address = address;
    this.onEnd = onEnd;
    this.method = request.getMethod();
    this.protocol = request.getProtocol();
    this.remote =
        InetSocketAddress.createUnresolved(request.getRemoteAddr(), request.getRemotePort());
    this.local = InetSocketAddress.createUnresolved(request.getLocalAddr(), request.getLocalPort());
    this.requestBody = new TimedBody(request::getInputStream, LONGEST_BODY, System::nanoTime);
    for (String name : Collections.list(request.getHeaderNames())) {
      requestHeaders.put(name, Collections.list(request.getHeaders(name)));
    }
    if (!requestHeaders.containsKey("Host") && !protocol.startsWith("HTTP/1")) {
      requestHeaders.set("Host", authority(request));
    }
  }

  /** Returns the host and port of a request of HTTP/2, which has no header for them. */
  private static String authority(HttpServletRequest request) {
    String name = request.getServerName();
    String host = name.contains(":") && !name.startsWith("[") ? "[" + name + "]" : name;
    int port = request.getServerPort();
    return port == (request.isSecure() ? 443 : 80) ? host : host + ":" + port;
  }

  /** Starts asynchronous processing. Any thread may complete the response. */
  void start() {
    AsyncContext started = request.startAsync(request, response);
    started.setTimeout(0); // event streams have no timeout
    started.addListener(this);
    lock.lock();
    try {
      async = started;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Headers getRequestHeaders() {
    return requestHeaders;
  }

  @Override
  public Headers getResponseHeaders() {
    return responseHeaders;
  }

  @Override
  public URI getRequestURI() {
    return address.uri();
  }

  @Override
  public String getRequestMethod() {
    return method;
  }

  @Override
  public HttpContext getHttpContext() {
    return new Mounted(address.mount());
  }

  @Override
  public InputStream getRequestBody() {
    return requestBody;
  }

  @Override
  public OutputStream getResponseBody() {
    return responseBody;
  }

  @Override
  public void sendResponseHeaders(int code, long length) throws IOException {
    use(
        () -> {
          status = code;
          response.setStatus(code);
          responseHeaders.forEach(this::setHeader);
          if (length > 0) {
            response.setContentLengthLong(length);
          } else if (length == 0) {
            response.flushBuffer(); // the length is unknown, as of an event stream
          }
        });
  }

  /** Replaces the headers of filters, because browsers ignore some headers with two values. */
  private void setHeader(String name, List<String> values) {
    boolean adds = REPEATED.contains(name.toLowerCase(Locale.ROOT));
    for (String value : values) {
      if (adds) {
        response.addHeader(name, value);
      } else {
        response.setHeader(name, value);
      }
      adds = true;
    }
  }

  private void use(ResponseUse use) throws IOException {
    lock.lock();
    try {
      if (ended) {
        throw new IOException("the request has ended");
      }
      use.run();
    } catch (IllegalStateException e) {
      throw new IOException("the container has ended the request", e);
    } finally {
      lock.unlock();
    }
  }

  /** Completes the response. Without a response the client receives status 503. Idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (!ended && async != null) {
        if (status < 0) {
          response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
          response.setHeader("Connection", "close");
        }
        async.complete();
      }
    } catch (IllegalStateException e) {
      // The container has already ended the request, for example at a lost connection.
    } finally {
      end();
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      ended = true;
    } finally {
      lock.unlock();
    }
    onEnd.accept(this);
  }

  @Override
  public void onStartAsync(AsyncEvent event) {
    // The handler starts no further asynchronous processing.
  }

  @Override
  public void onComplete(AsyncEvent event) {
    end();
  }

  /** The client has disconnected: the next event is not sent, which ends the event stream. */
  @Override
  public void onError(AsyncEvent event) {
    close();
  }

  @Override
  public void onTimeout(AsyncEvent event) {
    close();
  }

  @Override
  public InetSocketAddress getRemoteAddress() {
    return remote;
  }

  @Override
  public InetSocketAddress getLocalAddress() {
    return local;
  }

  @Override
  public int getResponseCode() {
    lock.lock();
    try {
      return status;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String getProtocol() {
    return protocol;
  }

  @Override
  public @Nullable Object getAttribute(String name) {
    return attributes.get(name);
  }

  @Override
  public void setAttribute(String name, @Nullable Object value) {
    if (value == null) {
      attributes.remove(name);
    } else {
      attributes.put(name, value);
    }
  }

  @Override
  public void setStreams(InputStream in, OutputStream out) {
    throw new UnsupportedOperationException("the servlet container owns the streams");
  }

  @Override
  public @Nullable HttpPrincipal getPrincipal() {
    return null;
  }

  /** The body of the response. */
  private final class ResponseBody extends OutputStream {

    @Override
    public void write(int part) throws IOException {
      write(new byte[] {(byte) part}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      use(() -> response.getOutputStream().write(bytes, from, length));
    }

    @Override
    public void flush() throws IOException {
      use(() -> response.getOutputStream().flush());
    }

    @Override
    public void close() {
      ServletExchange.this.close();
    }
  }

  /** The mount point of the handler; further operations belong to the container. */
  private static final class Mounted extends HttpContext {

    private final String path;

    Mounted(String path) {
      this.path = path;
    }

    @Override
    public String getPath() {
      return path;
    }

    @Override
    public HttpHandler getHandler() {
      throw ofTheContainer();
    }

    @Override
    public void setHandler(HttpHandler handler) {
      throw ofTheContainer();
    }

    @Override
    public HttpServer getServer() {
      throw ofTheContainer();
    }

    @Override
    public Map<String, Object> getAttributes() {
      return Map.of();
    }

    @Override
    public List<Filter> getFilters() {
      return List.of();
    }

    @Override
    public Authenticator setAuthenticator(Authenticator authenticator) {
      throw ofTheContainer();
    }

    @Override
    public @Nullable Authenticator getAuthenticator() {
      return null;
    }

    private static UnsupportedOperationException ofTheContainer() {
      return new UnsupportedOperationException("the servlet container manages the context");
    }
  }
}

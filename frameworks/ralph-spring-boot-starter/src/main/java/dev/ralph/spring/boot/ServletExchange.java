package dev.ralph.spring.boot;

import com.sun.net.httpserver.Authenticator;
import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpPrincipal;
import com.sun.net.httpserver.HttpServer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Adapts a servlet request to the exchange that handlers of the JDK's HTTP server expect. */
final class ServletExchange extends HttpExchange {

  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final Runnable complete;
  private final URI uri;
  private final Headers requestHeaders = new Headers();
  private final Headers responseHeaders = new Headers();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final HttpContext context;

  /**
   * Creates the exchange.
   *
   * @param complete notifies the container that the response is complete
   */
  ServletExchange(HttpServletRequest request, HttpServletResponse response, Runnable complete) {
    this.request = request;
    this.response = response;
    this.complete = complete;
    String query = request.getQueryString();
    this.uri = URI.create(request.getRequestURI() + (query == null ? "" : "?" + query));
    for (String name : Collections.list(request.getHeaderNames())) {
      requestHeaders.put(name, Collections.list(request.getHeaders(name)));
    }
    this.context = new Mounted(request.getContextPath() + request.getServletPath());
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
    return uri;
  }

  @Override
  public String getRequestMethod() {
    return request.getMethod();
  }

  @Override
  public HttpContext getHttpContext() {
    return context;
  }

  @Override
  public InputStream getRequestBody() {
    try {
      return request.getInputStream();
    } catch (IOException e) {
      throw new IllegalStateException("cannot read the request body", e);
    }
  }

  @Override
  public OutputStream getResponseBody() {
    try {
      return response.getOutputStream();
    } catch (IOException e) {
      throw new IllegalStateException("cannot write the response", e);
    }
  }

  @Override
  public void sendResponseHeaders(int status, long length) {
    response.setStatus(status);
    responseHeaders.forEach(
        (name, values) -> values.forEach(value -> response.addHeader(name, value)));
    if (length > 0) {
      response.setContentLengthLong(length);
    }
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      complete.run();
    }
  }

  @Override
  public InetSocketAddress getRemoteAddress() {
    return InetSocketAddress.createUnresolved(request.getRemoteAddr(), request.getRemotePort());
  }

  @Override
  public InetSocketAddress getLocalAddress() {
    return InetSocketAddress.createUnresolved(request.getLocalAddr(), request.getLocalPort());
  }

  @Override
  public int getResponseCode() {
    return response.isCommitted() ? response.getStatus() : -1;
  }

  @Override
  public String getProtocol() {
    return request.getProtocol();
  }

  @Override
  public @Nullable Object getAttribute(String name) {
    return request.getAttribute(name);
  }

  @Override
  public void setAttribute(String name, @Nullable Object value) {
    request.setAttribute(name, value);
  }

  @Override
  public void setStreams(InputStream in, OutputStream out) {
    throw new UnsupportedOperationException("the servlet container owns the streams");
  }

  @Override
  public @Nullable HttpPrincipal getPrincipal() {
    return null;
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

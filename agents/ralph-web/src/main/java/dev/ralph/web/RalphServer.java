package dev.ralph.web;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.ralph.Ralph;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.web.internal.access.TokenAuthenticator;
import dev.ralph.web.internal.access.TokenRights;
import dev.ralph.web.internal.http.Router;
import dev.ralph.web.internal.http.ServerAddress;
import dev.ralph.web.internal.mcp.McpEndpoint;
import dev.ralph.web.internal.page.Page;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP server for a store, which requires a token. People see the page, and agents call the
 * tools of sessions at {@code /mcp} by the Model Context Protocol. Runs as a separate server, or as
 * a handler in a server of the embedder:
 *
 * <pre>{@code
 * try (RalphServer server = RalphServer.builder(ralph).build()) {
 *   server.start();
 *   System.out.println(server.link("ann"));
 *   …
 * }
 *
 * httpServer.createContext("/ralph", RalphServer.builder(ralph).build().handler());
 * }</pre>
 *
 * <p>The server uses plain HTTP, so anyone who can read the network traffic can read the tokens.
 * For access from other machines, add a proxy with TLS. Safe for use by many threads.
 */
public final class RalphServer implements AutoCloseable {

  /** The most connections that wait to be accepted. Further clients retry after a second. */
  private static final int BACKLOG = 1_024;

  private final InetSocketAddress wanted;
  private final TokenAuthenticator door;
  private final Router routes;
  private final McpEndpoint mcp;
  private final Page page;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private @Nullable HttpServer server;
  private boolean closed;

  private RalphServer(Builder builder) {
    this.wanted = new InetSocketAddress(builder.address, builder.port);
    AccessTokens tokens = AccessTokens.of(builder.ralph);
    this.door = new TokenAuthenticator(token -> pass(tokens.known(token)), builder.names);
    this.routes = new Router(builder.names, door);
    door.addTo(routes);
    this.mcp = new McpEndpoint(builder.ralph, door);
    mcp.addTo(routes);
    this.page = new Page(builder.ralph, builder.repository);
    page.addTo(routes);
  }

  private static @Nullable TokenRights pass(@Nullable AccessToken token) {
    return token == null
        ? null
        : new TokenRights(token.name(), token.rights() == AccessToken.Rights.LOOK, token.session());
  }

  /**
   * Returns a builder of a server.
   *
   * @param ralph the store, which the server does not close
   */
  public static Builder builder(Ralph ralph) {
    return new Builder(Objects.requireNonNull(ralph, "ralph"));
  }

  /**
   * Starts to listen, and serves in the background until the server is closed. Idempotent.
   *
   * @throws RalphException IO if the server cannot listen on its address, CLOSED if the server is
   *     closed
   */
  public void start() {
    lock.lock();
    try {
      if (closed) {
        throw RalphException.closed("the server");
      }
      if (server != null) {
        return;
      }
      HttpServer listening = HttpServer.create(wanted, BACKLOG);
      listening.setExecutor(routes.executor());
      listening.createContext("/", routes);
      listening.start();
      server = listening;
    } catch (IOException e) {
      throw RalphException.io(
          "cannot listen on "
              + wanted.getAddress().getHostAddress()
              + " port "
              + wanted.getPort()
              + ": "
              + e.getMessage()
              + "; choose a different port, or 0 for a free port",
          e);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the address on which the server listens.
   *
   * @throws RalphException INVALID if the server does not listen
   */
  public InetSocketAddress address() {
    lock.lock();
    try {
      if (server == null) {
        throw RalphException.invalid("the server is not running; call start() first");
      }
      return server.getAddress();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns a handler for a server of the embedder, under any path. Closing this object ends its
   * event streams. The embedder stops its own server.
   */
  public HttpHandler handler() {
    return routes;
  }

  /**
   * Returns a link to the page for a person with all rights. The link works once: a browser
   * exchanges its code for a key that is valid until the server is closed.
   *
   * @param name the person's name, a segment of a topic, which the log records with the person's
   *     changes
   * @throws RalphException INVALID if the server does not listen, or the name is invalid
   */
  public URI link(String name) {
    return linkWith(code(name));
  }

  /** Returns a link like {@link #link} for a person who may only read. */
  public URI readOnlyLink(String name) {
    return linkWith(readOnlyCode(name));
  }

  /**
   * Returns a link like {@link #link(String)} for a {@link #handler()} in a server of the embedder.
   *
   * @param mount the address of the handler, for example {@code https://example.org/ralph}
   * @throws RalphException INVALID if the address is not an HTTP address with a host, has user
   *     information, a query or a fragment, or if the name is invalid. The message does not contain
   *     the address, which may have a password
   */
  public URI link(URI mount, String name) {
    String base = base(mount);
    return URI.create(base + code(name));
  }

  /** Returns a link like {@link #link(URI, String)} for a person who may only read. */
  public URI readOnlyLink(URI mount, String name) {
    String base = base(mount);
    return URI.create(base + readOnlyCode(name));
  }

  private static String base(URI mount) {
    String scheme = mount.getScheme();
    if (mount.getHost() == null
        || !("http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme))
        || mount.getRawUserInfo() != null
        || mount.getRawQuery() != null
        || mount.getRawFragment() != null) {
      throw RalphException.invalid(
          "the handler's address must be like https://example.org/ralph, with a host and without"
              + " user, password, query and fragment");
    }
    String address = mount.toString();
    return address + (address.endsWith("/") ? "" : "/") + "enter#code=";
  }

  private URI linkWith(String code) {
    InetSocketAddress address = address();
    InetAddress host = ServerAddress.reachable(address.getAddress());
    String shown = host.getHostAddress();
    return URI.create(
        "http://"
            + (host instanceof Inet6Address ? "[" + shown + "]" : shown)
            + ":"
            + address.getPort()
            + "/enter#code="
            + code);
  }

  /**
   * Returns a new code as in {@link #link}, for a handler. The link is the handler's address
   * followed by {@code /enter#code=CODE}.
   *
   * @param name the person's name, a segment of a topic
   * @throws RalphException INVALID if the name is invalid
   */
  public String code(String name) {
    return door.code(person(name, false));
  }

  /** Returns a code like {@link #code} for a person who may only read. */
  public String readOnlyCode(String name) {
    return door.code(person(name, true));
  }

  /**
   * Returns a new token for a program, which sends it as {@code Authorization: Bearer TOKEN}. The
   * token is valid until the server is closed. A person can enter the token on the page.
   *
   * @param name the holder's name, a segment of a topic, which the log records with the holder's
   *     changes
   * @throws RalphException INVALID if the name is invalid
   */
  public String token(String name) {
    return door.token(person(name, false));
  }

  /** Returns a token like {@link #token} for a holder who may only read. */
  public String readOnlyToken(String name) {
    return door.token(person(name, true));
  }

  private static TokenRights person(String name, boolean readOnly) {
    return new TokenRights(Topic.checkSegment("a visitor's name", name), readOnly, null);
  }

  /** Stops listening, and ends running requests. Idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      page.close();
      mcp.close();
      routes.close();
      if (server != null) {
        server.stop(0);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Builds a server. Not thread-safe. */
  public static final class Builder {

    private final Ralph ralph;
    private InetAddress address = InetAddress.getLoopbackAddress();
    private int port;
    private Set<String> names = Set.of();
    private @Nullable Path repository;

    private Builder(Ralph ralph) {
      this.ralph = ralph;
    }

    /**
     * Sets the address on which to listen. The default is the loopback address, which only this
     * machine can reach.
     */
    public Builder bind(InetAddress address) {
      this.address = Objects.requireNonNull(address, "address");
      return this;
    }

    /**
     * Sets the port. The default is 0, which means any free port.
     *
     * @throws RalphException INVALID if the port is out of range
     */
    public Builder port(int port) {
      if (port < 0 || port > 65_535) {
        throw RalphException.invalid("a port is a number from 0 to 65535, not " + port);
      }
      this.port = port;
      return this;
    }

    /**
     * Sets the host names of the server, in addition to {@code localhost} and addresses. Requests
     * for other hosts are rejected, because a page of another site may have sent them.
     */
    public Builder names(String... names) {
      this.names = Set.of(names);
      return this;
    }

    /**
     * Sets a folder of the repository whose commits the page shows, as far as the log records that
     * iterations created them. By default the page shows no commits.
     */
    public Builder repository(Path folder) {
      this.repository = Objects.requireNonNull(folder, "folder");
      return this;
    }

    /** Builds the server, which does not listen yet. */
    public RalphServer build() {
      return new RalphServer(this);
    }
  }
}

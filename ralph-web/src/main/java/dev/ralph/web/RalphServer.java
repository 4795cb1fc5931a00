package dev.ralph.web;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.ralph.Ralph;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.web.internal.access.Door;
import dev.ralph.web.internal.access.Pass;
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
 * Serves a store over HTTP, to whom has a token: the page to people, and at {@code /mcp} the tools
 * of sessions to agents, by the Model Context Protocol. It is a server of its own, or a handler in
 * a server of the host's:
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
 * <p>It speaks plain HTTP, so anybody who can read the network's traffic can read tokens: beyond
 * this machine, put a proxy before it that speaks TLS. Safe for use by many threads.
 */
public final class RalphServer implements AutoCloseable {

  /** Connections that wait to be accepted. A client beyond them tries again after a second. */
  private static final int BACKLOG = 1_024;

  private final InetSocketAddress wanted;
  private final Door door;
  private final Router routes;
  private final McpEndpoint mcp;
  private final Page page;
  private final ReentrantLock lock = new ReentrantLock();

  // Under the lock.
  private @Nullable HttpServer server;
  private boolean closed;

  private RalphServer(Builder builder) {
    this.wanted = new InetSocketAddress(builder.address, builder.port);
    AccessTokens tokens = AccessTokens.of(builder.ralph);
    this.door = new Door(token -> pass(tokens.known(token)), builder.names);
    this.routes = new Router(builder.names, door);
    door.addTo(routes);
    this.mcp = new McpEndpoint(builder.ralph, door);
    mcp.addTo(routes);
    this.page = new Page(builder.ralph, builder.repository);
    page.addTo(routes);
  }

  private static @Nullable Pass pass(@Nullable AccessToken token) {
    return token == null
        ? null
        : new Pass(token.name(), token.rights() == AccessToken.Rights.LOOK, token.session());
  }

  /**
   * Begins to set up a server.
   *
   * @param ralph the store; the server does not close it
   */
  public static Builder builder(Ralph ralph) {
    return new Builder(Objects.requireNonNull(ralph, "ralph"));
  }

  /**
   * Listens, and serves in the background until it is closed. Again does nothing.
   *
   * @throws RalphException IO if nobody can listen there, CLOSED if it was closed
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
          "can't listen on "
              + wanted.getAddress().getHostAddress()
              + " port "
              + wanted.getPort()
              + ": "
              + e.getMessage()
              + "; another program may: try another port, or 0 for any that is free",
          e);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns where it listens.
   *
   * @throws RalphException INVALID if it does not
   */
  public InetSocketAddress address() {
    lock.lock();
    try {
      if (server == null) {
        throw RalphException.invalid("the server does not listen: start it first");
      }
      return server.getAddress();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns what a host mounts in a server of its own, under any path. Closing this ends its
   * streams of events; the host's server is the host's to stop.
   */
  public HttpHandler handler() {
    return routes;
  }

  /**
   * Returns a link to the page for a person who may do everything. The link works once: a browser
   * exchanges its code for a key that is valid until the server is closed.
   *
   * @param name the person's, a segment of a topic; stands in the log for their changes
   * @throws RalphException INVALID if the server does not listen, or the name is invalid
   */
  public URI link(String name) {
    return linkWith(code(name));
  }

  /** Returns a link like that of {@link #link} for a person who may only look. */
  public URI readOnlyLink(String name) {
    return linkWith(readOnlyCode(name));
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
   * Returns a new code as in {@link #link}, for a handler: the link is its address and {@code
   * /enter#code=CODE}.
   *
   * @param name the person's, a segment of a topic
   * @throws RalphException INVALID if the name is invalid
   */
  public String code(String name) {
    return door.code(person(name, false));
  }

  /** Returns a code like that of {@link #code} for a person who may only look. */
  public String readOnlyCode(String name) {
    return door.code(person(name, true));
  }

  /**
   * Returns a new token for a program, which sends it as {@code Authorization: Bearer TOKEN}. It is
   * valid until the server is closed. A person can enter it on the page.
   *
   * @param name the holder's, a segment of a topic; stands in the log for their changes
   * @throws RalphException INVALID if the name is invalid
   */
  public String token(String name) {
    return door.token(person(name, false));
  }

  /** Returns a token like that of {@link #token} for a holder who may only look. */
  public String readOnlyToken(String name) {
    return door.token(person(name, true));
  }

  private static Pass person(String name, boolean readOnly) {
    return new Pass(Topic.checkSegment("a visitor's name", name), readOnly, null);
  }

  /** Stops listening, and ends what is under way. Again does nothing. */
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

  /** Sets up a server. For one thread. */
  public static final class Builder {

    private final Ralph ralph;
    private InetAddress address = InetAddress.getLoopbackAddress();
    private int port;
    private Set<String> names = Set.of();
    private @Nullable Path repository;

    private Builder(Ralph ralph) {
      this.ralph = ralph;
    }

    /** Sets the address to listen on; this machine's own, which only it can reach, if not set. */
    public Builder bind(InetAddress address) {
      this.address = Objects.requireNonNull(address, "address");
      return this;
    }

    /**
     * Sets the port to listen on; any that is free if not set or 0.
     *
     * @throws RalphException INVALID if it is none
     */
    public Builder port(int port) {
      if (port < 0 || port > 65_535) {
        throw RalphException.invalid("a port is a number from 0 to 65535, not " + port);
      }
      this.port = port;
      return this;
    }

    /**
     * Sets the names by which it is reached, besides {@code localhost} and addresses. A request for
     * another host is refused: a page of another site may have sent it.
     */
    public Builder names(String... names) {
      this.names = Set.of(names);
      return this;
    }

    /**
     * Sets a folder of the repository whose commits the page shows, as far as the log says that
     * iterations made them; none if not set.
     */
    public Builder repository(Path folder) {
      this.repository = Objects.requireNonNull(folder, "folder");
      return this;
    }

    /** Makes the server, which does not listen yet. */
    public RalphServer build() {
      return new RalphServer(this);
    }
  }
}

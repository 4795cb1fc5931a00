package dev.ralph.store.socket.internal;

import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Serves a store on a Unix domain socket to other processes of the same user on this machine. The
 * processes open the {@linkplain #info() location} of the socket, and need no access to the store's
 * files or server.
 *
 * <p>Every process that may enter the socket's folder may call every method of the store. The
 * socket is served until it is closed or this process ends; closing the socket leaves the store
 * open. Safe for use by many threads.
 */
public final class StoreSocket extends ForwardingStore {

  /** The most connections at a time: below the usual limit of open files of a process. */
  private static final int MOST_CONNECTIONS = 256;

  private static final int BACKLOG = 128;

  private static final Set<PosixFilePermission> OWNERS =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private final FrameStore store;
  private final Path path;
  private final ServerSocketChannel server;
  private final AppendNotifier notifier;
  private final Set<Wire> open = ConcurrentHashMap.newKeySet();

  private StoreSocket(FrameStore store, Path path, ServerSocketChannel server) {
    super(store);
    this.store = store;
    this.path = path;
    this.server = server;
    this.notifier = new AppendNotifier(store);
  }

  /**
   * Starts to serve a store. Replaces the socket of a process that was killed.
   *
   * @param store the store, which the caller closes after the socket
   * @param path the path of the socket, in a folder that only its owner may enter; most systems
   *     allow about a hundred bytes
   * @throws RalphException INVALID if other users may enter the folder, the path is too long, or
   *     the path exists and is not an unused socket; UNSUPPORTED if the system has no Unix domain
   *     sockets; IO if the socket can't be created
   */
  public static StoreSocket serve(FrameStore store, Path path) {
    Objects.requireNonNull(store, "store");
    Path place = path.toAbsolutePath();
    try {
      requirePrivate(place);
      removeIfLeft(place);
      StoreSocket served = new StoreSocket(store, place, bind(place));
      start("ralph-socket-accept", served::accept);
      return served;
    } catch (IOException e) {
      throw RalphException.io("can't serve the store at " + place + ": " + e.getMessage(), e);
    }
  }

  private static void requirePrivate(Path path) throws IOException {
    Path folder = Objects.requireNonNull(path.getParent(), "a socket is in a folder");
    if (Files.getFileStore(folder).supportsFileAttributeView("posix")
        && !OWNERS.containsAll(Files.getPosixFilePermissions(folder))) {
      throw RalphException.invalid(
          "can't serve a store in "
              + folder
              + ", because other users have access; run chmod"
              + " 700 on the folder");
    }
  }

  private static void removeIfLeft(Path path) throws IOException {
    if (Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    boolean isSocket =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isOther();
    if (!isSocket || isServed(path)) {
      throw RalphException.invalid(
          path
              + (isSocket ? " is already served" : " exists and is not a socket")
              + "; use another path");
    }
    Files.delete(path);
  }

  private static boolean isServed(Path path) {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      return channel.isConnected();
    } catch (IOException nobody) {
      return false;
    }
  }

  private static ServerSocketChannel bind(Path path) throws IOException {
    ServerSocketChannel server;
    try {
      server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    } catch (UnsupportedOperationException e) {
      throw RalphException.unsupported("this system has no Unix domain sockets", e);
    }
    try {
      server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
      return server;
    } catch (IOException e) {
      server.close();
      if (String.valueOf(e.getMessage()).contains("too long")) {
        throw RalphException.invalid(
            "the path " + path + " is too long for a socket; use a shorter path", e);
      }
      throw e;
    }
  }

  static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the store's information as clients see it, with the location of the socket. */
  @Override
  public StoreInfo info() {
    return SocketStoreProvider.served(store.info(), SocketStoreProvider.address(path));
  }

  private void accept() {
    while (server.isOpen()) {
      try {
        SocketChannel channel = server.accept();
        if (open.size() >= MOST_CONNECTIONS) {
          channel.close();
          continue;
        }
        Wire wire = Wire.blocking(channel);
        open.add(wire);
        start("ralph-socket-serve", () -> serve(wire));
      } catch (IOException e) {
        if (server.isOpen()) {
          pause(); // for example, too many files are open
        }
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException nobodyInterruptsIt) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(Wire wire) {
    try (wire) {
      if (server.isOpen()) {
        new RequestHandler(store, wire, notifier).run();
      }
    } finally {
      open.remove(wire);
    }
  }

  /** Closes all connections. A running append continues; the client gets no answer. */
  @Override
  public void close() {
    try {
      server.close();
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // no client can connect to the socket any more
    }
    notifier.close();
    for (Wire wire : open) {
      wire.close();
    }
  }
}

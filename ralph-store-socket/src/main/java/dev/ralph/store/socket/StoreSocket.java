package dev.ralph.store.socket;

import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
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
 * Serves a log on a socket (a Unix domain socket) to processes of this user on this machine: they
 * read and append by its {@linkplain #info() location}, and need no way of their own to the store.
 *
 * <p>Anybody who may look into the socket's folder may do all that the store can do. Closing this,
 * or the end of this process, ends it; the store stays open. Safe for use by many threads.
 */
public final class StoreSocket implements AutoCloseable {

  /** More than the agents of one loop ever have, and fewer than the files a process may open. */
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
  private final News news;
  private final Set<Wire> open = ConcurrentHashMap.newKeySet();

  private StoreSocket(FrameStore store, Path path, ServerSocketChannel server) {
    this.store = store;
    this.path = path;
    this.server = server;
    this.news = new News(store);
  }

  /**
   * Begins to serve a store. A socket that a process left there which was killed is replaced.
   *
   * @param store stays the caller's, who closes it after this
   * @param path of the socket, in a folder that nobody but its owner may look into; the system
   *     takes about a hundred bytes at most
   * @throws RalphException INVALID if others may look into the folder, the path is too long, or
   *     something else is there; UNSUPPORTED if the system has no such sockets; IO if it can't be
   *     made
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
          "others may look into " + folder + ", so no store is served there; chmod 700 it");
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
              + (isSocket ? " is served already" : " is there and is no socket")
              + "; name another");
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
      throw RalphException.unsupported("this system has no sockets that are files", e);
    }
    try {
      server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
      return server;
    } catch (IOException e) {
      server.close();
      if (String.valueOf(e.getMessage()).contains("too long")) {
        throw RalphException.invalid(
            "the path " + path + " is too long for a socket; name a shorter one", e);
      }
      throw e;
    }
  }

  static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the store as those see it who open what is served: of this kind and in this place. */
  public StoreInfo info() {
    StoreInfo info = store.info();
    return new StoreInfo(
        info.storeId(),
        SocketStoreProvider.NAME,
        SocketStoreProvider.address(path),
        info.capabilities(),
        Math.min(info.maxContentBytes(), Wire.LONGEST),
        info.maxBatchFrames());
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
          pause(); // too many files are open, say
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
        new Conversation(store, wire, news).hold();
      }
    } finally {
      open.remove(wire);
    }
  }

  /** Ends all connections. An append under way goes on, but who asked for it is not told. */
  @Override
  public void close() {
    try {
      server.close();
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // it is of no use to anybody any more
    }
    news.close();
    for (Wire wire : open) {
      wire.close();
    }
  }
}

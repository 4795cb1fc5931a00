package dev.ralph.tck;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * A proxy between a store and its server that closes connections at chosen points. Both sides see
 * the end of the connection, as in a network failure.
 */
public final class CutProxy implements AutoCloseable {

  /** The side with the counted packets. */
  enum Side {
    STORE,
    SERVER
  }

  private static final int LARGEST_PIECE = 64 << 10;

  private final InetSocketAddress server;
  private final ServerSocket listening;
  private final List<Socket> open = new ArrayList<>();

  // Guarded by this object's lock.

  private Side counted = Side.STORE;

  /** The number of further packets to forward; -1 for all. */
  private int piecesLeft = -1;

  /** Whether to forward half of the packet at which the connections are closed. */
  private boolean isHalfThrough;

  /** Whether new connections are rejected after the connections were closed. */
  private boolean staysCut;

  private boolean isShut;
  private int cuts;

  /**
   * Starts to listen on a free local port.
   *
   * @param server the address of the server
   * @throws IOException if no port is available
   */
  public CutProxy(InetSocketAddress server) throws IOException {
    this.server = server;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start("accept", this::accept);
  }

  /** Returns the port for stores to connect to instead of the server's port. */
  public int port() {
    return listening.getLocalPort();
  }

  /** Closes all connections after the given number of further packets of a side. */
  synchronized void cutAfter(int pieces, Side side, boolean halfThrough, boolean stays) {
    counted = side;
    piecesLeft = pieces;
    isHalfThrough = halfThrough;
    staysCut = stays;
  }

  /** Closes all connections now and rejects new ones. */
  public synchronized void shut() {
    isShut = true;
    cut();
  }

  /** Accepts new connections again and forwards everything. */
  public synchronized void restore() {
    isShut = false;
    piecesLeft = -1;
  }

  /** Closes all connections now; new ones are accepted. */
  synchronized void cut() {
    for (Socket socket : open) {
      closeQuietly(socket);
    }
    open.clear();
    cuts++;
    notifyAll();
  }

  synchronized int cuts() {
    return cuts;
  }

  /** Waits until the number of cuts exceeds the given number. */
  synchronized void awaitCut(int before) throws InterruptedException {
    while (cuts == before) {
      wait();
    }
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket store = listening.accept();
        if (!connect(store)) {
          store.close();
        }
      } catch (IOException closedOrRefused) {
        // the store sees the closed connection
      }
    }
  }

  private boolean connect(Socket store) throws IOException {
    synchronized (this) {
      if (isShut) {
        return false;
      }
    }
    Socket to = new Socket(server.getAddress(), server.getPort());
    store.setTcpNoDelay(true);
    to.setTcpNoDelay(true);
    synchronized (this) {
      open.add(store);
      open.add(to);
    }
    start("store", () -> pump(store, to, Side.STORE));
    start("server", () -> pump(to, store, Side.SERVER));
    return true;
  }

  private void pump(Socket from, Socket to, Side side) {
    byte[] piece = new byte[LARGEST_PIECE];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int size = in.read(piece); size >= 0; size = in.read(piece)) {
        int through = through(side, size);
        out.write(piece, 0, through);
        out.flush();
        if (through < size) {
          cut();
          return;
        }
      }
    } catch (IOException cut) {
      // the other side is closed now
    } finally {
      closeQuietly(from);
      closeQuietly(to);
    }
  }

  /** Returns the number of bytes of a packet to forward. */
  private synchronized int through(Side side, int size) {
    if (side != counted || piecesLeft < 0) {
      return size;
    }
    piecesLeft--;
    if (piecesLeft >= 0) {
      return size;
    }
    isShut |= staysCut;
    return isHalfThrough ? size / 2 : 0;
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, "tck-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException gone) {
      // closed already
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    shut();
  }
}

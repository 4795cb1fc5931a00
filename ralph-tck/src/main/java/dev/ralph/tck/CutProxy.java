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
 * Stands between a store and its server, and cuts their connections where a test says. Both sides
 * see what they would of a network that fails: an end, in the middle of what they say or wait for.
 */
public final class CutProxy implements AutoCloseable {

  /** Which side's words are counted. */
  enum Side {
    STORE,
    SERVER
  }

  private static final int LARGEST_PIECE = 64 << 10;

  private final InetSocketAddress server;
  private final ServerSocket listening;
  private final List<Socket> open = new ArrayList<>();

  // Guarded by this:

  private Side counted = Side.STORE;

  /** How many more pieces go through; -1 for all. */
  private int piecesLeft = -1;

  /** Whether half of the piece at which it cuts goes through. */
  private boolean isHalfThrough;

  /** Whether nobody is let in once it has cut. */
  private boolean staysCut;

  private boolean isShut;
  private int cuts;

  /** Begins to listen on a free port of this machine. */
  public CutProxy(InetSocketAddress server) throws IOException {
    this.server = server;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start("accept", this::accept);
  }

  /** Returns the port that a store connects to instead of the server's. */
  public int port() {
    return listening.getLocalPort();
  }

  /** Cuts all connections once so many more pieces of that side have gone through. */
  synchronized void cutAfter(int pieces, Side side, boolean halfThrough, boolean stays) {
    counted = side;
    piecesLeft = pieces;
    isHalfThrough = halfThrough;
    staysCut = stays;
  }

  /** Cuts all connections now, and lets nobody in. */
  public synchronized void shut() {
    isShut = true;
    cut();
  }

  /** Lets everything through again, on new connections. */
  public synchronized void restore() {
    isShut = false;
    piecesLeft = -1;
  }

  /** Cuts all connections now; new ones go through. */
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

  /** Waits until it has cut more often than that. */
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
        // the store sees it
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
      // the other side learns of it now
    } finally {
      closeQuietly(from);
      closeQuietly(to);
    }
  }

  /** Returns how much of a piece goes through. */
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
      // it is closed
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    shut();
  }
}
